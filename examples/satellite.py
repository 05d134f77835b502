"""
Satellite with a reaction wheel
===============================

A satellite with two long solar panels turns by 40° by spinning a wheel the other way. A sampled
controller looks at attitude and rate of the hub, ten times a second, and drives the wheel; the
panels ring, and the hub with them. Nothing leaves the satellite, so wheel, hub and panels share
an angular momentum that stays zero.
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

# %%
# The panels are 6 m long and lie in the plane of y and z, so that a turn about z bends them.

sandwich = ls.Material("sandwich", youngs_modulus=2e9, density=150.0)
shapes = {"bending": (3, 0), "torsion": 1, "stretch": 0}  # stiff across their width
panel = ls.beam(6.0, ls.Rectangle(0.02, 1.5), sandwich, **shapes, damping=0.005)
left = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])  # x of the panel along y of the hub
wheel = ls.RigidBody.cylinder(12, radius=0.2, length=0.06)

model = ls.Model("satellite")
model.add(ls.RigidBody.box(400, (1.4, 1.4, 1.8)), ls.Free(), name="hub")
model.add(wheel, ls.Revolute("z"), to="hub", name="wheel")
model.add(panel, ls.Fixed(), to="hub", at=(0, 0.7, 0), rotation=left, name="left")
model.add(panel, ls.Fixed(), to="hub", at=(0, -0.7, 0), rotation=left.T, name="right")
system = model.compile()
print(system)

# %%
# Proportional and derivative control with a limit on the torque of the motor.

target = np.radians(40)


def attitude(quaternion):
    """Angle about z."""
    return 2 * np.arctan2(quaternion[..., 3], quaternion[..., 0])


def control(time, state):
    """Torque of the wheel's motor from what the hub's sensors say."""
    error, rate = target - attitude(state["hub"]), state["hub.rates"][2]
    return {"wheel": np.clip(-(60 * error - 400 * rate), -8, 8)}


run = ls.simulate(system, duration=60, forces=ls.Controller(control, 0.1), output_step=0.05)
drawing = ls.viz.draw(system, run.state(7.6))

# %%
# What the wheel has, hub and panels must have with the opposite sign.

stored = 0.5 * 12 * 0.2**2 * np.abs(run["wheel.rates"]).max()
left_over = np.abs(run["momentum.angular"]).max()
angle = np.degrees(attitude(run["hub.quaternion"]))
print(f"The wheel takes up to {stored:.1f} N m s; the sum stays below {left_over:.0e} N m s.")
print(f"After {run.time[-1]:.0f} s the hub has turned by {angle[-1]:.2f}°.")
assert left_over < 1e-8 * stored
assert abs(angle[-1] - 40) < 0.1

# %%
# While the motor is at its limit the panels ring freely. Then the controller damps them.

figure, axes = plt.subplots(3, 1, figsize=(8, 6.5), sharex=True, layout="constrained")
axes[0].plot(run.time, angle)
axes[0].axhline(40, color="0.6", lw=0.8, ls="--")
axes[0].set(ylabel="attitude [°]", title="Hub")
axes[1].plot(run.time, run["wheel.rates"] * 60 / (2 * np.pi), color="C2")
axes[1].set(ylabel="rate [1/min]", title="Wheel")
axes[2].plot(run.time, 1000 * run["left.tip.deflection"][:, 1], color="C1")
axes[2].set(xlabel="time [s]", ylabel="deflection [mm]", title="Tip of a panel")
plt.show()

# %%
# Deflections are enlarged ten times.

run.show(frames=400, scale=10, trails=["left.tip", "right.tip"], height=480)
