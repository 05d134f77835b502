"""
Design loads of a slewing arm
=============================

A crane arm on a column carries a load at its tip, turns through a quarter in two seconds and
stops. What do its sections, its root and its tip have to stand? The envelope has the largest and
smallest of every load with time and place; the load table has all loads at these instants, for the
program that checks the joints.
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

# %%
# A welded box girder would be a section of its own; here it is an I-beam, upright.

arm = ls.beam(4.0, ls.ISection(0.20, 0.20, 0.015, 0.009), ls.STEEL, bending=4, torsion=2)
model = ls.Model("slewing arm", gravity=(0, 0, -9.81))
model.add(ls.RigidBody.cylinder(200.0, 0.15, 1.0), ls.Revolute("z"), name="column")
model.add(arm, ls.Fixed(), to="column", at=(0.15, 0, 0.4), name="arm")
model.add(ls.RigidBody.sphere(mass=250.0, radius=0.2), ls.Fixed(), to="arm.tip", name="load")
system = model.compile()

# %%
# The turn follows a smooth law in two seconds; the arm starts at rest in its sag.


def angular_acceleration(t):
    """A full sine wave of acceleration [rad/s²], so that the column comes to rest."""
    return np.pi**2 / 4 * np.sin(np.pi * t) if t < 2.0 else 0.0


drive = ls.Motion("column", acceleration=angular_acceleration)
start = ls.equilibrium(system, held=["column"])
run = ls.simulate(system, start, duration=3.0, loads=[drive], output_step=2e-3)

# %%
# Envelope and load table.

envelope = run.envelope("arm.section_force", "arm.section_moment", "arm.stress", "arm.reaction")
print(envelope)
folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp())
run.load_table(folder / "loads.csv", "arm.reaction", "arm.tip.interface_load", times=envelope.times)
text = (folder / "loads.csv").read_text()
print("\n".join(line[:100] for line in text.splitlines()[:4]))

# %%
# Moments along the arm: the band of all instants, and the instant of the largest stress.

at = np.linspace(0.0, 4.0, 81)
moments = run.along("arm", "section_moment", at)
worst = int(np.argmax(run["arm.stress"]))
figure, axes = plt.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
for axis, k, name in ((axes[0], 1, "upright bending $M_y$"), (axes[1], 2, "sideways $M_z$")):
    low, high = moments[:, :, k].min(axis=0), moments[:, :, k].max(axis=0)
    axis.fill_between(at, low / 1e3, high / 1e3, color="#3b8fc4", alpha=0.3, label="envelope")
    axis.plot(at, moments[worst, :, k] / 1e3, color="#d55e00", label="at the largest stress")
    axis.set_ylabel(f"{name} [kN m]")
axes[0].legend()
axes[1].set_xlabel("distance from the root [m]")

# %%
# By hand: the weights bend the root upright, and the largest angular acceleration, pi^2 / 4 rad/s²,
# bends it sideways. The vibration adds to the latter.

g, length, mass = 9.81, 4.0, arm.mass
upright = 250.0 * g * length + mass * g * length / 2
alpha = np.pi**2 / 4
tip = 250.0 * (0.15 + length) * length + mass * (0.15 * length / 2 + length**2 / 3)
found = envelope["arm.section_moment.y"].largest, envelope["arm.section_moment.z"].largest
print(f"upright {found[0]:.0f} N m, by hand {upright:.0f}")
print(f"sideways {found[1]:.0f} N m, by hand without vibration {alpha * tip:.0f}")
assert abs(found[0] / upright - 1) < 0.02
assert 1.0 < found[1] / (alpha * tip) < 2.0
