"""Speeds that keep loops closed: the nearest in the metric of the masses, hinges first."""

from __future__ import annotations

import numpy as np

from ..errors import StateError, name_list
from ..system import Loop, State, System, equation
from .composite import mass_matrix
from .coordinates import error_sizes, hinge_speeds
from .loop_checks import in_own_unit
from .loop_frames import closure_jacobian, closure_slices, placed_loops

Array = np.ndarray

# Part of the largest singular value below which speeds cannot be corrected that way.
NOISE = 1e-11
# Rate beside speeds times length that held speeds may leave.
CONSISTENT = 1e-9


def consistent_speeds(system: System, q: Array, v: Array, fixed: Array) -> Array:
    """Speeds with A v = 0 that are nearest to v in the metric of the masses.

    Rates of modes stay as they are unless hinges alone cannot do it: else every start would ring.
    """
    A = closure_jacobian(system, q, placed_loops(system, q)) / system.length
    M = mass_matrix(system, State.trusted(system, q, np.zeros(system.n_v)))
    new = _nearest_speeds(system, A, M, v, fixed | ~hinge_speeds(system))
    if not _are_consistent(system, A, v, new):
        new = _nearest_speeds(system, A, M, v, fixed)
    _check_speeds(system, A, v, new, fixed)
    return new


def _nearest_speeds(system: System, A: Array, M: Array, v: Array, fixed: Array) -> Array:
    """With free speeds f, M_ff = L L^T:  v_f += L^-T x,  x the shortest with A_f L^-T x = -A v."""
    free, size = np.flatnonzero(~fixed), error_sizes(system)[0]
    new = v.copy()
    if not len(free):
        return new
    L = _factor((size[:, None] * M * size)[np.ix_(free, free)])
    turned = np.linalg.solve(L, (A * size)[:, free].T)
    for _ in range(2):  # the second time for the last digits
        x = np.linalg.lstsq(turned.T, -A @ new, rcond=NOISE)[0]
        new[free] += size[free] * np.linalg.solve(L.T, x)
    return new


def _are_consistent(system: System, A: Array, given: Array, v: Array) -> bool:
    """Whether the loops stay closed, beside the speeds that were given."""
    speed = float(np.abs(given / error_sizes(system)[0]).max(initial=0.0))
    return bool(np.abs(A @ v).max(initial=0.0) <= CONSISTENT * speed)


def _factor(M: Array) -> Array:
    """Cholesky factor; a motion without mass, which a loop may well determine, gets a little."""
    try:
        return np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        return np.linalg.cholesky(M + 1e-12 * np.diag(M).max() * np.eye(len(M)))


def _check_speeds(system: System, A: Array, given: Array, v: Array, fixed: Array) -> None:
    """Refuse held speeds that the loops do not allow."""
    left, size = A @ v, error_sizes(system)[0]
    if not np.any(fixed) or _are_consistent(system, A, given, v):
        return
    rows = closure_slices(system)
    k = int(np.argmax([np.linalg.norm(left[piece]) for piece in rows]))
    # what pushes against the rate that is left
    push = np.abs(left @ (A * size)) * fixed
    names = [
        name
        for i, name in enumerate(system.names)
        if max(
            push[system.layout.hinge_v(i)].max(initial=0.0),
            push[system.layout.modal_v(i)].max(initial=0.0),
        )
        > 1e-6 * push.max()
    ]
    one, rate = system.constraints[k], float(np.linalg.norm(left[rows[k]]) * system.length)
    if isinstance(one, Loop):
        what = f"the loops: loop {one.name!r} opens at {rate:.3g} m/s"
    else:
        off = in_own_unit(system, one, rate)
        what = f"coupling {one.name!r}, {equation(system, one)}, by {off:.3g} in a second"
    raise StateError(
        f"the speeds held at {name_list(names)} contradict {what}; hold fewer joints or "
        "give them speeds that go together"
    )
