"""
Deploying panels with latches
=============================

A satellite unfolds three solar panels by springs in their hinges, and each hinge latches when it
is straight. A latch stops its hinge within milliseconds, and the panels ring. Nothing acts from
outside: momentum stays zero, so the satellite turns back while the panels unfold, and stands still
when they do.
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

# %%
# Sandwich panels of 2 m, soft enough to be seen bending. They are folded to and fro beside the
# hub: the first hinge by 90°, the others by 180°.

sandwich = ls.Material("sandwich", youngs_modulus=1.5e9, density=150.0)
shapes = {"bending": (0, 3), "torsion": 0, "stretch": 0}  # in the plane of motion, x-z
panel = ls.beam(2.0, ls.Rectangle(1.0, 0.02), sandwich, **shapes, damping=0.02)
folded = {"panel1": np.pi / 2, "panel2": -np.pi, "panel3": np.pi}

model = ls.Model("deploying panels")
model.add(ls.RigidBody.box(300, (1.2, 1.2, 1.2)), ls.Free(), name="hub")
model.add(panel, ls.Revolute("y"), to="hub", at=(0.65, 0, 0.6), name="panel1")
model.add(panel, ls.Revolute("y"), to="panel1.tip", name="panel2")
model.add(panel, ls.Revolute("y"), to="panel2.tip", name="panel3")
system = model.compile()
print(system)

# %%
# Springs are still wound by 0.4 rad when a hinge is straight. An event watches for that and latches
# the hinge. The latch has the stiffness of its bracket: a rigid one would stop the hinge in no
# time, by an impulse that is in no force, and the height of the peaks after it would depend on the
# number of shapes of the panels.

loads, latches = [], []
for name, angle in folded.items():
    side = np.sign(angle)
    loads.append(ls.JointSpring(name, 4.0, rest=-0.4 * side, damping=8.0))
    latch = ls.Lock(name, stiffness=2e4, damping=5.0)
    event = {"value": 0.0, "direction": -side, "once": True, "name": f"{name} latched"}
    latches.append(ls.Event(name, latch, **event))

settings = {"loads": loads, "events": latches}
run = ls.simulate(system, system.state(**folded), duration=20, output_step=0.01, **settings)
for time, what in run.events:
    print(f"{time:6.2f} s  {what}")
drawing = ls.viz.draw(system, run.state(2.0))

# %%
# Momentum, linear and angular, is zero before, at and after each latch. To have a measure,
# compare it with the largest that the hub has alone.

hub_spin = np.abs(run["hub.rates"][:, 1]).max() * 300 * 1.2**2 / 6
left = np.abs(run["momentum.angular"]).max() / hub_spin
print(f"The hub turns with up to {hub_spin:.1f} N m s; of that, {left:.0e} is missing in the sum.")
assert left < 1e-6 and abs(run.events[-1][0] - 5.2128) < 5e-4
assert [what for _, what in run.events] == ["panel2 latched", "panel1 latched", "panel3 latched"]

# %%
# What the latches have to bear. Rows every 10 ms are enough to see the motion, but not for peaks: a
# run without an output step keeps them all.

short = ls.simulate(system, system.state(**folded), duration=8, **settings)
bending = short.envelope(*(f"{name}.reaction.moment_y" for name in folded))
print(bending)
assert not bending.notes and all(5 < abs(x.smallest) < 60 for x in bending)

# %%
# The springs put 14 J into the motion, and the dampers of the hinges take most of it before the
# first latch. The rest goes into bending, and fades with the damping of the panels.

hub_angle = np.degrees(2 * np.arcsin(run["hub.quaternion"][:, 2]))
figure, axes = plt.subplots(3, 1, figsize=(8, 7), sharex=True, layout="constrained")
for name in folded:
    axes[0].plot(run.time, np.degrees(run[f"{name}.angle"]), label=name)
    axes[1].plot(run.time, 1000 * run[f"{name}.tip.deflection"][:, 2], lw=0.9, label=name)
axes[0].plot(run.time, hub_angle, "k", label="hub")
axes[0].set(ylabel="angle [°]", title="Hinges, and attitude of the hub")
axes[1].set(ylabel="deflection [mm]", title="Tips of the panels")
axes[2].semilogy(run.time[1:], (run.energy.kinetic + run.energy.strain)[1:], color="C3")
axes[2].set(xlabel="time [s]", ylabel="energy [J]", title="Kinetic and strain energy")
for panel_axes in axes:
    for time, _ in run.events:
        panel_axes.axvline(time, color="0.6", lw=0.8, ls=":")
axes[0].legend(loc="right")
plt.show()

# %%

run.show(frames=400, scale=3, height=480)
