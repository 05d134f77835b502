"""Pairs of shapes in contact: samples of all, and their kernels called with arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from lissom import shapes
from lissom.kernels import compiling
from lissom.kernels.contact import witness as contact
from lissom.kernels.contact.pairs import pair_number, pair_witness
from lissom.kernels.small import add, dot, matrix, product, scaled, turn, vector

Array = np.ndarray

# Constants of the law and of the friction below
STIFFNESS, DISSIPATION, FRICTION, SLOW, SPIN = 3e5, 0.2, 0.4, 0.05, 0.01


class Sample(NamedTuple):
    """Two shapes, and about where the first is in axes of the second."""

    a: Any
    b: Any
    at: tuple[float, float, float]
    turned: tuple[float, float, float]  # rotation vector
    depth: float | None = 0.01  # to which the first is moved along the normal
    step: float = 1e-4  # of differences


def cam(orientation: int = 1) -> shapes.Curve:
    """Closed curve with a convex and a concave part."""
    s = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    lift = 1 + 0.2 * np.cos(s) + 0.05 * np.cos(3 * s)
    return shapes.Curve(np.column_stack([lift * np.cos(s), lift * np.sin(s)])[::orientation])


def hills() -> shapes.HeightField:
    """Field of waves."""
    x, y = np.linspace(-2, 2, 25), np.linspace(-1.5, 2.5, 31)
    return shapes.HeightField(x, y, 0.2 * np.outer(np.sin(1.3 * x), np.cos(y)))


BALL, BLOCK = shapes.Sphere(0.2), shapes.Box((1.1, 0.9, 0.7), rounding=0.05)
SHARP, CRATE = shapes.Box((1.1, 0.9, 0.7)), shapes.Box((0.8, 1.2, 0.6), rounding=0.1)
TURN, ACROSS = (0.9, -0.4, 0.2), (0.2, 2.3, 0.15)
DRUM, CAN = shapes.Cylinder(0.5, 0.8, rim=0.04), shapes.Cylinder(0.5, 0.8)
ROD = shapes.Capsule(0.1, 1.0)
GROUND = shapes.HalfSpace((1, 2, 3))
UP = np.array([1, 2, 3]) / np.sqrt(14)

SAMPLES = {
    "point, half space": Sample(shapes.Sphere(0), GROUND, (0.1, 0.2, -0.171), TURN),
    "sphere, half space": Sample(BALL, GROUND, tuple(0.19 * UP), TURN),
    "capsule, half space": Sample(ROD, GROUND, tuple(0.5 * UP), TURN),
    "box, half space": Sample(BLOCK, GROUND, tuple(0.7 * UP), TURN),
    "sharp box, half space": Sample(SHARP, GROUND, tuple(0.7 * UP), TURN),
    "rim, half space": Sample(DRUM, GROUND, tuple(0.6 * UP), TURN),
    "sharp rim, half space": Sample(CAN, GROUND, tuple(0.6 * UP), TURN),
    "disk, half space": Sample(shapes.Cylinder(0.5, 0), GROUND, tuple(0.4 * UP), TURN),
    "two spheres": Sample(BALL, shapes.Sphere(0.5), (0.3, 0.4, 0.48), TURN),
    "point, sphere": Sample(shapes.Sphere(0), shapes.Sphere(0.5), (0.2, 0.1, 0.44), TURN),
    "ball, side of a capsule": Sample(BALL, ROD, (0.2, 0.21, 0.3), TURN),
    "ball, end of a capsule": Sample(BALL, ROD, (0.1, 0.05, 0.77), TURN),
    "crossed capsules": Sample(ROD, shapes.Capsule(0.15, 2.0), (0.1, 0.22, 0.1), (1.2, 0.3, 0)),
    "end of a capsule on a side": Sample(ROD, ROD, (0.31, 0.3, 0.1), (0.3, 0.9, 0.1)),
    "ends of capsules": Sample(ROD, ROD, (0.05, 0.12, 1.16), (0.1, 0.2, 0.1)),
    "ball, face of a box": Sample(BALL, BLOCK, (0.1, 0.6445, 0.1), TURN),
    "ball, edge of a box": Sample(BALL, BLOCK, (0.67, 0.1, 0.46), TURN),
    "ball, corner of a box": Sample(BALL, BLOCK, (0.63, 0.53, 0.43), TURN),
    "ball, sharp edge": Sample(BALL, SHARP, (0.67, 0.1, 0.46), TURN),
    "ball, sharp corner": Sample(BALL, SHARP, (0.63, 0.53, 0.43), TURN),
    "ball, inside of a box": Sample(BALL, SHARP, (0.1, 0.42, 0.1), TURN, None),
    "capsule, edge of a box": Sample(ROD, BLOCK, (0.61, 0.02, 0.41), ACROSS),
    "capsule, sharp edge": Sample(ROD, SHARP, (0.62, 0.02, 0.42), ACROSS),
    "end of a capsule, face": Sample(ROD, BLOCK, (0.1, 0.1, 0.85), (0.3, 0.35, 0.2)),
    "capsule, corner of a box": Sample(ROD, BLOCK, (0.57, 0.48, 0.36), (0.75, -0.75, 0.2)),
    "corner of a box, face of a box": Sample(BLOCK, CRATE, (0.05, 0.1, 1.0), (0.7, 0.6, 0.2)),
    "crossed edges of boxes": Sample(BLOCK, CRATE, (0.85, 0.05, 0.85), (0.65, 0.72, -0.2)),
    "sharp corner of a box, face": Sample(SHARP, CRATE, (0.05, 0.1, 0.9), (0.7, 0.6, 0.2)),
    "ball, side of a cylinder": Sample(BALL, DRUM, (0.5, 0.48, 0.1), TURN),
    "ball, end of a cylinder": Sample(BALL, DRUM, (0.3, 0.1, -0.59), TURN),
    "ball, rim of a cylinder": Sample(BALL, DRUM, (0.5, 0.35, 0.5), TURN),
    "ball, sharp rim": Sample(BALL, CAN, (0.5, 0.35, 0.5), TURN),
    "ball, inside of a cylinder": Sample(BALL, CAN, (0.3, 0.35, 0.1), TURN, None),
    "ball in a shell": Sample(BALL, shapes.Shell(0.3), (0.06, 0.05, 0.08), TURN),
    "pin in a bore": Sample(BALL, shapes.Bore(0.21), (0.011, 0.003, 0.3), TURN, 0.001, 1e-5),
    "roller on a cam": Sample(BALL, cam(), (1.06, 0.86, 0.05), TURN),
    "roller on a concave part": Sample(BALL, cam(), (-0.88, 0.42, 0.05), TURN),
    "roller in a hole": Sample(BALL, cam(-1), (0.72, 0.62, 0.05), TURN),
    "ball on hills": Sample(shapes.Sphere(0.3), hills(), (0.4, 0.3, 0.39), TURN),
    "ball in a valley": Sample(shapes.Sphere(0.3), hills(), (-1.1, 0.2, 0.1), TURN),
}


def placed(sample: Sample, seed: int = 0) -> Array:
    """Slots of both shapes (36,): attitude, position, angular and linear velocity in the world."""
    rng = np.random.default_rng(seed)
    R_b, p_b = Rotation.from_rotvec(rng.normal(size=3)).as_matrix(), rng.normal(size=3)
    R_a = R_b @ Rotation.from_rotvec(sample.turned).as_matrix()
    p_a = p_b + R_b @ sample.at
    rates = 0.3 * rng.normal(size=(2, 6))
    slots = np.array([*R_a.flat, *p_a, *rates[0], *R_b.flat, *p_b, *rates[1]])
    if sample.depth is not None:
        witness = PairKernels(sample.a, sample.b).witness(slots)
        slots[9:12] -= (witness["g"] + sample.depth) * witness["n"]
    return slots


def moved(slots: Array, motion: Array, h: float) -> Array:
    """Slots after h times small motions (24,): turn, shift, changes of both velocities of each."""
    pieces = []
    for slot, small in zip(slots.reshape(2, 18), motion.reshape(2, 12), strict=True):
        R = Rotation.from_rotvec(h * small[:3]).as_matrix() @ slot[:9].reshape(3, 3)
        pieces += [R.ravel(), slot[9:] + h * small[3:]]
    return np.concatenate(pieces)


def slope(function: Any, slots: Array, motion: Array, h: float) -> Array:
    """Derivative of a function of slots along a motion: Richardson's differences, O(h^4)."""
    coarse, fine = (
        (function(moved(slots, motion, z)) - function(moved(slots, motion, -z))) / (2 * z)
        for z in (h, h / 2)
    )
    return (4 * fine - coarse) / 3


