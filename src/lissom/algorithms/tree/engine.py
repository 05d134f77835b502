"""Compiled algorithms as functions of a system and vectors.

Each thread has a separate workspace for each system, so that concurrent calls do not interfere.  A
call allocates nothing but its result.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import SingularError, StateError
from ...kernels import entries, fields as field, quantities
from ...kernels.compiling import plain
from ...kernels.layout.derivatives import DerivativesHeader
from ...kernels.layout.loops import LoopRow, LoopsHeader
from ...kernels.quantities import (
    ACCELERATIONS,
    COUNTED,
    FORWARD,
    FRAME,
    INVERSE,
    POSE,
    TOTALS,
    Quantity,
)
from ...kernels.records import closure_record, hinge_record
from ...kernels.tree import path
from ...system import GROUND, Frame, System
from ...system.state import check_finite
from ..loops.checks import check_closed
from ..loops.couplings import transmitted_forces
from . import reference
from .derivative_packing import derivative_plan
from .node_packing import node_numbers
from .packing import Packed, pack
from .reference import Armature, External
from .threads import in_threads

Array = np.ndarray

ALL, NOTHING = quantities.ALL, np.zeros(0)
RATE_LINEAR = field.GRAVITY | field.ELASTIC  # the damping of modes is among the elastic terms


class RowError(Exception):
    """Failure of a kernel at a row of a batch."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


class Workspace:
    """Workspace of one thread for one system, with the armature and external forces of a call."""

    def __init__(self, system: System, packed: Packed) -> None:
        self.packed = packed
        self.system = system
        self.scratch = packed.start.copy()
        self.call = (packed.ints, packed.floats, self.scratch)
        self.zero = np.zeros(system.n_v)
        self.composite = chosen_method(system) == "composite"
        self._flexible = bool(np.any(packed.rows.level != field.RIGID))
        self._prepare()

    def kernel(self, entry: Any) -> Any:
        """Compiled kernel that raises the errors of users' own joints."""
        return self.packed.own_joints.guard(entry.load())

    def _prepare(self) -> None:
        if self._flexible:
            entries.PREPARE.load()(self.packed.ints, self.scratch)

    @cached_property
    def mass(self) -> Array:
        """Buffer for a mass matrix, two vectors and rows of constraints, allocated on first use."""
        return np.zeros((self.system.n_v + 2 + self.system.n_constraint, self.system.n_v))

    @cached_property
    def derivatives(self) -> tuple[Array, Array, Array]:
        """Plan and workspaces of the derivatives, allocated on first use."""
        plan = derivative_plan(self.system, self.packed)
        header = DerivativesHeader(plan, 0)
        index = np.zeros(header.stack_width + 1, dtype=np.int64)
        return plan, np.zeros(header.n_work), index

    def accelerations(
        self,
        rows: tuple[Array, Array, Array, Array],
        composite: bool,
        floor: float,
        flags: int,
        start: int,
        stop: int,
    ) -> int:
        """Forward dynamics of states start to stop; returns the state that failed, or -1.

        Rows are q, v, forces and the result in flat arrays.  With a floor above LEAST, states that
        are ill-conditioned for the composite method are solved by articulated bodies.
        """
        system, dense = self.call, self.kernel(entries.COMPOSITE) if composite else None
        while dense is not None:
            failed = dense(*system, *rows, self.mass, floor, flags, start, stop)
            if failed < 0 or floor <= LEAST:
                return int(failed)
            if self._articulated(rows, flags, failed, failed + 1) >= 0:
                return int(failed)
            start = failed + 1
        return self._articulated(rows, flags, start, stop)

    def _articulated(self, rows: tuple[Array, ...], flags: int, start: int, stop: int) -> int:
        n = len(self.zero)
        out = rows[3].reshape(-1, n) if n else np.empty((stop, 0))
        return self._rows(FORWARD, *rows[:3], NOTHING, out, flags, start, stop)

    def evaluate(
        self,
        quantity: Quantity,
        vectors: tuple[Array, Array, Array],
        place: Array,
        out: Array,
        start: int,
        stop: int,
        flags: int | None = None,
    ) -> int:
        """Quantity of states start to stop; returns the state that failed, or -1.

        q, v and x of the states in flat arrays, v and x also of one state for all; `out`: results
        of all states, on entry zero.  Accelerations are those of ``method="auto"``.
        """
        terms = quantity.flags if flags is None else flags
        if self.composite and quantity.name == ACCELERATIONS.name:
            flat = (*vectors, out.ravel())
            return self.accelerations(flat, True, CAREFUL, terms, start, stop)
        if out.ndim != 2 or len(quantity.gives) == 2:
            out = out.reshape(math.prod(out.shape[:-1]), out.shape[-1])
        return self._rows(quantity, *vectors, place, out, terms, start, stop)

    def _rows(self, quantity: Quantity, *arguments: Any) -> int:
        return int(self.kernel(quantity.rows)(*self.call, *arguments))

    def set_armature(self, armature: Armature | None) -> None:
        """Set the inertia added to the modes and hinges; None removes it."""
        scratch = self.scratch
        scratch[field.ARMATURE] = armature is not None or bool(self.system.constraints)
        for i, row in enumerate(self.packed.rows):
            m, r, f = row.n_mode, row.hinge_dof, row.modal
            a_f, a_r = (np.zeros(m), np.zeros((r, r))) if armature is None else armature[i]
            block = plain(hinge_record)(row.hinge, r).armature
            scratch[block : block + r * r] = a_r.ravel()
            if row.level != field.RIGID:
                scratch[f : f + m] = a_f if row.dense else 1 / (1 + a_f)
        self._prepare()

    def set_external(self, external: External) -> None:
        """Set the spatial forces on nodes; an empty list removes them."""
        pieces: list[Array] = []
        for i, node, wrench in external:
            pieces += [np.array([float(i)]), wrench]
            if self.packed.rows[i].level != field.RIGID:
                pieces.append(node_constants(self.system, i, node)[1:])
        start, n = len(self.packed.start), sum(map(len, pieces))
        if start + n > len(self.scratch):
            self.scratch = np.concatenate([self.scratch[:start], np.zeros(n)])
            self.call = (self.packed.ints, self.packed.floats, self.scratch)
        if n:
            self.scratch[start : start + n] = np.concatenate(pieces)
        self.scratch[field.N_EXTERNAL] = len(external)


