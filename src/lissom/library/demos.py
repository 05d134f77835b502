"""Demonstrations for `lissom demo`: mechanisms with initial state, loads and duration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..algorithms import closure
from ..bodies import RigidBody
from ..errors import ModelError, suggestion
from ..joints import Fixed, Free, Revolute, Spherical
from ..model import Model
from ..printing import Shown
from ..sim import Actuator, Table, assemble, simulate
from ..structures import ALUMINIUM, CARBON, Tube, beam
from ..system import State, System
from .order_n import order_n
from .order_n_run import order_n_loads, order_n_start


@dataclass(frozen=True, eq=False)
class Demo(Shown):
    """Mechanism with everything needed to simulate it."""

    name: str
    system: System
    start: State
    # arguments of `simulate`, including the duration
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """One-line description."""
        return DEMOS[self.name][0]

    def run(self, **changes: Any) -> Any:
        """Simulate the mechanism."""
        return simulate(self.system, self.start, **{**self.settings, **changes})


def demo(name: str) -> Demo:
    """A demonstration by name."""
    if not isinstance(name, str) or name not in DEMOS:
        raise ModelError(f"there is no demo {name!r}; {suggestion(str(name), DEMOS)}")
    return DEMOS[name][1]()


def _arm() -> Demo:
    boom = beam(6.0, Tube(radius=0.04, thickness=0.002), CARBON, modes=4)
    model = Model("flexible arm")
    model.add(RigidBody.box(4000, (3.0, 2.4, 2.4)), Free(), name="hub")
    model.add(boom, Revolute("z"), to="hub", at=(1.5, 0, 0), name="upper")
    model.add(boom, Revolute((0, 0.3, 1)), to="upper.tip", name="lower")
    model.add(RigidBody.sphere(40, 0.3), Fixed(), to="lower.tip", name="payload")
    system = model.compile()
    times = np.linspace(0.0, 6.0, 61)
    wave = np.sin(2 * np.pi * times / 6.0)
    loads = [
        Actuator(joint, Table(times, size * wave, "smooth"))
        for joint, size in {"upper": 560.0, "lower": 260.0}.items()
    ]
    settings = {"duration": 9.0, "loads": loads, "output_step": 0.01}
    return Demo("arm", system, system.state(upper=-1.1, lower=-0.9), settings)


def _whip() -> Demo:
    model = Model("whip", gravity=(0, 0, -9.81))
    link = beam(
        0.8, Tube(radius=0.02, thickness=0.001), ALUMINIUM, bending=(0, 3), torsion=0, stretch=0
    )
    for k in range(3):
        to = f"link{k - 1}.tip" if k else None
        model.add(link, Revolute("y"), to=to, name=f"link{k}")
    model.add(RigidBody.sphere(1.0, 0.06), Fixed(), to="link2.tip", name="knob")
    system = model.compile()
    start = system.state(link0=-0.2)
    return Demo("whip", system, start, {"duration": 6.0, "output_step": 0.01})


def _four_bar() -> Demo:
    def bar(length: float) -> RigidBody:
        return RigidBody.box(length, (length, 0.08, 0.08), com=(length / 2, 0, 0))

    model = Model("parallelogram", gravity=(0, 0, -9.81))
    model.add(bar(1.0), Revolute("y"), name="crank")
    model.add(bar(2.0), Revolute("y"), to="crank", at=(1, 0, 0), name="coupler")
    model.add(bar(1.0), Revolute("y"), at=(2, 0, 0), name="rocker")
    model.close(Revolute("y"), "coupler", "rocker", at_a=(2, 0, 0), at_b=(1, 0, 0), name="pin")
    system = model.compile()
    guess = system.state(crank=0.7, coupler=-0.7, rocker=0.7)
    start = assemble(system, guess, held=["crank"])
    start = start.replace(v=7.0 * closure(system, start).basis[:, 0])
    return Demo("four-bar", system, start, {"duration": 6.0, "output_step": 0.01})


def _gyroscope() -> Demo:
    model = Model("gyroscope", gravity=(0, 0, -9.81))
    axle = RigidBody.cylinder(0.2, radius=0.01, length=0.5, axis="x", com=(0.25, 0, 0))
    model.add(axle, Spherical(), name="axle")
    wheel = RigidBody.cylinder(1.5, radius=0.25, length=0.05, axis="x")
    model.add(wheel, Revolute("x"), to="axle", at=(0.4, 0, 0), name="wheel")
    system = model.compile()
    start = system.state(**{"wheel.rates": 90.0})
    return Demo("gyroscope", system, start, {"duration": 8.0, "output_step": 0.01})


def _platform() -> Demo:
    system = order_n(16).compile()
    settings = {
        "duration": 30.0,
        "integrator": "generalized_alpha",
        "step": 0.01,
        "loads": order_n_loads(system),
        "output_step": 0.05,
    }
    return Demo("platform", system, order_n_start(system), settings)


# Description and constructor of each demo.
DEMOS: dict[str, tuple[str, Callable[[], Demo]]] = {
    "arm": ("an arm with two flexible booms swings on a free satellite", _arm),
    "whip": ("three flexible links with a knob at the end fall under gravity", _whip),
    "four-bar": ("a parallelogram linkage turns over through its flat positions", _four_bar),
    "gyroscope": ("a spinning wheel precesses instead of falling", _gyroscope),
    "platform": ("three legs and two arms with flexible booms hold an object", _platform),
}
