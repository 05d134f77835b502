"""modes: vibrations of a whole mechanism about a state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh, qr, solve_triangular

from ..algorithms.tree.coordinates import error_sizes
from ..algorithms.tree.kinematics import pose
from ..algorithms.tree.reference import BodyMotion, carrying_node, kinematics_base_to_tip
from ..errors import StateError, shown
from ..joints import Free
from ..sim.warnings.gathering import say
from ..spatial import block_diagonal, rigid_shift
from ..system import GROUND, State, StateLike, System
from .deflation import chain_levels, deflated, null_space
from .limits import warn_of_limits_about
from .system_modes import SystemModes
from .tangent import Tangent, relative_rates, tangent, times
from .turning import warn_of_turning

# Effective masses of the modes of a mechanism, and the share of each body in their energy.
#
# With L_d the momentum [angular; linear] about the base in direction d, and phi^H M phi = 1,
#   L_d phi:  inertia force on a mode by a unit acceleration of the base in direction d          (1)
#   effective mass |L_d phi|^2, its sum at most the mass or inertia R_dd of the whole mechanism  (2)
#   share of body i: phi^H M_i phi, with M = sum over the bodies of M_i                          (3)
# The motions of all modes go from base to tip together, so that (1)-(3) take one pass.


class Participation(NamedTuple):
    """What modes move."""

    effective: Array  # (6, k) effective inertias and masses of the modes
    whole: Array  # (6,) those of the whole mechanism
    shares: Array  # (n_body, k) share of each body in the kinetic energy


def participation(state: State, shapes: Array, base: Array, armature: Array) -> Participation:
    """Effective masses of modes, and shares of bodies in their energy.  O(N) for each mode.

    `shapes` (n_v, k): shapes with phi^H M phi = 1; `base` (3,): reference point of the inertias in
    the world [m]; `armature` (n_v,): inertia of rotors; its energy counts with the body that their
    joint carries.
    """
    system, layout = state.system, state.system.layout
    motions = kinematics_base_to_tip(system, state.q, np.zeros(system.n_v))
    momentum = np.zeros((6, shapes.shape[1]), dtype=shapes.dtype)
    whole, twice = np.zeros((6, 6)), np.zeros((system.n_body, shapes.shape[1]))
    for i, (motion, V) in enumerate(
        zip(motions, _velocities(system, motions, shapes), strict=True)
    ):
        R, terms = motion.world_rotation, motion.terms
        to_base = rigid_shift(motion.world_position - base) @ block_diagonal(R, R)
        rates = shapes[layout.modal_v(i)]
        h = terms.M_rr @ V + terms.M_rf @ rates
        momentum += to_base @ h
        whole += to_base @ terms.M_rr @ to_base.T
        modal = terms.M_rf.T @ V + terms.M_ff @ rates
        twice[i] = (np.sum(V.conj() * h, axis=0) + np.sum(rates.conj() * modal, axis=0)).real
        of_body = slice(layout.modal_v(i).start, layout.hinge_v(i).stop)
        twice[i] += armature[of_body] @ np.abs(shapes[of_body]) ** 2
    total = twice.sum(axis=0)
    shares = twice / np.where(total > 0, total, 1.0)
    return Participation(np.abs(momentum) ** 2, np.diag(whole).copy(), shares)


def _velocities(system: System, motions: list[BodyMotion], shapes: Array) -> list[Array]:
    """Spatial velocities (6, k) of all bodies along shapes, in their axes at their origins."""
    layout, velocities = system.layout, list[Array]()
    for i, motion in enumerate(motions):
        V, parent = motion.motion_map @ shapes[layout.hinge_v(i)], int(system.parent[i])
        if parent != GROUND:
            node = carrying_node(system, motions, i)
            rates = shapes[layout.modal_v(parent)]
            V = V + motion.transform @ (node.shift.T @ velocities[parent] + node.shapes @ rates)
        velocities.append(V)
    return velocities


# Eigenvalues and shapes of a mechanism about a state.
#
# Without damping and gyroscopic terms, M symmetric and K too where the state is an equilibrium:
#   K phi = omega^2 M phi,  phi^T M phi = 1,  lambda = i omega                                  (1)
# In general, with x = (delta, nu, z) and x' = A x,
#   A x = lambda x,  phi = the part delta of x,  phi^H M phi = 1                                (2)
# of which one of each conjugate pair is kept.  Free motions, K phi = 0, are split off first.

ROUNDING = 1e-13  # relative size of entries that are noise
SYMMETRIC = 1e-7  # relative difference up to which K counts as symmetric
SMALL = 1e-9  # relative size of a matrix that counts as zero


class Eigenmodes(NamedTuple):
    """Eigenvalues and shapes, free motions first."""

    values: Array  # (k,) eigenvalues [rad/s]
    # (n_v, k) shapes, real without damping and gyroscopic terms; zero for joints that are held
    shapes: Array
    n_rigid: int  # number of free motions


def eigenmodes(equations: Tangent, damped: bool | None) -> Eigenmodes:
    """Eigenvalues and shapes.

    `damped`: whether damping and gyroscopic terms count; None: if there are any.
    """
    M = times(equations.motions.T @ equations.mass, equations.motions)
    M = (M + M.T) / 2
    E, (K, C) = equations.turning, equations.sides
    n_z = len(equations.loads.own_names) if damped is not False else 0
    free, undamped = np.zeros((len(M), 0)), None
    if _symmetric(K):
        free = _free(equations, K)
        undamped = _undamped((K + K.T) / 2, M, free)
    # damping relative to the critical one, by stiffness or by the slowest motion
    first_order = bool(n_z) or bool(np.any(E)) or _damps(K, C, M, undamped)
    if damped is False or (damped is None and not first_order):
        if undamped is not None:
            values = np.where(undamped.squares > 0, 1j, 1.0) * np.sqrt(np.abs(undamped.squares))
            return _expanded(equations, values, undamped.shapes, undamped.n_rigid)
        C, E = np.zeros_like(C), np.zeros_like(E)
    rests = not np.any(equations.state.v) and undamped is not None
    if rests and undamped is not None and undamped.sound:
        return _expanded(equations, *_by_vibrations(equations, undamped, C, n_z))
    by_q, by_v = _cleaned(equations)
    by_v = by_v if np.any(C) else np.zeros_like(by_v)
    A = _state_matrix(equations, by_q, by_v, E, n_z)
    if np.any(E):
        return _expanded(equations, *_general(A, M, chain_levels(A)))
    # what moves or falls may have longer chains than what rests
    size = error_sizes(equations.system)[0][equations.independent]
    levels = _levels(by_v, free, size, len(A)) if rests and not n_z else chain_levels(A)
    values, shapes, k = _general(A, M, levels)
    return _expanded(equations, values, _without_momentum(shapes, k, M, by_q, by_v), k)


def _symmetric(K: Array) -> bool:
    """Whether a matrix counts as symmetric."""
    return bool(np.abs(K - K.T).max(initial=0.0) <= SYMMETRIC * np.abs(K).max(initial=0.0))


def _cleaned(equations: Tangent) -> tuple[Array, Array]:
    """Derivatives of the accelerations by configuration and speeds, noise replaced by zero."""
    system, independent = equations.system, equations.independent
    size = error_sizes(system)[0]
    pace = _pace(equations)
    q, v, _, f = equations.slices
    pushed, Z, Y = (
        np.abs(x)
        for x in (equations.acceleration[independent, f], equations.motions, equations.speeds)
    )
    T_q, T_v = np.abs(equations.loads.q), np.abs(equations.loads.v)
    result = []
    by_y, by_w = times(T_q, Z) + times(T_v, Y), times(T_v, Z)
    for part, load, least in ((q, by_y, pace**2), (v, by_w, pace)):
        values = equations.acceleration[independent, part].copy()
        scale = least * size[independent, None] / size[independent] + pushed @ load
        values[np.abs(values) <= ROUNDING * scale] = 0.0
        result.append(values)
    return result[0], result[1]


def _pace(here: Tangent) -> float:
    """Rate [1/s] of what moves a mechanism: its speeds, accelerations and gravity."""
    system, size = here.system, error_sizes(here.system)[0]
    pace = relative_rates(here.state).max(initial=0.0)
    weight = np.linalg.norm(system.gravity) / system.length
    return float(pace + np.sqrt(weight + np.abs(here.vdot / size).max(initial=0.0)))


def _free(here: Tangent, K: Array) -> Array:
    """Free motions (m, k): the null space of K, after its noise is replaced by zero.

    Of trees; -M da of loops has the noise of their stiffest bodies everywhere, da has not.
    """
    if here.system.constraints:
        return null_space(_cleaned(here)[0])
    size = error_sizes(here.system)[0][here.independent]
    of_loads = np.abs(here.loads.q)[np.ix_(here.independent, here.independent)]
    most = np.sqrt(of_loads.max(axis=1, initial=0.0))
    inertia = np.abs(here.mass[np.ix_(here.independent, here.independent)]) @ size
    scale = _pace(here) ** 2 * inertia[:, None] / size + np.outer(most, most)
    return null_space(np.where(np.abs(K) <= ROUNDING * scale, 0.0, K))


def _damps(K: Array, C: Array, M: Array, undamped: _Vibrations | None) -> bool:
    """Whether rates matter: in units of mass, against the fastest vibration."""
    if not np.any(C):
        return False
    if undamped is not None:
        fastest = np.abs(undamped.squares).max(initial=0.0)
        scaled = undamped.shapes.T @ C @ undamped.shapes
    else:
        L = np.linalg.cholesky(M)
        scaled, of_K = (
            solve_triangular(L, solve_triangular(L, X, lower=True).T, lower=True) for X in (C, K)
        )
        fastest = np.linalg.norm(of_K, 2)
    least, size = SMALL * np.sqrt(fastest), np.linalg.norm(scaled)
    if size > least * np.sqrt(len(C)) or size <= least:  # the Frobenius norm bounds the other one
        return bool(size > least)
    return bool(np.linalg.norm(scaled, 2) > least)


class _Vibrations(NamedTuple):
    """Solutions of (1), free motions first: squares of the frequencies, shapes (n, k).

    sound: whether soft motions are as exact as stiff ones.
    """

    squares: Array
    shapes: Array
    n_rigid: int
    sound: bool


def _undamped(K: Array, M: Array, free: Array) -> _Vibrations:
    """Solution of (1) beside the free motions, which are M-orthogonal to the others.

    With c the coordinates beside one for each free motion R, and S scaling K_cc to ones,
      (M - M R R^T M)_cc y = mu K_cc y,  omega^2 = 1 / mu,  phi = (I - R R^T M) [0; y]         (3)
    by Cholesky factors of S K_cc S, whose condition is that of joints and modes, not that of their
    masses: the softest motions are the most exact.
    """
    k = free.shape[1]
    rigid = _rigid(free, M)
    beside = np.setdiff1d(np.arange(len(M)), _pivots(free))
    pushed = M @ rigid
    K_c = K[np.ix_(beside, beside)]
    try:
        if np.any(np.diag(K_c) <= 0):
            raise np.linalg.LinAlgError
        S = 1 / np.sqrt(np.diag(K_c))
        L = np.linalg.cholesky(S[:, None] * K_c * S)
        M_c = S[:, None] * (M[np.ix_(beside, beside)] - pushed[beside] @ pushed[beside].T) * S
        W = solve_triangular(L, solve_triangular(L, M_c, lower=True).T, lower=True)
        mu, y = np.linalg.eigh((W + W.T) / 2)
        if np.any(mu <= 0):
            raise np.linalg.LinAlgError
    except np.linalg.LinAlgError:  # something grows, or nothing holds it
        return _by_masses(K, M, rigid)
    shapes = np.zeros((len(M), len(mu)))
    shapes[beside] = S[:, None] * solve_triangular(L.T, y) / np.sqrt(mu)
    shapes -= rigid @ (pushed.T @ shapes)
    squares = np.concatenate([np.zeros(k), 1 / mu[::-1]])
    return _Vibrations(squares, np.hstack([rigid, _signed(shapes[:, ::-1])]), k, True)


def _by_masses(K: Array, M: Array, rigid: Array) -> _Vibrations:
    """Solution of (1) where K is not positive, by the factors of M."""
    k = rigid.shape[1]
    rest = np.linalg.qr(M @ rigid, mode="complete")[0][:, k:] if k else np.eye(len(M))
    squares, y = eigh(rest.T @ K @ rest, rest.T @ M @ rest) if rest.size else (np.zeros(0), rest.T)
    order = np.argsort(np.abs(squares), kind="stable")
    shapes = np.hstack([rigid, _signed((rest @ y)[:, order])])
    return _Vibrations(np.concatenate([np.zeros(k), squares[order]]), shapes, k, False)


def _by_vibrations(
    here: Tangent, undamped: _Vibrations, C: Array, n_z: int
) -> tuple[Array, Array, int]:
    """Solution of (2) at rest in coordinates of the undamped vibrations Phi.

    With delta = Phi xi, M and K become I and diag(omega^2), in which soft motions stand beside
    stiff ones without the rounding of these:
      A = [[0, I, 0], [-diag(omega^2), -Phi^T C Phi, Phi^T T_z], [S_q Phi, S_v Phi, S_z]]      (4)
    """
    Phi, k = undamped.shapes, undamped.n_rigid
    n, eye = len(Phi), np.eye(len(Phi))
    damping = Phi.T @ C @ Phi
    noise = SMALL * np.abs(Phi.T) @ (np.abs(C) @ np.abs(Phi[:, :k]))
    damping[:, :k][np.abs(damping[:, :k]) <= noise] = 0.0
    damping[:k][np.abs(damping[:k]) <= noise.T] = 0.0
    by_z = Phi.T @ (here.motions.T @ here.loads.by_own("forces")[:, :n_z])
    rows = [np.zeros((0, size)) for size in (n, n, n_z)]
    if n_z:
        rows = [part @ Phi for part in here.of_loads("own")[:2]] + here.of_loads("own")[2:]
    middle = [-np.diag(undamped.squares), -damping, by_z]
    A = np.block([[np.zeros((n, n)), eye, np.zeros((n, n_z))], middle, rows])
    levels = chain_levels(A) if n_z else _levels(-damping, eye[:, :k], None, len(A))
    values, shapes, n_rigid = _general(A, eye, levels)
    shapes = Phi @ shapes
    return values, np.hstack([shapes[:, :n_rigid], _signed(shapes[:, n_rigid:])]), n_rigid


def _state_matrix(equations: Tangent, by_q: Array, by_v: Array, E: Array, n_z: int) -> Array:
    """A of (2)."""
    n = len(equations.independent)
    by_z = equations.acceleration[equations.independent, equations.slices[2]][:, :n_z]
    rows = [np.zeros((0, k)) for k in (n, n, n_z)]
    if n_z:
        rows = equations.of_loads("own")
    return np.block([[E, np.eye(n), np.zeros((n, n_z))], [by_q, by_v, by_z], rows])


def _levels(by_v: Array, free: Array, size: Array | None, n_state: int) -> list[Array]:
    """Free motions of a mechanism at rest, and their rates where nothing damps them.

    size: of the coordinates, where `by_v` has rounding.
    """
    n, pushed = len(by_v), by_v @ free
    if size is not None:
        extent = np.abs(free / size[:, None]).max(axis=0, initial=0.0)  # in all parts
        pushed[np.abs(pushed) <= SMALL * np.outer(np.abs(by_v) @ size, extent)] = 0.0
    moving = free @ null_space(pushed)
    levels = [np.zeros((n_state, free.shape[1])), np.zeros((n_state, moving.shape[1]))]
    levels[0][:n], levels[1][n : 2 * n] = free, moving
    return levels


def _general(A: Array, M: Array, levels: list[Array]) -> tuple[Array, Array, int]:
    """Solution of (2)."""
    n = len(M)
    parts = deflated(A, levels)
    values, vectors = np.linalg.eig(parts.rest) if len(parts.rest) else (np.zeros(0), parts.rest)
    scale = np.abs(values).max(initial=0.0)
    values = np.where(np.abs(values.imag) <= 1e-12 * scale, values.real, values)
    keep = np.flatnonzero(values.imag >= 0)
    keep = keep[np.lexsort((values[keep].imag, np.abs(values[keep]).round(12)))]
    shapes = parts.eigenvectors(values[keep], vectors[:, keep])[:n]
    rigid = _rigid(_moving(parts.null[:n]), M)
    k = rigid.shape[1]
    all_shapes = np.hstack([rigid, _signed(_normalised(shapes, M))])
    return np.concatenate([np.zeros(k), values[keep]]), all_shapes, k


def _without_momentum(shapes: Array, k: int, M: Array, by_q: Array, by_v: Array) -> Array:
    """Shapes without what rounding left of the free motions Z along which momentum is kept.

    Z^T (lambda^2 M + lambda C + K) phi = 0 has Z^T M phi = 0 where Z^T K and Z^T C vanish.
    """
    Z = shapes[:, :k].real
    conserved = np.ones(k, dtype=bool)
    for X in (by_q, by_v):
        noise = SMALL * np.abs(Z.T) @ np.abs(M) @ np.abs(X)
        conserved &= np.all(np.abs(Z.T @ M @ X) <= noise, axis=1)
    Z, rest = Z[:, conserved], shapes[:, k:]
    return np.hstack([shapes[:, :k], _normalised(rest - Z @ (Z.T @ M @ rest), M)])


def _moving(null: Array) -> Array:
    """Orthonormal basis of displacements, without what only own states of loads take part in."""
    if not null.size:
        return null[:, :0]
    U, sizes, _ = np.linalg.svd(null, full_matrices=False)
    return U[:, sizes > SMALL]


def _rigid(basis: Array, M: Array) -> Array:
    """Free motions with phi^T M phi = 1, orthogonal by M, each of few speeds where possible."""
    if not basis.shape[1]:
        return basis
    pivots = _pivots(basis)
    sparse = np.linalg.solve(basis[pivots].T, basis.T).T
    sparse[np.abs(sparse) < 1e-12] = 0.0
    L = np.linalg.cholesky(sparse.T @ M @ sparse)
    return np.linalg.solve(L, sparse.T).T


def _pivots(basis: Array) -> Array:
    """Speeds that measure free motions, one for each."""
    k = basis.shape[1]
    return np.sort(qr(basis.T, pivoting=True)[2][:k]) if k else np.zeros(0, dtype=int)


def _normalised(shapes: Array, M: Array) -> Array:
    """Shapes with phi^H M phi = 1."""
    size = np.sqrt(np.sum(shapes.conj() * times(shapes.T, M.T).T, axis=0).real)
    return shapes / np.where(size > 0, size, 1.0)


def _signed(shapes: Array) -> Array:
    """Shapes whose largest component is real and positive."""
    if not shapes.size:
        return shapes
    largest = shapes[np.abs(shapes).argmax(axis=0), np.arange(shapes.shape[1])]
    phase = np.where(np.abs(largest) > 0, largest / np.abs(largest), 1.0)
    return shapes / phase


def _expanded(equations: Tangent, values: Array, shapes: Array, n_rigid: int) -> Eigenmodes:
    """Shapes of all speeds: zero for those that are held, along for those that follow."""
    whole = times(shapes.T, equations.motions.T).T
    if np.iscomplexobj(whole) and not np.any(np.abs(whole.imag) > 1e-12):
        whole = whole.real
    return Eigenmodes(values.astype(complex), whole, n_rigid)


Array = np.ndarray

ACCELERATES = 1e-6  # acceleration, relative to gravity or the pace of the motion, that is none


def modes(
    system: System,
    state: StateLike | None = None,
    *,
    loads: Any = (),
    forces: Any = None,
    held: Any = (),
    time: float = 0.0,
    damped: bool | None = None,
) -> SystemModes:
    """Frequencies, damping and shapes of a mechanism about a rest or a steady motion.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v), optional
        Configuration and speeds about which, of an equilibrium (`equilibrium`) or of a steady
        motion (`trim`); by default neutral.
    loads : sequence of Load
        Springs, motors and other loads that act.  Joints with a `Motion` follow it exactly.
    forces : array (n_v,), mapping or callable, optional
        Generalized forces that act in the state, as for `simulate`.
    held : sequence of str
        Joints that are held as they are, by the bodies that they carry.
    time : float
        Time at which loads are evaluated [s].
    damped : bool, optional
        Whether damping and gyroscopic terms count, which makes shapes complex; by default if there
        are any.

    Returns
    -------
    SystemModes
        Free motions first, then by frequency; prints as a table.  A SimulationWarning says if the
        state is no equilibrium and no steady motion, if it is outside the limits of the models of
        its bodies, and if the equations change as joints turn, as for blades on a tower.
    """
    if not isinstance(damped, (bool, type(None))):
        raise StateError(f"damped is {shown(damped)}; expected True, False or None")
    options = {"forces": forces, "loads": loads, "held": held, "what": "modes"}
    equations = tangent(system, state, time=time, **options)
    if is_falling(equations):  # the same without gravity
        weightless = replace(system, gravity=np.zeros(3))
        equations = tangent(
            weightless, (equations.state.q, equations.state.v), time=time, **options
        )
    solved = eigenmodes(equations, damped)
    _check_steady(equations, solved)
    warn_of_limits_about(equations, stacklevel=2)

    def later(there: State, after: float) -> Tangent:
        return tangent(there.system, there, time=time + after, **options)

    warn_of_turning(equations, later, "modes", stacklevel=2)
    base = np.zeros(3)
    if system.n_body:
        base = pose(system, equations.state, system.names[0]).position
    moved = participation(equations.state, solved.shapes, base, equations.loads.armature)
    return SystemModes(
        system=system,
        state=State(system, equations.state.q, equations.state.v),
        eigenvalues=solved.values,
        shapes=solved.shapes,
        n_rigid=solved.n_rigid,
        mass=equations.mass,
        effective_mass=moved.effective,
        total_mass=moved.whole,
        shares=moved.shares,
    )


def is_falling(equations: Tangent) -> bool:
    """Whether a mechanism does nothing but fall."""
    system, state, a = equations.system, equations.state, equations.vdot
    if not np.any(system.gravity) or np.any(state.v) or len(equations.held):
        return False
    falling = np.zeros(system.n_v)
    for i, (name, joint) in enumerate(zip(system.names, system.joints, strict=True)):
        if system.parent[i] < 0:
            if not isinstance(joint, Free):
                return False
            turn = pose(system, state, name).rotation
            falling[system.layout.hinge_v(i)][3:] = turn.T @ system.gravity
    return bool(np.allclose(a, falling, rtol=0, atol=1e-9 * np.linalg.norm(system.gravity)))


def _check_steady(equations: Tangent, solved: Eigenmodes) -> None:
    """Warn if the mechanism accelerates other than along its free motions, as in free fall."""
    system, a = equations.system, equations.vdot.copy()
    rigid = solved.shapes[:, : solved.n_rigid].real
    a -= rigid @ np.linalg.lstsq(equations.mass @ rigid, equations.mass @ a, rcond=None)[0]
    size = error_sizes(system)[0]
    relative = np.abs(a / size)
    pace = np.linalg.norm(system.gravity) / system.length
    pace += relative_rates(equations.state).max(initial=0.0) ** 2
    pace += np.abs(solved.values).max(initial=0.0) ** 2 * 1e-6
    if np.any(relative > ACCELERATES * pace):
        worst = int(np.argmax(relative))
        say(
            "not steady",
            float(relative[worst]),
            "modes: the state is no equilibrium and no steady motion: "
            f"{system.layout.owner_v(worst)} accelerates by {a[worst]:.3g}; give the state that "
            "equilibrium or trim finds",
            stacklevel=3,
        )
    for (name, unit), rate in zip(
        equations.loads.own_names, equations.loads.own_rates, strict=True
    ):
        if name.endswith(".integral") and abs(rate) > ACCELERATES * system.length:
            say(
                f"integral of {name}",
                abs(rate),
                f"modes: the state is no equilibrium: {name} of a Servo grows by {rate:.3g} "
                f"{unit.removesuffix(' s')}; give a target where the joint rests, and the integral "
                "that holds it there (integral=)",
                stacklevel=3,
            )