class _PerThread(threading.local):
    """Workspace of a thread."""

    workspace: Workspace | None = None


def _packed(system: System) -> tuple[Packed, _PerThread]:
    cached = system.derived.get("kernels")
    if cached is None:
        cached = system.derived.setdefault("kernels", (pack(system), _PerThread()))
    return cached


def packed_constants(system: System) -> Packed:
    """Constants of a system for the kernels, packed once."""
    return _packed(system)[0]


def workspace(system: System) -> Workspace:
    """Workspace of this thread for a system, without armature and external forces."""
    packed, per_thread = _packed(system)
    if per_thread.workspace is None:
        per_thread.workspace = Workspace(system, packed)
    return per_thread.workspace


def _kernel(system: System, entry: Any) -> Any:
    return _packed(system)[0].own_joints.guard(entry.load())


def workspace_size(system: System) -> int:
    """Size of a workspace: linear in bodies and modes, quadratic in modes of bodies with lumps."""
    return len(_packed(system)[0].start)


class _Loaded:
    """Context manager: workspace with the armature and external forces of one call."""

    def __init__(self, system: System, external: External, armature: Armature | None) -> None:
        self.workspace = workspace(system)
        self.external, self.armature = external, armature

    def __enter__(self) -> Workspace:
        if self.armature is not None:
            self.workspace.set_armature(self.armature)
        if self.external:
            self.workspace.set_external(self.external)
        return self.workspace

    def __exit__(self, *_: Any) -> None:
        if self.armature is not None:
            self.workspace.set_armature(None)
        if self.external:
            self.workspace.set_external(())


