"""
Campbell diagram of a rotor
===========================

A disc at the end of an elastic shaft bends it in two planes at the same frequency while it rests.
When it spins, its angular momentum couples the planes: the vibrations become whirls, and those
that run forwards get faster, those that run backwards slower. Where a frequency meets the line of
the spin itself, an unbalance excites it: the critical speed.
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

# %%
# The shaft does not turn; the disc does, on a joint at its tip, and is held at each speed of the
# sweep. Modes are followed by their shapes.

length, radius, mass, across, polar = 0.4, 0.01, 4.0, 0.02, 0.036
light = ls.Material("light", youngs_modulus=2.1e11, density=1.0)
shaft = ls.beam(length, ls.Circle(radius), light, bending=2, torsion=0, stretch=0, damping=0.0)
disc = ls.RigidBody(
    mass,
    inertia=(polar, across, across),
    solids=[ls.solids.Cylinder(0.13, 0.03, rotation={"axis": "y", "angle": np.pi / 2})],
)

model = ls.Model("rotor")
model.add(shaft, ls.Fixed(), name="shaft")
model.add(disc, ls.Revolute("x"), to="shaft.tip", name="disc")
system = model.compile()

spin = np.linspace(1.0, 700.0, 36)
sweep = ls.mode_sweep(system, spin, joint="disc", rates=True, n=4)
print(sweep)

# %%
# With the deflection :math:`w = y + i z` and the slope of the tip, a shaft without mass has
# :math:`M \ddot w - i G \dot w + K w = 0`, four frequencies in closed form.

bending = light.youngs_modulus * np.pi * radius**4 / 4
K = bending / length**3 * np.array([[12, -6 * length], [-6 * length, 4 * length**2]])
M, G = np.diag([mass, across]), np.diag([0.0, polar])


def whirls(rate):
    """Frequencies of the massless shaft [Hz]."""
    inverse = np.linalg.inv(M)
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ K, 1j * rate * inverse @ G]])
    return np.sort(np.abs(np.linalg.eigvals(A).imag)) / (2 * np.pi)


exact = np.array([whirls(rate) for rate in spin])
off = np.abs(np.sort(sweep.frequencies, axis=1) / exact - 1).max()
print(f"All frequencies agree with the closed form to {off:.0e}.")
assert off < 2e-4

# %%

turns = spin / (2 * np.pi)
figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.plot(60 * turns, exact, color="0.8", lw=5)
for row in sweep.frequencies.T:
    way = "forward" if row[-1] > row[0] else "backward"
    axes.plot(60 * turns, row, label=f"{'first' if row[0] < 50 else 'second'}, {way}")
axes.plot(60 * turns, turns, "k:", lw=1, label="spin")
axes.set(xlabel="spin [1/min]", ylabel="frequency [Hz]", title="Campbell diagram", ylim=(0, 300))
axes.legend()
plt.show()

# %%
# The second forward whirl at the highest speed, slowed down.

sweep.tables[-1].animate(int(np.argmax(sweep.tables[-1].frequencies))).show(height=420)
