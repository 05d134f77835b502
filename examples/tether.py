"""
Tether between two satellites
=============================

A rope connects two satellites. It hangs loose in an S when they push off from each other, comes
taut, and pulls them together again, while waves run along it. Bent far, loose and taut are all the
same to a rod: its equations are exact. Nothing acts from outside, so that momentum stays.
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

# %%
# Ten metres of rope between a satellite of 60 kg and one of 20 kg.

length = 10.0
rope = ls.Material("braided rope", youngs_modulus=1e9, density=1100)
tether = ls.rod(length, ls.Circle(0.005), rope, bending=6, torsion=0, stretch=2, damping=0.05)
model = ls.Model("tether")
model.add(ls.RigidBody.box(60, (0.6, 0.6, 0.6)), ls.Free(), name="mother")
model.add(tether, ls.Fixed(), to="mother", at=(0.3, 0, 0), name="tether")
small = ls.RigidBody.box(20, (0.4, 0.4, 0.4), com=(0.2, 0, 0))
model.add(small, ls.Fixed(), to="tether.tip", name="daughter")
system = model.compile()
print(system, "\n")

# %%
# The S: a curvature that changes along the rope from one sign to the other, in two planes. A rod's
# coordinates are amplitudes of curvature; those of a given one are found at the stations.

tables = system.bodies[1].rod
loose = np.zeros(tether.n_mode)
for plane, largest in ((1, 0.2), (2, 0.9)):  # about y, about z [rad/m]
    columns = tables.strains == plane
    curvature = largest * (2 * tables.points / length - 1)
    loose[columns] = np.linalg.lstsq(tables.functions[:, columns], curvature, rcond=None)[0]
start = system.state(**{"tether.modes": loose})

# %%
# For a second, thrusters push the satellites apart.

apart = ls.pose(system, start, "daughter").position
push = np.outer([0, 9, 9, 0, 0], apart / np.linalg.norm(apart))
times = [0, 0.01, 1, 1.01, 20]
thrusters = [
    ls.NodeForce("daughter", force=ls.Table(times, push), at=(0.2, 0, 0)),
    ls.NodeForce("mother", force=ls.Table(times, -push)),
]
run = ls.simulate(system, start, duration=20, loads=thrusters, output_step=0.01)
distance = np.linalg.norm(run["daughter.position"] - run["mother.position"], axis=1)
tension = np.linalg.norm(run["daughter.reaction"][:, 3:], axis=1)
taut = run.time[np.argmax(distance)]
print(f"The rope comes taut after {taut:.1f} s and pulls with up to {tension.max():.0f} N.")

# %%
# After the push, momentum and angular momentum stay what they are.

momentum = run["momentum"][run.time > 1.02]
change = np.abs(momentum - momentum[0]).max(axis=0)
print(
    f"Angular momentum changes by {change[:3].max():.0e} of {abs(momentum[0, :3]).max():.2g} N m s"
)
print(f"and momentum by {change[3:].max():.0e} N s.")
assert change.max() < 1e-5

figure, axes = plt.subplots(2, 1, figsize=(8, 5), sharex=True, layout="constrained")
axes[0].plot(run.time, distance)
axes[0].set(ylabel="distance of the satellites [m]")
axes[1].plot(run.time, tension, color="C1")
axes[1].set(xlabel="time [s]", ylabel="pull on the small satellite [N]")
plt.show()

# %%
# The rope, coloured by its curvature:

run.show(frames=600, color="curvature", trails=["daughter"])