# What the composite method saves at a flexible body that carries others, and what it costs more for
# each mode of such a body and for each pair of speeds [ns]; `benchmarks.crossover` shows the fit.
_SAVED, _PER_MODE, _PER_PAIR = 560.0, 66.0, 3.7

# Number of speeds above which a pivot of the mass matrix is likely to be small, see CAREFUL.
_MOST_SPEEDS = 12

# Fraction of a diagonal entry of the mass matrix; a smaller pivot costs too many digits, and "auto"
# then uses articulated bodies.
CAREFUL, LEAST = 1e-3, 1e-14


def chosen_method(system: System) -> str:
    """Method selected by ``method="auto"``: "articulated" or "composite".

    Articulated bodies are faster for rigid and for large systems.  The dense matrix is faster for
    small systems whose links have one or two modes each: the compliance step costs the same for
    any number of modes.
    """
    if system.constraints:  # faster from a four-bar to the largest platform measured
        return "articulated"
    rows = _packed(system)[0].rows
    n_modes = rows.n_mode[(rows.level != field.RIGID) & (rows.carries != 0)]
    saved = _SAVED * len(n_modes) - _PER_MODE * n_modes.sum()
    small = system.n_v <= _MOST_SPEEDS
    return "composite" if small and saved > _PER_PAIR * system.n_v**2 else "articulated"


def value(
    system: System,
    quantity: Quantity,
    q: Array,
    v: Array | None = None,
    x: Array | None = None,
    place: Array = NOTHING,
    *,
    external: External = (),
    name: str = "",
) -> Array:
    """Quantity of one state, for a frame of the constants `place` and a name, if it is of one."""
    out, zero = np.zeros(quantity.shape(system.n_v)), workspace(system).zero
    vectors = (q, zero if v is None else v, zero if x is None else x)
    with _Loaded(system, external, None) as work:
        failed = work.evaluate(quantity, vectors, place, out, 0, 1)
    if failed >= 0:
        for letter, vector, what in zip(quantity.takes, vectors, _WORDS, strict=True):
            if letter != "0":
                check_finite(vector, what, system)
        raise StateError(quantity.failure.format(place=name))
    return out


_WORDS = ("q", "v", "acceleration")


def rows(
    system: System,
    quantity: Quantity,
    Q: Array,
    V: Array | None = None,
    X: Array | None = None,
    place: Array = NOTHING,
    *,
    flags: int | None = None,
    out: Array | None = None,
    threads: int = 1,
) -> Array:
    """Quantity of many states, or of one speed or x for all; RowError at the first failure."""
    if out is None:
        out = np.zeros((len(Q), *quantity.shape(system.n_v)))
    zero = workspace(system).zero
    vectors = (Q.ravel(), zero if V is None else V.ravel(), zero if X is None else X.ravel())

    def call(start: int, stop: int) -> int:
        return workspace(system).evaluate(quantity, vectors, place, out, start, stop, flags)

    for failed in in_threads(len(Q), threads, call):
        if failed >= 0:
            raise RowError(failed)
    return out


def forward_dynamics(
    system: System,
    q: Array,
    v: Array,
    forces: Array,
    external: External = (),
    armature: Armature | None = None,
    *,
    composite: bool = False,
    floor: float = LEAST,
    flags: int = ALL,
    out: Array | None = None,
) -> Array:
    """Accelerations under forces; with flags = 0 the product (M + armature)^-1 @ forces."""
    result = np.empty(system.n_v) if out is None else out
    with _Loaded(system, external, armature) as work:
        failed = work.accelerations((q, v, forces, result), composite, floor, flags, 0, 1)
    if failed >= 0:
        _explain(system, q, v, forces, armature, flags)
    return result


