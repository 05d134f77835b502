"""
Gyroscope
=========

A wheel spins on an axle that is held at one end only, and the axle does not fall: it goes round.
Let go at rest it nods as it goes, and the path of its tip is a row of cusps. A gyroscope that
starts with the right speed goes round without nodding, and that speed is known exactly.
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

# %%
# The axle lies along x and turns about the origin as it likes; the wheel spins about the axle.

spin, arm, gravity = 90.0, 0.4, 9.81
axle = ls.RigidBody.cylinder(0.2, radius=0.01, length=0.5, axis="x", com=(0.25, 0, 0))
wheel = ls.RigidBody.cylinder(1.5, radius=0.25, length=0.05, axis="x")

model = ls.Model("gyroscope", gravity=(0, 0, -gravity))
model.add(axle, ls.Spherical(), name="axle")
model.add(wheel, ls.Revolute("x"), to="axle", at=(arm, 0, 0), name="wheel")
system = model.compile()

# %%
# A level axle goes round at the rate :math:`\Omega` if the moment of the weights turns the
# wheel's spin, :math:`I_x\, s\, \Omega = g \sum m_i x_i`. This is exact, since the axes of spin
# and precession are at right angles. Once the axle is let go at rest, and once it is pushed to
# that rate.

weight_moment = gravity * (0.2 * 0.25 + 1.5 * arm)
precession = weight_moment / (0.5 * 1.5 * 0.25**2 * spin)
motions = {"let go at rest": 0.0, "pushed": precession}
runs = {}
for name, rate in motions.items():
    start = system.state(**{"axle.rates": (0, 0, rate), "wheel.rates": spin})
    runs[name] = ls.simulate(system, start, duration=6, output_step=0.005)
drawing = ls.viz.draw(system, runs["pushed"].state(0.3))

# %%
# The one that was pushed turns steadily, as the balance says.

tip = runs["pushed"]["wheel.position"]
azimuth = np.unwrap(np.arctan2(tip[:, 1], tip[:, 0]))
measured = azimuth[-1] / 6
print(f"It precesses at {measured:.9f} rad/s; the balance of moments says {precession:.9f} rad/s.")
print(f"Its height changes by {1e3 * np.ptp(tip[:, 2]):.0e} mm.")
assert abs(measured - precession) < 1e-8

# %%
# Seen from the middle, the wheel's centre draws cusps or a straight line.

figure, axes = plt.subplots(figsize=(8, 3.5), layout="constrained")
for name, run in runs.items():
    x, y, z = run["wheel.position"].T
    axes.plot(np.degrees(np.unwrap(np.arctan2(y, x))), 1000 * z, label=name)
axes.set(xlabel="azimuth [°]", ylabel="height [mm]", title="Path of the wheel's centre")
axes.set_xlim(-5, 365)
axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %%
# The one that was let go at rest:

runs["let go at rest"].show(frames=500, trails=["wheel"], height=420)
