"""A boom that is spun up beyond its first frequency: as a rod, in Exudyn, as rigid rods.

The rate of the root is that of T. R. Kane, R. R. Ryan, A. K. Banerjee, J. Guidance 10, 1987; the
numbers are those of J. C. Simo, L. Vu-Quoc, J. Appl. Mech. 53, 1986, part II.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numba
import numpy as np

import lissom as ls
from benchmarks.peers.exudyn_rods import ExudynRods
from benchmarks.rods.motions import RodMotion
from tests.references.exudyn_spin_up import PUBLISHED

SPIN, TIME = PUBLISHED.spin, PUBLISHED.time
BOOM = PUBLISHED.motion
SLENDER = replace(BOOM, inertia=(0.0, 0.0, 0.0))


def spun_rod(boom: RodMotion, functions: int, asked: dict, **options) -> np.ndarray:
    """Tip (n, 2) [m] in world axes."""
    run = ls.simulate(
        boom.model(functions, **asked).compile(),
        duration=boom.duration,
        output_step=boom.output_step,
        loads=[ls.Motion("rod0", acceleration=PUBLISHED.acceleration)],
        **options,
    )
    assert run.status == "finished", run.message
    return run["rod0.tip.position"][:, :2]


def spun_elements(elements: int, step: float) -> np.ndarray:
    """The same by Exudyn, with stretch and shear."""
    peer = ExudynRods(BOOM, elements, tolerance=1e-9, angle=PUBLISHED.angle)
    return peer.run(BOOM.duration, step, BOOM.output_step).tip[:, :2]


def spun_segments(segments: int) -> np.ndarray:
    """The same as rigid rods with springs, without stretch, shear and rotary inertia."""
    of, records = SLENDER, round(BOOM.duration / BOOM.output_step)
    stiffness, part = of.stiffness[2], of.length / segments
    fastest = 4 * math.sqrt(stiffness / of.mass) / part**2
    between = math.ceil(BOOM.output_step * fastest)
    return _segments(
        segments, part, of.mass, stiffness, BOOM.output_step / between, between, records
    )


def spun_segments_in_the_limit(segments: tuple[int, ...]) -> np.ndarray:
    """The polynomial in the square of a rod's length through these numbers, at length zero."""
    squares = [segments[0] ** 2 / n**2 for n in segments]
    weights = np.linalg.solve(np.vander(squares, increasing=True).T, np.eye(len(squares))[0])
    return sum(w * spun_segments(n) for w, n in zip(weights, segments, strict=True))


@numba.njit(fastmath=True)
def _segments(N, h, mass, EI, step, between, records):
    """N rigid rods of length h with springs EI/h, absolute angles, RK4; the root is clamped."""
    tips, k = np.zeros((records + 1, 2)), np.zeros((4, N))
    th, om, at_th, at_om = np.zeros(N), np.zeros(N), np.zeros(N), np.zeros(N)
    for s in range(records * between + 1):
        if s % between == 0:
            tips[s // between, 0] = h * np.cos(th).sum()
            tips[s // between, 1] = h * np.sin(th).sum()
        for stage in range(4):
            part = 0.0 if stage == 0 else (step if stage == 3 else step / 2)
            for i in range(N):
                back = 0.0 if stage == 0 else k[stage - 1, i]
                early = k[stage - 2, i] if stage > 1 else 0.0
                at_om[i] = om[i] + part * back
                at_th[i] = th[i] + part * (om[i] + step / 2 * early)
            k[stage] = _accelerations(N, h, mass, EI, s * step + part, at_th, at_om)
        th += step * om + step**2 / 6 * (k[0] + k[1] + k[2])
        om += step / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3])
    return tips


@numba.njit(fastmath=True)
def _accelerations(N, h, mass, EI, t, th, om):
    z = 2 * math.pi / TIME
    root = SPIN / TIME * (t * t / 2 + (math.cos(z * t) - 1) / z**2)
    M, f = np.zeros((N, N)), np.zeros(N)
    for i in range(N):
        for j in range(i + 1):
            c = mass * h**3 * ((N - 1 - i) + (0.25 if i == j else 0.5))
            M[i, j] = c * math.cos(th[i] - th[j]) + (mass * h**3 / 12 if i == j else 0.0)
            M[j, i] = M[i, j]
            turn = c * math.sin(th[i] - th[j])
            f[i] -= turn * om[j] ** 2
            f[j] += turn * om[i] ** 2
        if i > 0:
            moment = EI / h * (th[i] - th[i - 1])
            f[i] -= moment
            f[i - 1] += moment
    f[0] -= 2 * EI / h * (th[0] - root)
    return np.linalg.solve(M, f)