def _explain(
    system: System,
    q: Array,
    v: Array,
    forces: Array,
    armature: Armature | None,
    flags: int,
) -> None:
    """Raise a detailed error for a state at which the kernels failed."""
    check_finite(q, "q", system)
    check_finite(v, "v", system)
    check_finite(forces, "forces", system)
    if flags & field.RATES and not flags & field.TREE:
        check_closed(system, q, v)
    with np.errstate(all="ignore"):
        motions = reference.kinematics_base_to_tip(
            system, q, v if flags & field.RATES else np.zeros(system.n_v)
        )
        reference.articulate_tip_to_base(system, motions, armature)
    raise SingularError(FORWARD.failure)


def loop_forces(
    system: System, q: Array, v: Array, forces: Array, external: External = ()
) -> Array:
    """Wrenches [moment; force] on end b of each loop, (n_loop, 6) in the axes of its frame b."""
    lam = _multipliers(system, q, v, forces, external)
    scratch, ints = workspace(system).scratch, _packed(system)[0].ints
    start = LoopsHeader(ints, ints[field.LOOPS]).loop_rows
    wrenches = np.zeros((len(system.loops), 6))
    for k, wrench in enumerate(wrenches):
        loop = LoopRow(ints, start, k)
        P = scratch[loop.state : loop.state + 6 * loop.n].reshape(loop.n, 6)
        wrench[:] = lam[loop.first : loop.first + loop.n] @ P
    return wrenches


def coupling_forces(
    system: System, q: Array, v: Array, forces: Array, external: External = ()
) -> Array:
    """Forces of the couplings (n_coupling,): a hinge receives its ratio times the force."""
    return transmitted_forces(system, _multipliers(system, q, v, forces, external))


def _multipliers(system: System, q: Array, v: Array, forces: Array, external: External) -> Array:
    """Forces lambda (n_constraint,) of loops and couplings."""
    forward_dynamics(system, q, v, forces, external)
    ints = _packed(system)[0].ints
    closure = int(LoopsHeader(ints, ints[field.LOOPS]).closure)
    start = plain(closure_record)(closure, system.n_constraint).force
    return workspace(system).scratch[start : start + system.n_constraint]


def inverse_dynamics(
    system: System,
    q: Array,
    v: Array,
    x: Array,
    external: External = (),
    *,
    flags: int = COUNTED,
) -> Array:
    """Generalized forces for accelerations x; flags ACCELERATED alone: the product M x."""
    return value(system, INVERSE.variant("", "qvx", flags), q, v, x, external=external)


def _explain_inverse(system: System, q: Array, v: Array, x: Array) -> None:
    check_finite(q, "q", system)
    check_finite(v, "v", system)
    check_finite(x, "acceleration", system)
    raise StateError("the forces are not finite: speeds or accelerations are too large")


def joint_forces(system: System, q: Array, v: Array, x: Array, external: External = ()) -> Array:
    """Spatial force through every joint, (n_body, 6) in body axes."""
    out = np.empty((system.n_body, 6))
    with _Loaded(system, external, None) as work:
        failed = _through_joints(work, (q, v, x), np.empty(0), out, 1)
    if failed >= 0:
        _explain_inverse(system, q, v, x)
    return out


def joint_forces_rows(
    system: System,
    Q: Array,
    V: Array,
    A: Array,
    places: Sequence[tuple[int, int]],
    W: Array,
    *,
    rate_linear: bool = False,
) -> Array:
    """Spatial forces through every joint at many states, (n, n_body, 6) in body axes.

    W (n, 6k) has the spatial forces of each state on the k `places`, pairs of body and node, in
    node axes.  RowError at the first failure.
    """
    out = np.empty((len(Q) * system.n_body, 6))
    with _Loaded(system, [(i, node, np.zeros(6)) for i, node in places], None) as work:
        rows = (Q.ravel(), V.ravel(), A.ravel())
        flags = (RATE_LINEAR if rate_linear else ALL) | field.ACCELERATED
        failed = _through_joints(work, rows, W.ravel(), out, len(Q), flags)
    if failed >= 0:
        raise RowError(failed)
    return out.reshape(len(Q), system.n_body, 6)


