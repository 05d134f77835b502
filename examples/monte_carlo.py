"""
A thousand payloads
===================

An arm on a satellite swings a payload whose mass and whose grip are known only roughly, with
motors that differ from their data sheets. A thousand runs with random values show what that
leaves open: where the payload is at the end, and how far the booms bend on the way.
"""

import matplotlib.pyplot as plt
import numpy as np
import xarray

import lissom as ls

# %%
# The arm of the first example. The booms are the same in all runs; the payload is not.

boom = ls.beam(6.0, ls.Tube(radius=0.04, thickness=0.002), ls.CARBON, modes=4)


def build(mass, grip):
    """The arm with a payload [kg] that is held so far from its centre [m]."""
    model = ls.Model("flexible arm")
    model.add(ls.RigidBody.box(mass=4000, size=(3.0, 2.4, 2.4)), ls.Free(), name="hub")
    model.add(boom, ls.Revolute("z"), to="hub", at=(1.5, 0, 0), name="upper")
    model.add(boom, ls.Revolute((0, 0.3, 1)), to="upper.tip", name="lower")
    payload = ls.RigidBody.sphere(mass=mass, radius=0.3, com=(0, grip, 0))
    model.add(payload, ls.Fixed(), to="lower.tip", name="payload")
    return model


# %%
# One run: a full sine wave of torque at each joint, each motor with an error of three per
# cent of its own. The random generator of a run depends on its number alone, whoever computes it.

times = np.linspace(0, 6, 61)
wave = np.sin(2 * np.pi * times / 6)


def run(system, rng):
    """Eight seconds of motion."""
    upper, lower = (1 + 0.03 * rng.standard_normal(2)) * (420, 195)
    loads = [
        ls.Actuator("upper", ls.Table(times, upper * wave, "smooth")),
        ls.Actuator("lower", ls.Table(times, lower * wave, "smooth")),
    ]
    start = system.state(upper=-1.1, lower=-0.9)
    return ls.simulate(
        system,
        start,
        duration=8,
        step=0.05,
        output_step=0.1,
        integrator="generalized_alpha",
        loads=loads,
    )


# %%
# Here one run comes after the other. Without ``"serial"`` all processors share the work; other
# processes import the program, which then needs an ``if __name__ == "__main__":``.

found = ls.sweep(
    build,
    {"mass": ls.Normal(40, 4), "grip": ls.Uniform(-0.1, 0.1)},
    run,
    "serial",
    samples=1000,
    seed=1,
    sampling="latin_hypercube",
    channels=["payload.position", "upper.tip.deflection"],
    units={"mass": "kg", "grip": "m"},
)
print(found)
assert set(found.status.values) == {"done"}

# %%
# Statistics are those of xarray. The same numbers come from a plain loop, which shares nothing
# with the sweep but the definition of its random streams.

place = found["payload.position"].isel(time=-1)
spread = place.std("sample")
print(f"At the end the payload is within {', '.join(f'{100 * s:.0f} cm' for s in spread.values)}")
print("(one standard deviation in x, y and z).")

task = 123
rng = np.random.default_rng(np.random.SeedSequence(1, spawn_key=(1, task)))
values = found.isel(sample=task)
alone = run(build(float(values.mass), float(values.grip)).compile(), rng)
assert np.array_equal(alone["payload.position"], values["payload.position"])

# %%
# Median and the band of nine runs in ten. Booms bend by what the motors do; where the payload
# goes is open, and more so the longer the arm drifts on after the torques have ended.

curves = {}
for name, axis in (
    ("payload.position", "x"),
    ("payload.position", "y"),
    ("upper.tip.deflection", "y"),
):
    curves[f"{name}, {axis}"] = found[name].sel(axis=axis, drop=True)
ls.viz.plot_band(xarray.Dataset(curves))

# %%
# What is the spread due to? The mass, not the grip.

y = place.sel(axis="y")
figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharey=True, layout="constrained")
for panel, (name, unit) in zip(axes, (("mass", "kg"), ("grip", "m")), strict=True):
    panel.plot(found[name], y, ".", ms=2)
    r = np.corrcoef(found[name], y)[0, 1]
    panel.set(xlabel=f"{name} [{unit}]", title=f"correlation {r:.2f}")
axes[0].set_ylabel("y of the payload at 8 s [m]")
plt.show()
