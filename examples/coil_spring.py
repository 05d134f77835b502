"""
Coil spring
===========

A helical spring is a wire that twists: pulled along its axis, it has the stiffness
:math:`k = G d^4 / (8 D^3 n)` of every textbook. Here the wire itself is the model, a rod with the
natural curvature and twist of a helix. It does what the formula leaves out, too: it turns when it
stretches. Wilberforce hung a mass on such a spring that turns as slowly as it swings, and saw the
swing become a turn and come back.
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

# %%
# Nine turns of wire of 2 mm, 40 mm in diameter. Of a helix with radius r and rise c per radian the
# curvature is :math:`r / (r^2 + c^2)` and the twist :math:`c / (r^2 + c^2)`.

turns, wire, diameter, pitch = 9, 0.002, 0.04, 0.012
r, c = diameter / 2, pitch / (2 * np.pi)
square = r**2 + c**2
length, curvature = 2 * np.pi * turns * np.sqrt(square), np.array([c, 0, r]) / square
section = ls.Circle(wire / 2)
coil = ls.rod(length, section, ls.STEEL, curvature=curvature, torsion=4, stretch=0, damping=1e-3)
print(coil)

# %%
# The wire leaves its root along x and winds about the direction of its curvature and twist, which
# shall point down. The mass is a cylinder on the axis, at the end of the wire. A spring turns
# back with :math:`E d^4 / (64 D n)`; the radius is such that both frequencies are the same.

down, across = curvature / np.linalg.norm(curvature), np.array([0, 1.0, 0])
hanging = np.stack([-np.cross(across, down), across, -down])
model = ls.Model("coil spring", gravity=(0, 0, -9.81))
model.add(coil, ls.Fixed(), at=(0, -r, 0), rotation=hanging, name="spring")
alone = model.compile()
end = ls.pose(alone, alone.neutral(), "spring.tip")
radius = diameter * np.sqrt((1 + ls.STEEL.poisson_ratio) / 2)
bob = ls.RigidBody.cylinder(0.5, radius=radius, length=0.02, com=(0, 0, -0.02))
place = end.rotation.T @ ([0, 0, end.position[2]] - end.position)
model.add(bob, ls.Fixed(), to="spring.tip", at=place, rotation=end.rotation.T, name="bob")
system = model.compile()

# %%
# Its stiffness while it is hardly stretched, from two equilibria; stretched by the weight it is
# about one per cent stiffer.


def height(lift):
    """Height of the bob, which a force lifts [m]."""
    loads = [ls.NodeForce("bob", force=(0, 0, lift))]
    return ls.pose(system, ls.equilibrium(system, loads=loads), "bob").position[2]


weight = 0.5 * 9.81
formula = ls.STEEL.shear_modulus * wire**4 / (8 * diameter**3 * turns)
stiffness = 0.1 / (height(weight) - height(weight - 0.1))
print(f"The formula says {formula:.1f} N/m, the wire {stiffness:.1f} N/m.")
assert abs(stiffness / formula - 1) < 5e-3

# %%
# The bob is let go where the spring is not stretched.

run = ls.simulate(system, duration=30, step=2e-3, output_step=0.01, integrator="generalized_alpha")
swing = 1000 * (run["bob.position"][:, 2] - height(0.0))
turned = np.degrees([np.arctan2(R[1, 0], R[0, 0]) for R in run["bob.rotation"]])
sizes = np.array([np.ptp(piece) / 2 for piece in np.array_split(swing, 100)])
print(f"The swing of {sizes[0]:.1f} mm falls to {sizes.min():.1f} mm and comes back.")
print(f"Meanwhile the bob turns by {abs(turned).max():.0f}°.")

figure, axes = plt.subplots(2, 1, figsize=(8, 5), sharex=True, layout="constrained")
axes[0].plot(run.time, swing, lw=1)
axes[0].set(ylabel="swing [mm]")
axes[1].plot(run.time, turned, lw=1, color="C1")
axes[1].set(xlabel="time [s]", ylabel="turn [°]")
plt.show()

# %%
# Coloured by the moment in the wire:

run.show(frames=600, color="moment", height=480)