def wrenches_through_joints(
    system: System, q: Array, places: Sequence[tuple[int, int]], W: Array
) -> Array:
    """Spatial forces through every joint, (n, n_body, 6), by n sets of forces on nodes alone.

    W (n, 6k) as for `joint_forces_rows`; without gravity, motion and deformation, so linear in W.
    """
    n, zero = len(W), np.zeros((len(W), system.n_v))
    out = np.empty((n * system.n_body, 6))
    Q, W = np.tile(q, (n, 1)), np.ascontiguousarray(W)
    with _Loaded(system, [(i, node, np.zeros(6)) for i, node in places], None) as work:
        rows = (Q.ravel(), zero.ravel(), zero.ravel())
        failed = _through_joints(work, rows, W.ravel(), out, n, field.ACCELERATED)
    if failed >= 0:
        _explain_inverse(system, q, zero[0], zero[0])
    return out.reshape(n, system.n_body, 6)


def _through_joints(
    work: Workspace,
    rows: tuple[Array, Array, Array],
    wrenches: Array,
    out: Array,
    n: int,
    flags: int = COUNTED,
) -> int:
    kernel, generalized = work.kernel(entries.JOINT_FORCES), np.empty(len(work.zero))
    return kernel(*work.call, *rows, wrenches, generalized, out, flags, 0, n)


def mass_matrix_loop(system: System, q: Array, repeats: int) -> None:
    """Compute one triangle of the mass matrix repeatedly inside compiled code, for timing."""
    work = workspace(system)
    work.kernel(entries.MASS_TRIANGLES)(*work.call, q, work.mass, 0, repeats)


def totals_rows(system: System, Q: Array, V: Array, about: Array) -> Array:
    """Energies, mass, first moment, momentum about one or n points, (n, 16), see `world.totals`."""
    out = np.zeros((len(Q), 16))
    out[:, 13:] = about
    return rows(system, TOTALS, Q, V, out=out)


def node_constants(system: System, i: int, node: int) -> Array:
    """Constants of a node for the kernels: its body, and the node as in a list."""
    by_node = system.derived.setdefault("nodes", {})
    constants = by_node.get((i, node))
    if constants is None:
        bits = int(_packed(system)[0].rows[i].bent)
        numbers = node_numbers(system.bodies[i], node, bits)
        constants = by_node[i, node] = np.concatenate([[float(i)], numbers])
    return constants


def frame_motion_rows(
    system: System, i: int, node: int, Q: Array, V: Array, X: Array, flags: int
) -> tuple[Array, Array, Array]:
    """Attitudes (n, 3, 3) and positions (n, 3) of a node, and its accelerations (n, 6).

    All in world axes; with flags ACCELERATED alone and X = V velocities.  RowError on failure.
    """
    out = rows(system, FRAME, Q, V, X, node_constants(system, i, node), flags=flags)
    return out[:, :9].reshape(-1, 3, 3), out[:, 9:12], out[:, 12:]


def closure_rows(system: System, Q: Array, V: Array) -> Array:
    """Gap, rate and joint coordinates of each loop for many states; RowError on failure.

    They are followed by gap and rate of each coupling.
    """
    width = sum(2 * loop.n_constraint + loop.joint.n_q for loop in system.loops)
    width += 2 * len(system.couplings)
    out = np.empty((len(Q), width))
    rows = (Q.ravel(), V.ravel(), out.ravel())
    kernel = _kernel(system, entries.LOOPS_CLOSURE)
    failed = kernel(*workspace(system).call, *rows, width, field.RATES, 0, len(Q))
    if failed >= 0:
        raise RowError(failed)
    return out


