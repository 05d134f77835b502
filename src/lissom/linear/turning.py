"""Motions about which the equations change with time: no eigenvalue belongs to them.

With M, C, K the matrices of small motions about a state in the coordinates of the mechanism,
  M nu' + C nu + K delta = 0                                                                  (1)
they are looked at again where the joints will be after a part of a turn at their rates.  In units
of the motions themselves, Omega being the fastest rate,
  s_i^2 = max(|K_ii| before and after, M_ii Omega^2),  m_i^2 = M_ii                            (2)
the change is the largest of
  |dM_ij| / (m_i m_j),  |dC_ij| / sqrt(m_i s_i m_j s_j),  |dK_ij| / (s_i s_j)                  (3)
It counts as much as joints turn during the slowest vibration omega, min(1, Omega / omega): what
hardly moves has frequencies that hold for now.  The change is zero where everything turns together,
as a blade on a rigid hub, and for a symmetric disc.  Blades on a tower that bends couple with it by
the angle of their rotor, also where the rotor is symmetric and all instants have the same
eigenvalues.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh

from ..algorithms.tree.coordinates import error_sizes, hinge_speeds, moved
from ..errors import LissomError
from ..sim.warnings.gathering import say
from ..system import State
from .tangent import Tangent, relative_rates

Array = np.ndarray

FREE = 1e-9  # square of a frequency relative to the largest one, below which a motion is free
CHANGE = 1e-3  # (3) from which on the eigenvalues of an instant are not those of the motion
AHEAD = (0.4, 1.3)  # rad, or sizes of a coordinate, that a joint moves before the next look
SLOW = 1e-3  # rate relative to the fastest one, below which a joint stands
TURNS = 20.0  # at most, relative to what joints turn in a radian of the slowest vibration
RATES = 4  # different rates that are looked at
STEADY = 1e-2  # accelerations, relative to the square of the rate, of a motion that stays as it is


def warn_of_turning(
    tangent: Tangent, later: Callable[[State, float], Tangent], what: str, stacklevel: int
) -> None:
    """Warn if the equations change as the joints turn.

    `later`: makes those about another state, a time after this one [s].
    """
    rates = joint_rates(tangent.state)
    if not np.any(rates) or not len(tangent.independent):
        return
    largest, rows, time = 0.0, (0, 0), 0.0
    fastest, vibration = float(rates.max()), _slowest(tangent)
    turn = TURNS * fastest / vibration  # rad; zero where nothing vibrates
    paces = sorted({float(x) for x in rates if x > SLOW * fastest}, reverse=True)[:RATES]
    for t in (min(part, turn) / pace for pace in paces for part in AHEAD if turn):
        change, where = _change(tangent, later, t, tangent.state.raw_v)
        if change > largest:
            largest, rows, time = change, where, t
    weighted = largest * min(1.0, fastest / vibration)
    if weighted <= CHANGE:
        return
    amount = f"{largest:.2g} of their size" if largest < 1 else "more than their size"
    owner = tangent.system.layout.owner_v
    k = _cause(tangent, later, time, rates)
    parts = sorted({int(tangent.independent[row]) for row in rows})
    between = "of" if len(parts) == 1 else "between"
    say(
        "turning",
        weighted,
        f"{what}: the equations change as {owner(k)} goes on at {tangent.state.v[k]:.3g}, those "
        f"{between} {' and '.join(owner(i) for i in parts)} by {amount}: these are the "
        "eigenvalues of one instant, and those of the motion differ; take its frequencies from "
        "the spectrum of a run (simulate, after a small push)",
        stacklevel + 1,
    )


def is_steady(tangent: Tangent) -> bool:
    """Whether speeds hardly change, so that a linear model may be meant for longer."""
    pace = joint_rates(tangent.state).max(initial=0.0) ** 2
    relative = np.abs(tangent.vdot / error_sizes(tangent.system)[0])
    return bool(relative.max(initial=0.0) <= STEADY * pace)


def _slowest(tangent: Tangent) -> float:
    """Slowest vibration [rad/s] without damping and gyroscopic terms; infinite if there is none."""
    M, _, K = _matrices(tangent)
    squares = np.abs(eigh((K + K.T) / 2, (M + M.T) / 2, eigvals_only=True))
    return float(np.sqrt(squares[squares > FREE * squares.max()].min(initial=np.inf)))


def joint_rates(state: State) -> Array:
    """Speeds (n_v,) of joints, relative to the sizes of their coordinates; of modes zero."""
    return np.where(hinge_speeds(state.system), relative_rates(state), 0.0)


def _change(
    tangent: Tangent, later: Callable[[State, float], Tangent], time: float, v: Array
) -> tuple[float, tuple[int, int]]:
    """Largest of (3) after a time in which joints go on at the speeds v, and its row and column."""
    system, state = tangent.system, tangent.state
    along = np.where(hinge_speeds(system), time * v, 0.0)
    there = State(system, moved(system, state.raw_q, along), state.v)
    try:
        ahead = later(there, time)
    except LissomError:  # loops that open, loads that end: the motion does not go on like this
        return 0.0, (0, 0)
    if not np.array_equal(ahead.independent, tangent.independent):
        return 0.0, (0, 0)
    (M, C, K), others = _matrices(tangent), _matrices(ahead)
    pace = joint_rates(state).max(initial=0.0)
    m = np.sqrt(np.diag(M))
    stiffness = np.maximum(np.abs(np.diag(K)), np.abs(np.diag(others[2])))
    s = np.sqrt(np.maximum(stiffness, np.diag(M) * pace**2))
    c = np.sqrt(m * s)
    changes = [
        np.abs(other - one) / np.outer(unit, unit)
        for one, other, unit in zip((M, C, K), others, (m, c, s), strict=True)
    ]
    whole = np.max(changes, axis=0)
    row, column = np.unravel_index(int(np.argmax(whole)), whole.shape)
    return float(whole[row, column]), (int(row), int(column))


def _matrices(tangent: Tangent) -> tuple[Array, Array, Array]:
    """M, C and K of (1)."""
    q, v, _, _ = tangent.slices
    rows = tangent.acceleration[tangent.independent]
    M = tangent.motions.T @ tangent.mass @ tangent.motions
    return M, -M @ rows[:, v], -M @ rows[:, q]


def _cause(
    tangent: Tangent, later: Callable[[State, float], Tangent], time: float, rates: Array
) -> int:
    """Speed of the joint that alone changes most, or of the fastest."""
    v, changes = tangent.state.raw_v, np.zeros(len(rates))
    for k in np.flatnonzero(rates > SLOW * rates.max()):
        changes[k] = _change(tangent, later, time, np.where(np.arange(len(v)) == k, v, 0.0))[0]
    return int(np.argmax(changes if changes.max() > CHANGE else rates))
