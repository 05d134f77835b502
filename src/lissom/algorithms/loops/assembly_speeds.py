"""Speeds that keep loops closed: the nearest in the mass metric, hinges before modes."""

from __future__ import annotations

import numpy as np

from ...errors import StateError, name_list
from ...system import Loop, State, System, equation
from ..tree.composite import mass_matrix
from ..tree.coordinates import error_sizes, hinge_speeds
from .checks import in_own_unit
from .frames import closure_jacobian, closure_slices, placed_loops

Array = np.ndarray

# Fraction of the largest singular value below which a direction cannot be corrected.
NOISE = 1e-11
# Allowed rate of the gap with held speeds, relative to speeds times length.
CONSISTENT = 1e-9


def consistent_speeds(system: System, q: Array, v: Array, fixed: Array) -> Array:
    """Speeds with A v = 0 that are nearest to v in the mass metric.

    Modal rates are unchanged unless hinges alone do not suffice; otherwise every start would excite
    vibrations.
    """
    A = closure_jacobian(system, q, placed_loops(system, q)) / system.length
    M = mass_matrix(system, State.trusted(system, q, np.zeros(system.n_v)))
    new = _nearest_speeds(system, A, M, v, fixed | ~hinge_speeds(system))
    if not _are_consistent(system, A, v, new):
        new = _nearest_speeds(system, A, M, v, fixed)
    _check_speeds(system, A, v, new, fixed)
    return new


def _nearest_speeds(system: System, A: Array, M: Array, v: Array, fixed: Array) -> Array:
    """Speeds v_f += L^-T x, f free, M_ff = L L^T, x of least norm with A_f L^-T x = -A v."""
    free, size = np.flatnonzero(~fixed), error_sizes(system)[0]
    new = v.copy()
    if not len(free):
        return new
    L = _factor((size[:, None] * M * size)[np.ix_(free, free)])
    turned = np.linalg.solve(L, (A * size)[:, free].T)
    for _ in range(2):  # the second iteration corrects the last digits
        x = np.linalg.lstsq(turned.T, -A @ new, rcond=NOISE)[0]
        new[free] += size[free] * np.linalg.solve(L.T, x)
    return new


def _are_consistent(system: System, A: Array, before: Array, v: Array) -> bool:
    """Whether the loops stay closed, relative to the speeds before."""
    speed = float(np.abs(before / error_sizes(system)[0]).max(initial=0.0))
    return bool(np.abs(A @ v).max(initial=0.0) <= CONSISTENT * speed)


def _factor(M: Array) -> Array:
    """Cholesky factor; motions without mass, which a loop may determine, get a small one."""
    try:
        return np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        return np.linalg.cholesky(M + 1e-12 * np.diag(M).max() * np.eye(len(M)))


def _check_speeds(system: System, A: Array, before: Array, v: Array, fixed: Array) -> None:
    """Reject held speeds that the loops do not allow."""
    left, size = A @ v, error_sizes(system)[0]
    if not np.any(fixed) or _are_consistent(system, A, before, v):
        return
    rows = closure_slices(system)
    k = int(np.argmax([np.linalg.norm(left[piece]) for piece in rows]))
    # constraint forces against the remaining rate
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
        "give them consistent speeds"
    )
