"""
Satellite on a long boom
========================

A satellite with a mass on a boom of 20 m always shows the same side to the Earth: gravity is a
little stronger at its lower end. Pushed from the vertical it swings like a pendulum, slowly, about
one swing for each half orbit, and every swing bends the boom a little.
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

# %%
# The world goes along with the satellite on its orbit and does not turn. At the start the boom
# points away from the Earth, 10° from the vertical.

altitude, earth, mu = 600e3, 6378e3, 3.986e14
rate = np.sqrt(mu / (earth + altitude) ** 3)
length, tip_mass = 20.0, 8.0
boom = ls.beam(length, ls.Tube(radius=0.008, thickness=0.0004), ls.CARBON, bending=2, torsion=0)
model = ls.Model("boom satellite")
model.add(ls.RigidBody.box(150, (0.8, 0.8, 0.8)), ls.Free(), name="hub")
model.add(boom, ls.Fixed(), to="hub", at=(0.4, 0, 0), name="boom")
model.add(ls.RigidBody.sphere(tip_mass, 0.1), ls.Fixed(), to="boom.tip", name="tip")
system = model.compile()

angle = np.radians(10)
attitude = [np.cos(angle / 2), 0, 0, np.sin(angle / 2), 0, 0, 0]
start = system.state(hub=attitude)
center = ls.center_of_mass(system, start)
R = ls.pose(system, start, "hub").rotation
rates = [0, 0, rate, *(R.T @ np.cross([0, 0, rate], -center))]  # the centre of mass stays
start = system.state(hub=[*attitude[:4], *-center], **{"hub.rates": rates})

# %%
# Three orbits. The boom is straight at the start and vibrates until its damping has taken that; an
# implicit method passes over it.

orbit = 2 * np.pi / rate
run = ls.simulate(
    system,
    start,
    duration=3 * orbit,
    loads=[ls.GravityGradient(rate)],
    integrator="generalized_alpha",
    step=2.0,
)
turned = 2 * np.arctan2(run["hub"][:, 3], run["hub"][:, 0])
swing = np.unwrap(turned) - rate * run.time
swing -= 2 * np.pi * np.round(swing[0] / (2 * np.pi))

# %%
# A rigid satellite librates in pitch with the frequency n √(3 (I_roll - I_yaw) / I_pitch); of a
# swing of amplitude A the period is longer by the factor of a pendulum with the angle 2 A.

total = sum(body.mass for body in system.bodies)
offset = ls.center_of_mass(system, system.neutral())
M = ls.mass_matrix(system, system.neutral())
hub = system.layout.hinge_v("hub")
inertia = M[hub, hub][:3, :3] - total * ((offset @ offset) * np.eye(3) - np.outer(offset, offset))
yaw, roll, pitch = np.diag(inertia)
small = rate * np.sqrt(3 * (roll - yaw) / pitch)
k = np.sin(angle) ** 2
pendulum = 1 + k / 4 + 9 * k**2 / 64  # the series of the elliptic integral

crossings = np.flatnonzero((swing[:-1] > 0) & (swing[1:] <= 0))
times = run.time[crossings] + 2.0 * swing[crossings] / (swing[crossings] - swing[crossings + 1])
period = np.diff(times).mean()
wanted = 2 * np.pi / small * pendulum
print(f"Period of the swing: {period / 60:.3f} min, of the formula {wanted / 60:.3f} min.")
assert abs(period / wanted - 1) < 1e-3

figure, axes = plt.subplots(2, 1, figsize=(8, 5.4), sharex=True, layout="constrained")
axes[0].plot(run.time / orbit, np.degrees(swing))
axes[0].set(ylabel="angle from the vertical [°]")
axes[1].plot(run.time / orbit, 1e3 * run["boom.tip.deflection"][:, 1])
axes[1].set(xlabel="orbits", ylabel="bend of the boom [mm]")
plt.show()

# %%
# The satellite, seen in axes that do not turn:

run.show(frames=400, trails=["tip"], height=420)