def kernel(function: Any) -> Any:
    """Function that calls kernels, compiled where they are."""
    if compiling.PLAIN or compiling.LIBRARY is not None:
        return function
    import numba

    return numba.njit(function, error_model="numpy")


@compiling.jit
def _poses(work, o, table, s):
    """Slot at work[o:], and the pose of a shape whose place in the slot is at table[s:]."""
    slot = contact.slot_motion(work, o)
    R = product(slot[0], matrix(table, s))
    return slot, R, add(slot[1], turn(slot[0], vector(table, s + 9)))


@compiling.jit
def _law(witness, slot_a, slot_b):
    """Normal force with its slopes, friction, and moment of spin, of laws of this file."""
    _x, _v, rate, slip, turning = contact.contact_motion(witness, slot_a, slot_b)
    depth = max(-witness[0], 0.0)
    grow = 1.0 - DISSIPATION * rate
    N = STIFFNESS * depth**1.5 * grow
    m = FRICTION / (SLOW * SLOW + dot(slip, slip)) ** 0.5
    spin = dot(turning, witness[1])
    return N, 1.5 * STIFFNESS * depth**0.5 * grow, m, spin, slip, turning


@kernel
def _witness(number, table, s_a, s_b, work, out):
    _slot_a, R_a, p_a = _poses(work, 0, table, s_a)
    _slot_b, R_b, p_b = _poses(work, 18, table, s_b)
    w = pair_witness(number, table, s_a + 12, s_b + 12, R_a, p_a, R_b, p_b)
    out[0] = w[0]
    for j in range(3):
        out[1 + j], out[4 + j], out[7 + j] = w[1][j], w[2][j], w[3][j]
        out[10 + j], out[13 + j], out[16 + j], out[19 + j] = w[4][j], w[5][j], w[6][j], w[7][j]
    return contact.is_singular(w)


