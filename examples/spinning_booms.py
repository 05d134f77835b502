"""
Satellite with spinning booms
=============================

A satellite that measures fields carries its instruments far out, on four booms that only spin
keeps straight: at rest they vibrate more slowly than the satellite turns. Something strikes one of
the tips. The booms swing about their places, the hub wobbles, and the angular momentum stays.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

# %%
# Booms of 25 m, each with an instrument of 2 kg.

spin, reach = 0.5, 25.0
boom = ls.beam(reach, ls.Tube(radius=0.02, thickness=0.0005), ls.CARBON, bending=3, damping=0.005)
model = ls.Model("satellite")
model.add(ls.RigidBody.cylinder(800, radius=1.0, length=0.8), ls.Free(), name="hub")
for k, side in enumerate("abcd"):
    angle = k * np.pi / 2
    place = {"at": (np.cos(angle), np.sin(angle), 0), "rotation": {"axis": "z", "angle": angle}}
    model.add(boom, ls.Fixed(), to="hub", **place, name=f"boom {side}")
    model.add(ls.RigidBody.sphere(2.0, 0.15), ls.Fixed(), to=f"boom {side}.tip", name=f"tip {side}")
print(model.compile(level="stiffened"), "\n")

# %%
# After a second one tip is struck, 4 N for a fifth of a second, forward and out of the plane. Once
# the booms have the level that stiffens, and once they do not.

blow = ls.Table([0, 1, 1.01, 1.2, 1.21, 60], np.outer([0, 0, 1, 1, 0, 0], [0, 4.0, 4.0]))
runs = {}
for level in ("full", "stiffened"):
    system = model.compile(level=level)
    start = system.state(**{"hub.rates": (0, 0, spin, 0, 0, 0)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ls.SimulationWarning)  # of the one that does not stiffen
        runs[level] = ls.simulate(
            system,
            start,
            duration=60,
            loads=[ls.NodeForce("tip a", force=blow)],
            integrator="generalized_alpha",
            step=0.01,
        )
    far = np.abs(runs[level]["boom a.tip.deflection"]).max()
    print(f"{level:10s} the struck boom bends by up to {far:.2g} m")

# %%
# After the blow nothing acts from outside. The booms' damping takes energy, but angular momentum
# stays, also its direction, about which the hub wobbles.

run = runs["stiffened"]
momentum = run["momentum.angular"][run.time > 1.3]
change = np.abs(momentum - momentum[0]).max() / np.linalg.norm(momentum[0])
print(f"The angular momentum changes by {change:.0e} of it.")
assert change < 1e-6

figure, axes = plt.subplots(2, 1, figsize=(8, 5.4), sharex=True, layout="constrained")
bent, lost = (runs[level]["boom a.tip.deflection"] for level in ("stiffened", "full"))
early = run.time < run.time[np.argmax(np.abs(lost[:, 1]) > 2)]
axes[0].plot(run.time[early], lost[early, 1], "--", label="full, in the plane")
axes[0].plot(run.time, bent[:, 1:], label=["stiffened, in the plane", "stiffened, out of it"])
axes[0].set(ylabel="bend of the struck boom [m]", ylim=(-1.5, 1.5))
axes[0].legend(loc="lower right")
wobble = np.degrees(run["hub.angular_velocity"][:, :2] / spin)
axes[1].plot(run.time, wobble, label=["x", "y"])
axes[1].set(xlabel="time [s]", ylabel="wobble of the hub [°]")
axes[1].legend(loc="lower left")
plt.show()

# %%
# The satellite, and the path of the tip that was struck:

run.show(frames=600, trails=["tip a"], height=420)
