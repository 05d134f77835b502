"""Layouts of contacts: what is constant of one, in the table, and what a run remembers of it."""

from __future__ import annotations

from .rows import Matrix, NamedRow, Number, Vector


class ContactNumbers(NamedRow):
    """Constants of a contact, in the table of a run."""

    pair: Number  # number in `contact.pairs.PAIRS`
    shape_a: Number  # table: numbers of the shapes
    shape_b: Number
    law: Number  # table: numbers of the normal law
    slip: Number  # table: those of the friction law, or zero
    tolerance: Number  # gap that counts as closed [m]
    ball: Number  # sum of the radii of the bounding balls [m], or infinite
    first: Number  # of the points of the same contact, its number among all points
    center_a: Vector  # their centres, in the axes of the slots
    center_b: Vector
    R_a: Matrix  # own axes of the shapes, in those of the slots
    p_a: Vector
    R_b: Matrix
    p_b: Vector


class GapNumbers(NamedRow):
    """A watched gap, in the table of a run: paths to its carriers, then its `ContactNumbers`.

    Slots of the numbers are the frames of the carriers, or the world.
    """

    path_a: Number  # table: path to the carrier of a shape (`tree.path`); -1: the world
    path_b: Number


class TouchRecord(NamedRow):
    """What a run remembers of a contact, in memory."""

    state: Number  # OPEN, CLOSED, QUIET or NEW
    gap: Number  # at the start of the step [m]
    rate: Number  # its rate there [m/s]
    press: Number  # normal force there [N]
    speed: Number  # largest speed of its points relative to each other there [m/s]
    entry: Number  # speed of approach at the last touch-down [m/s]
    duration: Number  # time of contact that follows from it [s]
    since: Number  # time of the last touch-down
    impulse: Number  # of the normal force since the contact as a whole has closed [N s]
    deepest: Number  # largest depth [m]
    release: Number  # gap beyond which a quiet contact is open again [m]
    step: Number  # longest fixed step while it is closed [s]
    happened: Number  # TOUCHED or LEFT in the last step, else zero
    count: Number  # touch-downs
    shortest: Number  # time of contact of all of them [s]; zero before the first
    creep: Number  # way slid below the speed at which regularised friction is greatest [m]
    begun: Number  # of the first point: time at which the contact as a whole has closed
    approach: Number  # and its speed there [m/s]
    total: Number  # sum of the normal forces of all points, at the last place within a step [N]
    peak: Number  # its largest value since then [N]


class ContactOutput(NamedRow):
    """Channels of a contact, vectors in the world."""

    gap: Number  # [m]; where the shapes are far apart that of the balls about them
    press: Number  # normal force [N]
    force: Vector  # on the body at a [N]
    point: Vector  # where it acts [m]
    slip: Vector  # velocity of the body at a relative to that at b, along the surface [m/s]
    patch: Number  # radius of the patch [m]


OPEN, CLOSED, QUIET, NEW = range(4)  # NEW: the run has not looked at it yet
TOUCHED, LEFT = 1, 2
