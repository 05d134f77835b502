"""
Slider-crank
============

A crank turns at a constant rate and drives a piston through a slender connecting rod, which bends
as it is thrown from side to side. The motion of the crank is given, so the torque that it needs
is a result. The bending is what a textbook says of a beam on two pins under its own inertia.
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

# %%
# Crank and rod are a chain, the piston slides on the ground, and the wrist pin closes the loop.

r, L, rate = 0.1, 0.4, 60.0  # crank, rod [m], rate of the crank [rad/s]
axis = (0, -1, 0)  # a positive angle lifts a link
section = ls.Rectangle(0.01, 0.01)
shapes = {"bending": (0, 4), "torsion": 0, "stretch": 0}  # in the plane of motion, x-z
rod = ls.beam(L, section, ls.ALUMINIUM, **shapes, damping=0.02)

model = ls.Model("slider-crank")
model.add(
    ls.RigidBody.box(0.5, (r, 0.02, 0.02), com=(r / 2, 0, 0)), ls.Revolute(axis), name="crank"
)
model.add(rod, ls.Revolute(axis), to="crank", at=(r, 0, 0), name="rod")
model.add(ls.RigidBody.box(0.1, (0.06, 0.05, 0.05)), ls.Prismatic("x"), name="piston")
model.close(ls.Revolute(axis), "rod.tip", "piston", name="wrist")
system = model.compile()

# %%
# ``assemble`` closes the loop in position and in speed; only the crank's rate has to be given.

guess = system.state(piston=r + L, **{"crank.rates": rate})
start = ls.assemble(system, guess, held=["crank"])
turning = ls.Motion("crank", velocity=rate)
run = ls.simulate(system, start, duration=6 * np.pi / rate, loads=[turning], output_step=2e-4)
drawing = ls.viz.draw(system, run.state(0.02))

# %%
# The middle of the rod, its node 12 of 24, leaves the line between its pins. A stiff rod would
# have the acceleration :math:`a(s) = a_0 + s\,\ddot\varphi` across itself, and under the load
# :math:`-\mu\, a(s)` the middle of a beam on two pins moves by
# :math:`-\frac{5}{384}\frac{\mu L^4}{EI}\left(a_0 + \tfrac{L}{2}\ddot\varphi\right)`.

across = run["rod.12.deflection"][:, 2] - run["rod.tip.deflection"][:, 2] / 2

theta = rate * run.time
phi = np.arcsin(-r / L * np.sin(theta))
swing = -r / L * rate * np.cos(theta) / np.cos(phi)
phi_ddot = (r / L * rate**2 * np.sin(theta) + swing**2 * np.sin(phi)) / np.cos(phi)
a_0 = r * rate**2 * np.sin(phi - theta)
softness = section.area * ls.ALUMINIUM.density / section.second_moment_y
softness *= L**4 / ls.ALUMINIUM.youngs_modulus
static = -5 / 384 * softness * (a_0 + L / 2 * phi_ddot)

last = theta > 4 * np.pi  # the first turns ring: the rod was straight when it was set going
ratio = across[last].max() / static.max()
print(f"The rod bends by {1e6 * across[last].max():.1f} µm, {ratio:.3f} times the textbook's.")
assert abs(ratio - 1) < 0.02

# %%
# The torque is that of the given motion: it is what keeps the rate constant.

turns = theta / (2 * np.pi)
figure, (above, below) = plt.subplots(2, 1, figsize=(8, 5), sharex=True, layout="constrained")
above.plot(turns, 1e6 * across, label="run")
above.plot(turns, 1e6 * static, "k--", lw=1, label="beam on two pins")
above.set(ylabel="bending [µm]", title="Middle of the rod, across the line between the pins")
above.legend(loc="upper right")
below.plot(turns, run["crank.force"], color="C2")
below.set(xlabel="turns of the crank", ylabel="torque [N m]", title="Torque at the crank")
plt.show()

# %%

run.show(frames=300, height=420)
