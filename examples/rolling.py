"""
Coin, cart and skate
====================

A coin rolls without slip and wobbles if it is too slow, a cart with two driven wheels turns where
it is told, and a skate turns round on its own. None of them is held in its place: their constraints
are on velocities.
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

gravity = (0, 0, -9.81)

# %%
# A coin rolls on the plane x, y of the ground. Upright rolling of a thin disk is stable above the
# speed :math:`\sqrt{g r/3}`. Once it starts with nine tenths of it, once with eleven.

radius = 0.3
coin = ls.Model("coin", gravity=gravity)
coin.add(ls.RigidBody(2.0, inertia=(0.045, 0.09, 0.045)), ls.Free(), name="coin")
coin.close(ls.Rolling(radius, "y"), None, "coin", name="table")
system = coin.compile()

critical, runs = np.sqrt(9.81 * radius / 3), {}
for part in (0.9, 1.1):
    speed, lean = part * critical, 0.01
    attitude = (np.cos(lean / 2), np.sin(lean / 2), 0, 0)
    start = system.state(
        coin=(*attitude, 0, 0, radius * np.cos(lean)),
        **{"coin.rates": (0, speed / radius, 0, speed, 0, 0)},
    )
    runs[part] = ls.simulate(system, start, duration=6, output_step=0.01)
    run = runs[part]
    most = np.degrees(np.arcsin(np.abs(run["coin.rotation"][:, 2, 1]).max()))
    print(f"At {part:.1f} of the critical speed the coin leans by up to {most:.1f} degrees;")
    print(f"its energy changes by {np.ptp(run.energy.total):.0e} J.")
assert np.abs(runs[1.1]["coin.rotation"][:, 2, 1]).max() < 0.2

# %%
# The point of contact is a channel of the contact.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for part, run in runs.items():
    left.plot(*run["table"].T, label=f"{part:.1f} of the critical speed")
left.set(xlabel="x [m]", ylabel="y [m]", title="Where the coin touches", aspect="equal")
left.legend(fontsize="small")
# sphinx_gallery_defer_figures

# %%
# A sleigh has one edge behind its centre of mass. Whatever its start, it ends up sliding with the
# centre of mass ahead; Chaplygin found in 1911 how it turns: the rate is a hyperbolic secant.

mass, arm, inertia, final = 2.0, 0.4, 0.1, 1.2
model = ls.Model("sleigh", gravity=(0, 0, 0))
body = ls.RigidBody(mass, com=(arm, 0, 0), inertia=(inertia,) * 3)
model.add(body, ls.Planar("z"), name="sleigh")
model.close(ls.Skate("y"), None, "sleigh", name="edge")
sleigh = model.compile()

about = inertia + mass * arm**2
kappa, turn = mass * arm * final / about, final * np.sqrt(mass / about)
start = sleigh.state(
    **{"sleigh.rates": (final * np.tanh(-2 * kappa), 0, turn / np.cosh(2 * kappa))}
)
slide = ls.simulate(sleigh, start, duration=4, output_step=0.02)
error = np.abs(slide["sleigh.rates"][:, 2] - turn / np.cosh(kappa * (slide.time - 2))).max()
print(f"The sleigh turns as Chaplygin's formula says, to {error:.0e} rad/s.")
assert error < 1e-6
# sphinx_gallery_defer_figures

# %%
# A cart on two wheels with motors. Equal torques drive it straight, different ones turn it.

cart = ls.Model("cart", gravity=gravity)
chassis = ls.RigidBody.box(8.0, (0.6, 0.5, 0.1))
wheel = ls.RigidBody.cylinder(1.0, radius=0.15, length=0.04, axis="y")
cart.add(chassis, ls.Planar("z"), name="chassis", at=(0, 0, 0.15))
for name, y in (("left", 0.4), ("right", -0.4)):
    cart.add(wheel, ls.Revolute("y"), to="chassis", at=(0, y, 0), name=name)
    cart.close(ls.Rolling(0.15, "y"), None, name, name=f"{name} tyre")
robot = cart.compile()
motors = [
    ls.Actuator("left", lambda t: 0.4 * (t < 1) - 0.1 * (2 < t < 4)),
    ls.Actuator("right", lambda t: 0.4 * (t < 1) + 0.1 * (2 < t < 4)),
]
drive = ls.simulate(robot, duration=6, output_step=0.02, loads=motors)

right.plot(*slide["sleigh.position"][:, :2].T, label="sleigh")
right.plot(*drive["chassis.position"][:, :2].T, label="cart")
right.set(xlabel="x [m]", ylabel="y [m]", title="Paths of sleigh and cart", aspect="equal")
right.legend(fontsize="small")
plt.show()

# %%
# The coin that wobbles:

runs[0.9].show(frames=400, trails=["coin"], height=420)
