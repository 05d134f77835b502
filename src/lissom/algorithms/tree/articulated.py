"""Forward dynamics: accelerations from forces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import SingularError, StateError
from ...kernels.fields import REFINED
from ...spatial import block_diagonal
from ...spatial.scalar import is_numeric, solve_spd
from ...system import State, StateLike, System
from ..loops import closed_loops
from ..loops.checks import check_closed
from ..loops.couplings import transmitted_forces
from ..loops.joint_loads import applied_forces
from . import engine, reference
from .arguments import all_floats, as_state, into_out, to_armature
from .quick import QuickFunction

Array = np.ndarray

METHODS = (
    "auto",
    "articulated",
    "composite",
    "reference",
    "innovations",
    "separate",
    "ruthless",
)


# Methods of the kernels; others use the reference implementation.
COMPILED = ("auto", "articulated", "composite")
_QUICK = {"auto": QuickFunction("accelerations"), "articulated": QuickFunction("forward")}
PAPER = ("innovations", "separate", "ruthless")


def forward_dynamics(
    system: System,
    state: StateLike,
    forces: Any = None,
    *,
    external: Mapping[Any, Any] | None = None,
    method: str = "auto",
    armature: Any = None,
    out: Array | None = None,
) -> Array:
    """Accelerations of the speeds under given forces: M vdot + bias = forces.

    With loops and couplings: M vdot + bias = forces + A^T lambda, with forces lambda that keep
    loops closed and couplings satisfied, as they must be in the given state (`assemble`).

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds.
    forces : array (n_v,) or mapping, optional
        Generalized forces, [modal, hinge] body by body, or {"body": ..., "body.modes": ...}; by
        default zero.  {"loop": ...} are forces along the motions of the joint that closes a loop.
        Stiffness and damping of flexible bodies are included automatically.
    external : mapping, optional
        Spatial forces {"body", "body.node" or "frame": [moment; force]} in the axes of that frame.
    method : str
        "auto", "articulated", "composite", "reference", "innovations", "separate" or "ruthless".
        "articulated": articulated bodies in normalised form, O(N), compiled; "reference": the same
        in Python.  "composite": mass matrix and a dense solve, O(N^3), compiled.  "auto" selects
        the faster of the two compiled methods.  The last three are the forms of Jain
        & Rodriguez, (A 58), (A 64) and (A 64) with (A B3), in Python; they do not support armature.
    armature : array (n_v,) or mapping, optional
        Inertia added to the speeds: solves (M + armature) vdot = forces - bias.  A mapping gives
        a number, a vector or a symmetric block for the hinges of bodies by name.
    out : array (n_v,), optional
        Array for the result.

    Returns
    -------
    array (n_v,)
    """
    if not isinstance(method, str) or method not in METHODS:
        raise StateError(f"method is {method!r}; use one of {', '.join(map(repr, METHODS))}")
    quick = _QUICK.get(method) if external is None and armature is None else None
    if quick is not None:
        vdot = quick.call(system, state, forces, out)
        if vdot is not None:
            return vdot
    state = as_state(system, state) if quick is None else quick.prepared(system, state)
    (T, loads), added = (
        applied_forces(system, state, forces, external),
        to_armature(system, armature),
    )
    if system.constraints and method in PAPER:
        kind, n = (
            ("loops", len(system.loops)) if system.loops else ("couplings", len(system.couplings))
        )
        raise StateError(
            f"method {method!r} does not support {kind}, but the system has {n}; use "
            '"auto", "articulated", "composite" or "reference"'
        )
    if method in COMPILED and all_floats(state, T, *(wrench for *_, wrench in loads)):
        careful = method == "auto"
        if careful:
            method = engine.chosen_method(system)
        vdot = engine.forward_dynamics(
            system,
            state.raw_q,
            state.raw_v,
            T,
            loads,
            added,
            composite=method == "composite",
            floor=engine.CAREFUL if careful else engine.LEAST,
            flags=engine.ALL if careful else engine.ALL | REFINED,
        )
    else:
        vdot = _readable(system, state, T, loads, added, method)
    return into_out(vdot, out)


def loop_forces(
    system: System,
    state: StateLike,
    forces: Any = None,
    *,
    external: Mapping[Any, Any] | None = None,
) -> Array:
    """Constraint forces in the joints that close loops.

    Parameters
    ----------
    system : System
        Compiled mechanism with loops.
    state : State or (q, v)
        Configuration and speeds, loops closed.
    forces, external
        As for `forward_dynamics`.

    Returns
    -------
    array (n_loop, 6)
        [moment; force] on end b of each loop, at the origin and in the axes of its frame b; the
        opposite acts on end a.  For redundant loops, the forces of least norm, with moments
        divided by ``system.length``.
    """
    state = as_state(system, state)
    if not system.loops:
        more = "; use coupling_forces for the forces of its couplings" if system.couplings else ""
        raise StateError(
            f"the system has no loops; use joint_forces for the forces of its joints{more}"
        )
    T, loads = applied_forces(system, state, forces, external)
    if all_floats(state, T, *(wrench for *_, wrench in loads)):
        return engine.loop_forces(system, state.raw_q, state.raw_v, T, loads)
    motions, lam = _readable_multipliers(system, state, T, loads)
    return closed_loops.loop_wrenches(system, closed_loops.loop_motions(system, motions), lam)


def coupling_forces(
    system: System,
    state: StateLike,
    forces: Any = None,
    *,
    external: Mapping[Any, Any] | None = None,
) -> Array:
    """Forces transmitted by couplings between hinge coordinates.

    Parameters
    ----------
    system : System
        Compiled mechanism with couplings.
    state : State or (q, v)
        Configuration and speeds, couplings satisfied and loops closed.
    forces, external
        As for `forward_dynamics`.

    Returns
    -------
    array (n_coupling,)
        Each joint of a coupling receives its ratio times this [N m or N].  For redundant couplings
        and loops, the forces of least norm, with moments divided by ``system.length``.
    """
    state = as_state(system, state)
    if not system.couplings:
        raise StateError("the system has no couplings; add them with model.couple(...)")
    T, loads = applied_forces(system, state, forces, external)
    if all_floats(state, T, *(wrench for *_, wrench in loads)):
        return engine.coupling_forces(system, state.raw_q, state.raw_v, T, loads)
    _, lam = _readable_multipliers(system, state, T, loads)
    return transmitted_forces(system, lam)


def _readable_multipliers(
    system: System, state: State, T: Array, loads: reference.External
) -> tuple[list[reference.BodyMotion], Array]:
    """Motions, and constraint forces lambda (n_constraint,), by the reference implementation."""
    _check_loop_numbers(state, T, loads)
    motions = reference.kinematics_base_to_tip(system, state.q, state.v)
    check_closed(system, state.q, state.v)
    _, lam = closed_loops.constrained_dynamics(system, motions, T, loads)
    return motions, lam


def _readable(
    system: System,
    state: State,
    T: Array,
    loads: reference.External,
    added: reference.Armature | None,
    method: str,
) -> Array:
    """Accelerations by Python code: symbols, complex numbers, and the forms of the papers."""
    motions = reference.kinematics_base_to_tip(system, state.q, state.v)
    if system.constraints:
        vdot = _in_loops(system, state, motions, T, loads, added, method)
    elif method in PAPER:
        vdot = _as_in_the_paper(system, motions, T, loads, added, method)
    elif method == "composite":
        vdot = _dense(system, motions, T, loads, added)
    else:
        vdot = reference.forward_dynamics(system, motions, T, loads, added)
    if is_numeric(vdot) and not np.all(np.isfinite(vdot)):
        owner = system.layout.owner_v(int(np.flatnonzero(~np.isfinite(vdot))[0]))
        raise SingularError(
            f"the acceleration of {owner} is not finite; forces, speeds or inertias are too large"
        )
    return vdot


def _check_loop_numbers(state: State, T: Array, loads: reference.External) -> None:
    """Reject complex numbers and symbols, in the state and in forces."""
    if not all(x.dtype == float for x in (state.q, state.v, T, *(f for *_, f in loads))):
        raise StateError(
            "loops and couplings need real numbers; symbols and complex numbers are supported for "
            "trees only"
        )


def _in_loops(
    system: System,
    state: State,
    motions: list[reference.BodyMotion],
    T: Array,
    loads: reference.External,
    added: reference.Armature | None,
    method: str,
) -> Array:
    """Accelerations that keep loops closed, by the reference implementation."""
    _check_loop_numbers(state, T, loads)
    check_closed(system, state.q, state.v)
    dense = method == "composite"
    return closed_loops.constrained_dynamics(system, motions, T, loads, added, dense=dense)[0]


def _as_in_the_paper(
    system: System,
    motions: list[reference.BodyMotion],
    T: Array,
    loads: reference.External,
    added: reference.Armature | None,
    method: str,
) -> Array:
    from ...papers import jain_rodriguez  # here: its operators are not needed otherwise

    if added is not None:
        raise StateError(f'method {method!r} does not support armature; use "articulated"')
    if method == "innovations":
        return jain_rodriguez.forward_dynamics_in_blocks(system, motions, T, loads)
    ruthless = method == "ruthless"
    return jain_rodriguez.forward_dynamics_in_parts(system, motions, T, loads, ruthless=ruthless)


def _dense(
    system: System,
    motions: list[reference.BodyMotion],
    T: Array,
    loads: reference.External,
    added: reference.Armature | None,
) -> Array:
    """Mass matrix by composite bodies, bias by inverse dynamics, one dense solve."""
    zero = np.zeros(system.n_v)
    bias, _ = reference.inverse_dynamics(system, motions, zero, loads)
    M = reference.mass_matrix(system, motions)
    if added is not None:
        M = M + block_diagonal(*(b for a_f, a_r in added for b in (np.diag(a_f), a_r)))
    try:
        if is_numeric(M) and any(body.second_order is not None for body in system.bodies):
            np.linalg.cholesky(M.real)  # a truncated mass matrix may be indefinite
        return solve_spd(M, T - bias)
    except np.linalg.LinAlgError:
        reference.articulate_tip_to_base(
            system, motions, added
        )  # raises an error that names the hinge
        raise SingularError(
            "the mass matrix is singular in this state; move away from the singular configuration"
        ) from None
