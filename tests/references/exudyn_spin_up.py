"""A boom whose hub spins up beyond its first frequency, here and in Exudyn.

The hub turns in a plane with the rate W (t/T - sin(2πt/T)/2π) and is at rest before (T. R. Kane, R.
R. Ryan, A. K. Banerjee, J. Guidance 10, 1987).  `PUBLISHED` has the numbers of J. C. Simo, L.
Vu-Quoc, J. Appl. Mech. 53, 1986, part II.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import lissom as ls
from benchmarks.peers.exudyn_rods import ExudynRods
from benchmarks.rods.motions import RodMotion

OUTPUT_STEP = 0.1


@dataclass(frozen=True)
class Boom:
    """Length [m], stiffness [N, N m², N], mass [kg/m], final spin [rad/s] and its time [s]."""

    length: float
    EA: float
    EI: float
    GA: float
    line: float
    spin: float
    time: float

    @property
    def first_frequency(self) -> float:
        """Of the clamped beam at rest [rad/s]."""
        return 3.516 * float(np.sqrt(self.EI / (self.line * self.length**4)))

    @property
    def motion(self) -> RodMotion:
        """The boom as one rod, its root pinned."""
        turning = self.line * self.EI / self.EA
        return RodMotion(
            "boom", ("pin",), self.length, (1.0, self.EI, self.EI, self.EA, self.GA, self.GA),
            self.line, (0.0, turning, turning), duration=self.time, output_step=0.5, fine_step=5e-3,
        )  # fmt: skip

    def angle(self, t):
        """Angle of the hub [rad]."""
        T = self.time
        return self.spin * (t * t / (2 * T) - T / (2 * np.pi**2) * np.sin(np.pi * t / T) ** 2)

    def acceleration(self, t):
        """Angular acceleration of the hub [rad/s²]."""
        return self.spin / self.time * (1 - np.cos(2 * np.pi * t / self.time))

    def seen_from_the_hub(self, time, position):
        """How far the tip has moved along and across the boom (n, 2) [m]."""
        c, s = np.cos(self.angle(time)), np.sin(self.angle(time))
        x, y = position[:, 0], position[:, 1]
        return np.stack([c * x + s * y - self.length, c * y - s * x], axis=1)


PUBLISHED = Boom(length=10.0, EA=2.8e7, EI=1.4e4, GA=1e7, line=1.2, spin=6.0, time=15.0)


def parts_in_a_row(boom: Boom, parts: int, step: float | None = 0.01, **asked) -> np.ndarray:
    """Displacement of the tip along and across, beams on Fixed joints; `asked` goes to `beam`."""
    side = float(np.sqrt(12 * boom.EI / boom.EA))
    material = ls.Material("boom", boom.EA / side**2, boom.line / side**2)
    section = ls.Rectangle(side, side)
    piece = ls.beam(boom.length / parts, section, material, damping=0.0, **asked)
    model, to = ls.Model("boom"), None
    for k in range(parts):
        joint = ls.Fixed() if k else ls.Revolute("z")
        model.add(piece, joint, to=to, name=f"part{k}")
        to = f"part{k}.tip"
    run = ls.simulate(
        model.compile(),
        duration=boom.time,
        step=step,
        output_step=OUTPUT_STEP,
        integrator="generalized_alpha",
        loads=[ls.Motion("part0", acceleration=boom.acceleration)],
    )
    return boom.seen_from_the_hub(run.time, run[f"{to}.position"])


def exact_beams(boom: Boom, elements: int, step: float = 0.01) -> np.ndarray:
    """The same by Exudyn's geometrically exact beams, with stretch and shear."""
    peer = ExudynRods(boom.motion, elements, tolerance=1e-7, angle=boom.angle)
    run = peer.run(boom.time, step, OUTPUT_STEP)
    return boom.seen_from_the_hub(run.time, run.tip)