@kernel
def _change(number, table, s_a, s_b, work, motion, out):
    slot_a, R_a, p_a = _poses(work, 0, table, s_a)
    slot_b, R_b, p_b = _poses(work, 18, table, s_b)
    w = pair_witness(number, table, s_a + 12, s_b + 12, R_a, p_a, R_b, p_b)
    small_a, small_b = contact.small_motion(motion, 0), contact.small_motion(motion, 12)
    dg, dn, x_a, x_b = contact.witness_change(w, slot_a, slot_b, small_a, small_b)
    change = contact.contact_motion_change(w, slot_a, slot_b, small_a, small_b)
    out[0], out[10] = dg, change[3]
    for j in range(3):
        out[1 + j], out[4 + j], out[7 + j], out[11 + j] = dn[j], x_a[j], x_b[j], change[4][j]


@kernel
def _motion(number, table, s_a, s_b, work, out):
    slot_a, R_a, p_a = _poses(work, 0, table, s_a)
    slot_b, R_b, p_b = _poses(work, 18, table, s_b)
    w = pair_witness(number, table, s_a + 12, s_b + 12, R_a, p_a, R_b, p_b)
    _x, _v, rate, slip, _turning = contact.contact_motion(w, slot_a, slot_b)
    out[0] = rate
    for j in range(3):
        out[1 + j] = slip[j]


