"""Studies for the tests, importable by worker processes; as a program it runs one.

python -m tests.samples.sweeps STORE SAMPLES DELAY: the arm, each task with a delay [s].
"""

from __future__ import annotations

import os
import sys
import time

import numpy as np

import lissom as ls

SEED = 20
CHANNELS = ["payload.position", "upper.tip.deflection"]


def arm(mass=40.0):
    boom = ls.beam(6.0, ls.Tube(radius=0.04, thickness=0.002), ls.CARBON, modes=4)
    model = ls.Model("flexible arm")
    model.add(ls.RigidBody.box(4000, (3.0, 2.4, 2.4)), ls.Free(), name="hub")
    model.add(boom, ls.Revolute("z"), to="hub", at=(1.5, 0, 0), name="upper")
    model.add(boom, ls.Revolute((0, 0.3, 1)), to="upper.tip", name="lower")
    model.add(ls.RigidBody.sphere(mass, 0.3), ls.Fixed(), to="lower.tip", name="payload")
    return model


def swing(system, rng, delay=0.0):
    """Torques of a random size for a moment."""
    time.sleep(delay)
    torque = ls.Actuator("upper", 20.0 * (1 + 0.1 * rng.standard_normal()))
    return ls.simulate(system, duration=0.1, output_step=0.02, loads=[torque], rtol=1e-5)


def arm_study(samples, executor=None, delay=0.0, **options):
    parameters = {"mass": ls.Normal(40.0, 4.0), "delay": delay}
    chosen = {"samples": samples, "seed": SEED, "channels": CHANNELS} | options
    return ls.sweep(arm, parameters, swing, executor, **chosen)


def pendulum(length=1.0, mass=2.0):
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(mass, com=(0, 0, -length)), ls.Revolute("y"), name="bob")
    return model


def acceleration(system, values):
    """Of the pendulum at an angle: -g/l sin(angle)."""
    return {
        "acceleration": float(ls.forward_dynamics(system, system.state(bob=values["angle"]))[0])
    }


def drawn(system, values, rng):
    return {"number": rng.random(), "more": ("k", rng.integers(0, 99, 3), {"units": "1"})}


def at_times(bob, start):
    return {"position": bob, "start": start}


def sometimes(system, values):
    """Fails in each way, by the number of the case."""
    case = values["case"]
    if case == 1:
        raise ValueError("the wind was too strong")
    if case == 2:
        os._exit(3)
    if case == 3:
        return ls.simulate(system, duration=-1.0)
    if case == 4:
        sys.exit("enough")
    if case == 5:
        return {"other": 1.0}
    return {"case_again": case}


def swinging(system, values):
    return ls.simulate(system, system.state(bob=values["angle"]), duration=0.1, output_step=0.02)


def main():
    store, samples, delay = sys.argv[1:4]
    print(arm_study(int(samples), store=store, delay=float(delay)).sizes["sample"])


def same(a, b):
    """Whether two datasets have the same bits, whatever their attributes."""
    return a.equals(b) and all(
        np.array_equal(np.asarray(a[x]), np.asarray(b[x]), equal_nan=a[x].dtype.kind == "f")
        for x in a.variables
    )


if __name__ == "__main__":
    main()