def path_constants(system: System, frame: Frame) -> Array:
    """Constants of a frame for the kernels: its place at the node, and the bodies that carry it."""
    by_node = system.derived.setdefault("paths", {})
    constants = by_node.get((frame.body, frame.node))
    if constants is None:
        steps: list[Array] = []
        i, node = frame.body, frame.node
        while i != GROUND:
            steps.insert(0, node_constants(system, i, node))
            i, node = int(system.parent[i]), int(system.parent_node[i])
        n = len(steps)
        places = path.STEPS + n + np.cumsum([0, *(len(step) for step in steps[:-1])])
        constants = np.concatenate([np.eye(3).ravel(), np.zeros(3), [n], places, *steps])
        by_node[frame.body, frame.node] = constants
    if frame.plain:
        return constants
    return np.concatenate([frame.rotation.ravel(), frame.position, constants[path.LENGTH :]])


def place_constants(system: System, quantity: Quantity, frame: Frame) -> Array:
    """What the kernel of a quantity of a frame takes as `place`."""
    if quantity.of == "frame":
        return path_constants(system, frame)
    return node_constants(system, frame.body, frame.node)


def pose_rows(system: System, frame: Frame, Q: Array) -> tuple[Array, Array]:
    """Attitudes (n, 3, 3) and positions (n, 3) of a frame for many states; RowError on failure."""
    out = rows(system, POSE, Q, place=path_constants(system, frame))
    return out[:, :9].reshape(-1, 3, 3), out[:, 9:]


def inverse_derivatives(
    system: System, q: Array, v: Array, x: Array, external: External = ()
) -> tuple[Array, Array]:
    """Forces (n_v,), and their derivatives by q, v and x, (3, n_v, n_v)."""
    n = system.n_v
    T, D = np.empty(n), np.empty((3 * n, n))
    with _Loaded(system, external, None) as work:
        kernel, flags = work.kernel(entries.INVERSE_DERIVATIVES), COUNTED
        failed = kernel(*work.call, *work.derivatives, q, v, x, T, D, flags, 0, 1)
    if failed >= 0:
        _explain_inverse(system, q, v, x)
    return T, D.reshape(3, n, n)


def forward_derivatives(
    system: System, q: Array, v: Array, forces: Array, external: External = ()
) -> tuple[Array, Array]:
    """Accelerations (n_v,), and their derivatives by q, v and forces, (3, n_v, n_v)."""
    n = system.n_v
    D = np.empty((3 * n + 1, n))
    with _Loaded(system, external, None) as work:
        kernel = work.kernel(entries.FORWARD_DERIVATIVES)
        failed = kernel(*work.call, *work.derivatives, q, v, forces, np.empty(n), D, ALL, 0, 1)
    if failed >= 0:
        _explain(system, q, v, forces, None, ALL)
    return D[3 * n], D[: 3 * n].reshape(3, n, n)


def frame_columns(
    system: System, places: Sequence[tuple[int, int]], q: Array, v: Array, x: Array
) -> tuple[Array, Array]:
    """Columns (k, 4, 6, n_v) and motions (k, 24) of k nodes, see `kernels.tree.derivatives`."""
    ground = np.array([-1.0])
    pieces = [ground if i == GROUND else node_constants(system, i, node) for i, node in places]
    starts = np.cumsum([0, *map(len, pieces)])[:-1].astype(np.int64)
    out = np.zeros((24 * len(places), system.n_v))
    moved, work = np.empty(24 * len(places)), workspace(system)
    plan, numbers, _ = work.derivatives
    where, flags = np.concatenate([*pieces, np.zeros(1)]), COUNTED
    kernel = work.kernel(entries.FRAME_COLUMNS)
    kernel(*work.call, plan, numbers, q, v, x, starts, where, out, moved, flags)
    return out.reshape(len(places), 4, 6, system.n_v), moved.reshape(len(places), 24)