@kernel
def _wrench(number, table, s_a, s_b, work, out):
    slot_a, R_a, p_a = _poses(work, 0, table, s_a)
    slot_b, R_b, p_b = _poses(work, 18, table, s_b)
    w = pair_witness(number, table, s_a + 12, s_b + 12, R_a, p_a, R_b, p_b)
    N, _slope, m, spin, slip, _turning = _law(w, slot_a, slot_b)
    F, M = scaled(-N * m, slip), scaled(-SPIN * N * spin, w[1])
    wrenches = contact.contact_force(w, slot_a, slot_b, N, F, M)
    for j in range(3):
        out[j], out[3 + j], out[6 + j], out[9 + j] = (
            wrenches[0][j], wrenches[1][j], wrenches[2][j], wrenches[3][j]
        )  # fmt: skip


@kernel
def _wrench_change(number, table, s_a, s_b, work, motion, out):
    slot_a, R_a, p_a = _poses(work, 0, table, s_a)
    slot_b, R_b, p_b = _poses(work, 18, table, s_b)
    w = pair_witness(number, table, s_a + 12, s_b + 12, R_a, p_a, R_b, p_b)
    small_a, small_b = contact.small_motion(motion, 0), contact.small_motion(motion, 12)
    N, slope, m, spin, slip, turning = _law(w, slot_a, slot_b)
    change = contact.contact_motion_change(w, slot_a, slot_b, small_a, small_b)
    dg, dn, dx, d_rate, d_slip, d_turning = change
    dN = -slope * dg - DISSIPATION * STIFFNESS * max(-w[0], 0.0) ** 1.5 * d_rate
    dm = -m * dot(slip, d_slip) / (SLOW * SLOW + dot(slip, slip))
    d_spin = dot(d_turning, w[1]) + dot(turning, dn)
    F, M = scaled(-N * m, slip), scaled(-SPIN * N * spin, w[1])
    dF = add(scaled(-dN * m - N * dm, slip), scaled(-N * m, d_slip))
    dM = add(scaled(-SPIN * (dN * spin + N * d_spin), w[1]), scaled(-SPIN * N * spin, dn))
    changes = contact.contact_change(
        w, slot_a, slot_b, small_a, small_b, dn, dx, N, F, M, dN, dF, dM
    )
    for j in range(3):
        out[j], out[3 + j], out[6 + j], out[9 + j] = (
            changes[0][j], changes[1][j], changes[2][j], changes[3][j]
        )  # fmt: skip


class PairKernels:
    """Kernels of the pair of two shapes, with arrays in place of tuples."""

    def __init__(self, a: Any, b: Any) -> None:
        number = pair_number(a.kind, b.kind)
        assert number is not None and not number[1]
        table = [*a.rotation.flat, *a.at, *a.numbers, *b.rotation.flat, *b.at, *b.numbers]
        self.head = number[0], np.array(table), 0, 12 + len(a.numbers)

    def _call(self, function: Any, size: int, *arrays: Array) -> Array:
        out = np.zeros(size)
        function(*self.head, *arrays, out)
        return out

    def witness(self, slots: Array) -> dict[str, Any]:
        """Witness by name, and whether it is singular."""
        out = np.zeros(22)
        singular = _witness(*self.head, slots, out)
        names = "n", "x_a", "x_b", "t", "u", "S_a", "S_b"
        pieces = dict(zip(names, out[1:].reshape(7, 3), strict=True))
        return {"g": out[0], **pieces, "singular": singular}

    def numbers(self, slots: Array) -> Array:
        """Gap, normal and both points (10,)."""
        out = np.zeros(22)
        _witness(*self.head, slots, out)
        return out[:10]

    def change(self, slots: Array, motion: Array) -> Array:
        """Changes of gap, normal, both points, rate of the gap and slip (14,)."""
        return self._call(_change, 14, slots, motion)

    def motion(self, slots: Array) -> Array:
        """Rate of the gap and slip (4,)."""
        return self._call(_motion, 4, slots)

    def wrench(self, slots: Array) -> Array:
        """Moment and force on a and on b, in their axes (12,)."""
        return self._call(_wrench, 12, slots)

    def wrench_change(self, slots: Array, motion: Array) -> Array:
        """Their changes, seen in these axes and written along those of the world (12,)."""
        return self._call(_wrench_change, 12, slots, motion)
