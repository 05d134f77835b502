"""Motions of rods that bend far, as numbers and as models of lissom."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lissom.bodies import Rod
from lissom.joints import Fixed, Revolute
from lissom.model import Model
from lissom.sim import Load, NodeForce, Table

TURNED = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # 90 degrees about z


@dataclass(frozen=True)
class RodMotion:
    """Equal rods in a row from the origin, the first along x.

    Parameters
    ----------
    name : str
        For tables.
    joints : tuple of {"pin", "clamp", "corner"}
        Of each rod at its root: turning about z; clamped; clamped at a right angle in x-y.
    length : float
        Of a rod [m].
    stiffness, mass, inertia : tuple, float, tuple
        Of a section, as for `Rod`.
    duration, output_step, fine_step : float
        Simulated time, time between records, and step of the converged motion [s].
    gravity : tuple
        World axes [m/s²].
    planar : bool
        Whether everything stays in the plane x-y.
    pulse : tuple of (float, float)
        Times and forces along z on the end of the first rod [s, N], linear between.
    """

    name: str
    joints: tuple[str, ...]
    length: float
    stiffness: tuple[float, ...]
    mass: float
    inertia: tuple[float, float, float]
    duration: float
    output_step: float
    fine_step: float
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    planar: bool = True
    pulse: tuple[tuple[float, float], ...] = field(default=())

    def model(self, functions: int, **asked: Any) -> Model:
        """Rods of lissom, without damping.

        Parameters
        ----------
        functions : int
            Functions of curvature in a plane, and of torsion in space.
        **asked
            Other arguments of `Rod`; by default stretch and shear have half as many functions.
        """
        half = max(1, functions // 2)
        plain: dict[str, Any] = (
            {"bending": (functions, 0), "torsion": 0, "shear": (half, 0)}
            if self.planar
            else {"bending": functions, "torsion": functions, "shear": half}
        )
        options = {**plain, "stretch": half, "damping": 0.0, "elements": 1} | asked
        body = Rod(self.length, self.stiffness, self.mass, self.inertia, **options)
        model = Model(self.name, gravity=self.gravity)
        for k, joint in enumerate(self.joints):
            where: dict[str, Any] = {"to": f"rod{k - 1}.tip"} if k else {}
            if joint == "corner":
                where["rotation"] = TURNED
            model.add(body, Revolute("z") if joint == "pin" else Fixed(), name=f"rod{k}", **where)
        return model

    @property
    def loads(self) -> list[Load]:
        """Loads on the model."""
        if not self.pulse:
            return []
        times, forces = np.array(self.pulse).T
        rows = np.stack([0 * forces, 0 * forces, forces], axis=1)
        return [NodeForce("rod0.tip", Table(times, rows))]

    @property
    def ends(self) -> list[str]:
        """Names of the ends of rods."""
        return [f"rod{k}.tip" for k in range(len(self.joints))]


def slender(bending: float, ratio: float, mass: float) -> dict[str, Any]:
    """Section of a slender rod: EI [N m²], length over radius of gyration for L = 1, mass [kg/m].

    Shear stiffness is that of a rectangle with a Poisson's ratio of 0.3.
    """
    EA = bending * ratio**2
    GA = 5 / 6 * EA / 2.6
    rotary = mass / ratio**2
    return {
        "stiffness": (bending / 1.3, bending, bending, EA, GA, GA),
        "mass": mass,
        "inertia": (2 * rotary, rotary, rotary),
    }


EARTH = (0.0, -9.81, 0.0)

SOFT = RodMotion(
    "soft pendulum", ("pin",), 1.0, **slender(1.0, 1000.0, 1.0), gravity=EARTH,
    duration=1.0, output_step=0.05, fine_step=5e-4,
)  # fmt: skip
DOUBLE = RodMotion(
    "double pendulum", ("pin", "pin"), 1.0, **slender(10.0, 100.0, 1.0), gravity=EARTH,
    duration=1.0, output_step=0.05, fine_step=5e-4,
)  # fmt: skip
# J. C. Simo, L. Vu-Quoc, Comput. Methods Appl. Mech. Eng. 66, 1988
FRAME = RodMotion(
    "right-angle frame", ("clamp", "corner"), 10.0, (1e3, 1e3, 1e3, 1e6, 1e6, 1e6), 1.0,
    (20.0, 10.0, 10.0), planar=False, pulse=((0.0, 0.0), (1.0, 50.0), (2.0, 0.0)),
    duration=15.0, output_step=0.25, fine_step=6.25e-3,
)  # fmt: skip
MOTIONS = (SOFT, DOUBLE, FRAME)
