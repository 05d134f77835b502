"""Section loads of straight beams and of frames, in equilibrium with all that acts on them.

What acts on the part beyond a section equals the rate of its momentum (d'Alembert), so that the
loads are exact for the given accelerations whatever the number of shapes:

  S = sum of the wrenches on its nodes - M_rr [alpha; a - g] - M_rf eta_ddot - b_r             (1)

with M_rr, M_rf and b_r of `body_terms`, (1)-(5), (13) and (14), whose integrals extend over this
part alone.  S is what the part beyond exerts on the part before: a pull is positive.  It is moved
to the section and turned into its axes.  At levels "linear" and "ruthless" the inertia is that of
the undeformed body, so its moments are taken about the undeformed section.

Frames are statically indeterminate; their loads in equilibrium come from tables, see
`bodies.balance`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...bodies import NormalBody
from ...bodies.axis import BeamAxis, OutboardMass
from ...bodies.balance import accelerations, modal_forces
from ...bodies.normal import LINEARISED
from ...bodies.sections import Sections
from ...errors import StateError
from ...kernels import fields as field
from ...spatial.many_rotations import exponential, rotated
from ...system import Frame, System
from . import engine

Array = np.ndarray

# [moment; force] -> N, Q_y, Q_z, T, M_y, M_z
_ORDER = [3, 4, 5, 0, 1, 2]
_NEAR = 1e-9  # fraction of the length within which a node is at a section


class LoadedStates(NamedTuple):
    """States with their accelerations, and all that acts on the bodies."""

    # q, v, acceleration: (n, n_q), (n, n_v), (n, n_v) states
    q: Array
    v: Array
    acceleration: Array
    # (n, n_body, 6) [moment; force] of the joints on their bodies, in body axes at body origins
    reactions: Array
    places: Sequence[tuple[int, int]]  # (body, node) where loads and loops act
    wrenches: Array  # (n, 6 k) [moment; force] there, node axes
    rate_linear: bool = False  # whether terms of second order in the speeds are left out
    field: bool = False  # whether a field of gravity acts, whose resultants are among the wrenches


class MotionRows(NamedTuple):
    """Motion of a body in n rows, body axes; `linear` is its acceleration less gravity."""

    eta: Array
    eta_dot: Array
    eta_ddot: Array
    omega: Array
    angular: Array
    linear: Array


def loads_of(system: System, i: int, sections: Sections, at: Array, rows: LoadedStates) -> Array:
    """Loads N, Q_y, Q_z, T, M_y, M_z of sections, (n, p, 6), section axes.

    `at` (p,): which of them.
    """
    if not sections.by_balance:
        return sections.elastic_loads(at, rows.q[:, system.layout.modal_q(i)])
    check_no_field(system.names[i], rows)
    if sections.body.line is None:
        return _of_frame(system, i, sections, at.astype(int), rows)
    sections.check_balance()
    return _of_beam(system, i, sections.axis, at, rows)


def check_no_field(name: str, rows: LoadedStates) -> None:
    """Reject rows in which a field of gravity acts, of which only the resultants are known."""
    if rows.field:
        raise StateError(
            f"body {name!r}: its section loads follow from all that acts along it, and in this run "
            "a field of gravity does (CentralGravity, GravityGradient), of which results have the "
            "resultant only; make it with ls.rod, whose section loads follow from its strains"
        )


def _of_frame(system: System, i: int, sections: Sections, at: Array, rows: LoadedStates) -> Array:
    """Loads of stations of a frame, by (1) and (2) of `bodies.balance`.

    `at` (p,): stations.
    """
    assert sections.stations is not None
    assert sections.stations.balance is not None
    body, balance, motion = system.bodies[i], sections.stations.balance, _motion(system, i, rows)
    nodes, wrenches = node_wrenches(system, i, rows)
    numbers = {int(node): k for k, node in enumerate(balance.nodes)}
    sections.check_nodes(nodes, numbers)
    for k, node in enumerate(nodes):
        wrenches[:, k] = at_node(body, node, wrenches[:, k], motion.eta)
    fields = _fields(body, motion)
    columns = [numbers[int(node)] for node in nodes]
    loads = np.einsum("pckw,nkw->npc", balance.wrenches[at][:, :, columns], wrenches, optimize=True)
    loads -= np.einsum("pcfk,nfk->npc", balance.inertia[at], fields, optimize=True)
    if body.second_order is None:
        return loads
    rates = rows.v[:, system.layout.modal_v(i)]
    force = np.einsum("kwm,nkw->nm", body.node_shapes[nodes], wrenches)
    force -= modal_forces(body.integrals, fields) + rates @ body.damping.T
    return loads + sections.elastic_loads(at, motion.eta - force / body.stiffness)


def _fields(body: NormalBody, motion: MotionRows) -> Array:
    """Accelerations of the mass of a body, see `bodies.balance`; at some levels undeformed."""
    moved, speed = motion.eta, motion.eta_dot
    if body.level in LINEARISED:
        moved = speed = np.zeros_like(moved)
    others = motion.eta_ddot, motion.omega, motion.angular, motion.linear
    return accelerations(moved, speed, *others)


def _of_beam(system: System, i: int, axis: BeamAxis, at: Array, rows: LoadedStates) -> Array:
    """Loads of sections of a beam, by equilibrium.

    `at` (p,): distances of the sections from the root [m].  A load on a node there is included.
    """
    body, motion = system.bodies[i], _motion(system, i, rows)
    nodes, wrenches = node_wrenches(system, i, rows)
    reach = (body.node_positions[nodes] @ axis.direction) / axis.length
    fractions = at / axis.length
    turns, points = _sections(axis, fractions, motion.eta)
    rest = fractions[:, None] * axis.length * axis.direction
    loads = np.empty((len(rows.q), len(at), 6))
    for k, fraction in enumerate(fractions):
        outer = wrenches[:, reach >= fraction - _NEAR].sum(axis=1)
        inertia = inertial_wrench(body, axis.beyond(float(fraction)), motion)
        about = rest[None, k] if body.level in LINEARISED else points[:, k]
        total = _moved(outer, points[:, k]) - _moved(inertia, about)
        back = turns[:, k] * [1, -1, -1, -1]
        for part in (slice(3), slice(3, 6)):
            loads[:, k, part] = rotated(back, total[:, part]) @ axis.axes
    return loads[..., _ORDER]


def at_node(body: NormalBody, node: int, wrench: Array, eta: Array) -> Array:
    """[moment about a node where it is now; force] from that about the origin, (n, 6).

    `wrench` (n, 6): about the origin of the body, body axes; `eta` (n, m): modal coordinates.
    """
    return _moved(wrench, body.node_positions[node] + body.displaced(node, eta)[:, 3:])


def _moved(wrench: Array, point: Array) -> Array:
    """[moment about a point; force] from that about the origin, (n, 6)."""
    moment = wrench[:, :3] - np.cross(point, wrench[:, 3:])
    return np.concatenate([moment, wrench[:, 3:]], axis=1)


def _sections(axis: BeamAxis, fractions: Array, eta: Array) -> tuple[Array, Array]:
    """Quaternions (n, p, 4) and points (n, p, 3) of deformed sections, body axes."""
    moved = np.einsum("pcm,nm->npc", axis.shapes(fractions), eta)
    if axis.body.second_order is not None:
        S = axis.second_shapes(fractions)
        moved = moved + np.einsum("pcij,ni,nj->npc", S, eta, eta) / 2
    rest = fractions[:, None] * axis.length * axis.direction
    turns = exponential(moved[..., :3].reshape(-1, 3)).reshape(*moved.shape[:2], 4)
    return turns, rest + moved[..., 3:]


def _motion(system: System, i: int, rows: LoadedStates) -> MotionRows:
    """Motion of the frame of a body and of its modes."""
    node, layout = system.bodies[i].inboard, system.layout

    def frame(x: Array, flags: int) -> tuple[Array, Array]:
        turn, _, acceleration = engine.frame_motion_rows(system, i, node, rows.q, rows.v, x, flags)
        return turn, acceleration

    flags = field.ACCELERATED | (0 if rows.rate_linear else field.RATES)
    turn, change = frame(rows.acceleration, flags)
    velocity = frame(rows.v, field.ACCELERATED)[1]
    speed = 0.0 if rows.rate_linear else 1.0
    angular = [np.einsum("nji,nj->ni", turn, x) for x in (velocity[:, :3], change[:, :3])]
    felt = np.einsum("nji,nj->ni", turn, change[:, 3:] - system.gravity)
    eta_dot, eta_ddot = (x[:, layout.modal_v(i)] for x in (rows.v, rows.acceleration))
    eta = rows.q[:, layout.modal_q(i)]
    return MotionRows(eta, speed * eta_dot, eta_ddot, speed * angular[0], angular[1], felt)


def node_wrenches(system: System, i: int, rows: LoadedStates) -> tuple[Array, Array]:
    """Nodes (k,) of a body on which something acts, and wrenches (n, k, 6) of loads and children.

    They are [moment about the origin of the body; force], in body axes; the joint of the body
    itself is left out.
    """
    turn, origin = _pose(system, i, system.bodies[i].inboard, rows.q)
    nodes, wrenches = [], []

    def add(node: int, pose: tuple[Array, Array], wrench: Array) -> None:
        relative = np.swapaxes(turn, 1, 2) @ pose[0]
        arm = np.einsum("nji,nj->ni", turn, pose[1] - origin)
        moment, force = (np.einsum("nij,nj->ni", relative, x) for x in np.split(wrench, 2, axis=1))
        nodes.append(node)
        wrenches.append(np.concatenate([moment + np.cross(arm, force), force], axis=1))

    for k, (body, node) in enumerate(rows.places):
        if body == i:
            add(node, _pose(system, i, node, rows.q), rows.wrenches[:, 6 * k : 6 * k + 6])
    for child in system.children[i]:
        pose = _pose(system, child, system.bodies[child].inboard, rows.q)
        add(int(system.parent_node[child]), pose, -rows.reactions[:, child])
    stacked = np.stack(wrenches, axis=1) if wrenches else np.zeros((len(rows.q), 0, 6))
    return np.array(nodes, dtype=int), stacked


def _pose(system: System, i: int, node: int, q: Array) -> tuple[Array, Array]:
    return engine.pose_rows(system, Frame(system.names[i], i, node, plain=True), q)


def inertial_wrench(body: NormalBody, part: OutboardMass, motion: MotionRows) -> Array:
    """Rate of momentum less gravity of a part of a body, [moment; force] (n, 6).

    About the origin of the body and in its axes; the last terms of (1).
    """
    I, eta, eta_dot, omega = part.integrals, motion.eta, motion.eta_dot, motion.omega
    if body.level in LINEARISED:
        eta = eta_dot = np.zeros_like(eta)
    s = I.modal_first_moment + np.zeros((len(eta), 1, 1))
    h = I.modal_second_moment + np.einsum("ni,klij->nklj", eta, I.modal_products)
    p = I.first_moment + eta @ I.modal_first_moment.T
    L = I.second_moment + np.einsum("lkm,nm->nkl", I.modal_second_moment, eta)
    L = L + np.einsum("nklm,nm->nkl", h, eta)
    bend = np.zeros((len(eta), 6))
    if part.first_moment is not None and part.second_moment is not None:
        sigma, Z = part.first_moment, part.second_moment
        half = np.einsum("klij,ni,nj->nkl", Z, eta, eta) / 2
        p = p + np.einsum("kij,ni,nj->nk", sigma, eta, eta) / 2
        L = L + half + np.swapaxes(half, 1, 2)
        s, h = s + np.einsum("kij,ni->nkj", sigma, eta), h + np.einsum("klij,ni->nklj", Z, eta)
        bend[:, :3] = _axial(np.einsum("klij,ni,nj->nkl", Z, eta_dot, eta_dot))
        bend[:, 3:] = np.einsum("kij,ni,nj->nk", sigma, eta_dot, eta_dot)
    Q, H = (np.einsum("nklm,nm->nkl", h, x) for x in (eta_dot, motion.eta_ddot))
    along = np.einsum("nkm,nm->nk", s, eta_dot)
    J_omega, J_angular = (_of_inertia(L, x) for x in (omega, motion.angular))
    moment = J_angular + np.cross(p, motion.linear) + _axial(H)
    moment += np.cross(omega, J_omega)
    moment += 2 * (np.einsum("nkk->n", Q)[:, None] * omega - np.einsum("nlk,nl->nk", Q, omega))
    force = np.cross(motion.angular, p) + I.mass * motion.linear
    force += np.einsum("nkm,nm->nk", s, motion.eta_ddot)
    force += np.cross(omega, np.cross(omega, p)) + 2 * np.cross(omega, along)
    return np.concatenate([moment, force], axis=1) + bend


def _of_inertia(L: Array, x: Array) -> Array:
    """(tr(L) I - L) x."""
    return np.einsum("nkk->n", L)[:, None] * x - np.einsum("nkl,nl->nk", L, x)


def _axial(T: Array) -> Array:
    """Vectors of the antisymmetric parts of tensors, doubled."""
    pairs = ((1, 2), (2, 0), (0, 1))
    return np.stack([T[:, a, b] - T[:, b, a] for a, b in pairs], axis=1)
