"""
Pendulum
========

A rod is let go far above the horizontal, where the period of a pendulum depends on its swing: it
is an elliptic integral. Beside it swings a bar of the same mass and length that bends. The two
are described alike, and the bar's tip shows what every swinging rod does a little.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import ellipk

import lissom as ls

# %%
# Both are in one model, 0.4 m apart. Angles are about y, from the horizontal downwards, so a
# quarter turn is the lowest point.

length, start_angle = 1.0, np.radians(-60)
shapes = {"bending": (0, 4), "torsion": 0, "stretch": 0}  # in the plane of motion, x-z
bar = ls.beam(length, ls.Rectangle(0.015, 0.015), ls.ALUMINIUM, **shapes)
rod = ls.RigidBody.rod(bar.masses.sum(), length, com=(length / 2, 0, 0))

model = ls.Model("pendulums", gravity=(0, 0, -9.81))
model.add(rod, ls.Revolute("y"), name="rod")
model.add(bar, ls.Revolute("y"), at=(0, 0.4, 0), name="bar")
system = model.compile()
print(system)

# %%
# An event without an action only notes the instant: each time that the rod comes through its
# lowest point in the same direction.

lowest = ls.Event("rod", (), value=np.pi / 2, direction=1, name="lowest")
start = system.state(rod=start_angle, bar=start_angle)
run = ls.simulate(system, start, duration=10, events=[lowest], output_step=0.005)
drawing = ls.viz.draw(system, run.state(0.5), view=(15, -65))

# %%
# A uniform rod of length :math:`l` that is let go at the angle :math:`\theta_0` from its lowest
# point has the period :math:`4 \sqrt{2 l / 3 g}\, K(\sin^2 \theta_0/2)`.

passes = np.array([time for time, _ in run.events])
period = np.diff(passes).mean()
exact = 4 * np.sqrt(2 * length / (3 * 9.81)) * ellipk(np.sin((np.pi / 2 - start_angle) / 2) ** 2)
print(f"The period is {period:.9f} s; the elliptic integral says {exact:.9f} s.")
assert abs(period - exact) < 1e-8

# %%
# The bar starts straight, so it rings at first. Then it bends as its weight and its own inertia
# want it, by a quarter of a millimetre.

figure, (above, below) = plt.subplots(2, 1, figsize=(8, 5), sharex=True, layout="constrained")
above.plot(run.time, np.degrees(run["rod.angle"]) - 90, label="rod")
above.plot(run.time, np.degrees(run["bar.angle"]) - 90, "--", label="bar")
above.set(ylabel="angle [°]", title="Angles from the lowest point")
above.legend(loc="upper right")
below.plot(run.time, 1000 * run["bar.tip.deflection"][:, 2], color="C1")
below.set(xlabel="time [s]", ylabel="deflection [mm]", title="Tip of the bar")
plt.show()

# %%
# In the moving view the deflection is enlarged 200 times.

run.show(frames=300, scale=200, height=420)
