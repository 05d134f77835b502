"""
Solar arrays on a spinning hub
==============================

Two wings of three sandwich panels each, plates that bend and twist, hang on a hub. Their hinges are
latched but not rigid. Thrusters spin the hub up about the hinges' direction and stop it again; the
wings flap, and their plates know where the stress is largest.
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

# %%
# A panel of 1.6 m x 2 m: carbon faces on a honeycomb core of 18 mm, given by bending stiffness and
# mass per area. Its inner edge is one interface, the outer another.

panel = ls.panel(
    1.6,
    2.0,
    0.018,
    ls.CARBON,
    interfaces={"in": "left", "out": "right"},
    bending_stiffness=900.0,
    area_density=3.0,
    modes=8,
    damping=0.005,
)
print(panel)

# %%
# Yokes of two booms carry the wings; they are frames.

boom = ls.Tube(radius=0.02, thickness=0.001)
yoke = ls.frame(
    [(0, 0, 0), (1.0, -0.6, 0), (1.0, 0.6, 0), (1.0, 0, 0)],
    [
        ls.Member(0, 1, boom, ls.CARBON),
        ls.Member(0, 2, boom, ls.CARBON),
        ls.Member(1, 3, boom, ls.CARBON, parts=2),
        ls.Member(3, 2, boom, ls.CARBON, parts=2),
    ],
    interfaces={"in": 0, "out": 3},
    modes=4,
)

model = ls.Model("satellite with solar arrays")
model.add(ls.RigidBody.box(350, (1.2, 1.4, 1.2)), ls.Free(), name="hub")
loads = []
for side, turn in (("a", 0.0), ("b", np.pi)):
    at = {"at": (0.6 * np.cos(turn), 0, 0), "rotation": {"axis": "z", "angle": turn}}
    model.add(yoke, ls.Fixed(), to="hub", **at, name=f"yoke {side}")
    carrier = f"yoke {side}.out"
    for k in range(1, 4):
        name = f"{side}{k}"
        model.add(panel, ls.Revolute("y"), to=carrier, name=name)
        loads.append(ls.JointSpring(name, 400.0, damping=2.0))
        carrier = f"{name}.out"
system = model.compile()

# %%
# Thrusters: 12 N m about y for five seconds, and back after twenty.

pulse = ls.Table(
    [0, 0.2, 5, 5.2, 20, 20.2, 25, 25.2, 40], np.outer([0, 1, 1, 0, 0, -1, -1, 0, 0], [0, 12.0, 0])
)
run = ls.simulate(
    system,
    duration=40,
    loads=[*loads, ls.NodeForce("hub", moment=pulse)],
    integrator="generalized_alpha",
    step=0.01,
    output_step=0.02,
)
momentum = run["momentum.angular"][:, 1]
print(f"Angular momentum at the end: {momentum[-1]:.1e} of {momentum.max():.1f} N m s.")
assert abs(momentum[-1]) < 1e-3 * momentum.max() and np.isclose(momentum.max(), 60, rtol=1e-3)

# %%
# Stress at the faces of the innermost panel, linear in the amplitudes of its shapes.

i = system.names.index("a1")
points = system.bodies[i].recovery.points
amplitudes = run["a1.modes"]
stress = np.einsum("pcm,tm->tpc", points.stresses, amplitudes)
xx, yy, xy = stress[..., 0], stress[..., 1], stress[..., 5]
mises = np.sqrt(xx**2 - xx * yy + yy**2 + 3 * xy**2)
when, where = np.unravel_index(np.argmax(mises), mises.shape)
print(f"Up to {mises.max() / 1e6:.1f} MPa after {run.time[when]:.2f} s, at {points.labels[where]}.")

# %%
# It is where the plate bends between its two rigid edges.

figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
axes[0].plot(run.time, np.degrees(run["hub.rates"][:, 1]))
axes[0].set(xlabel="time [s]", ylabel="rate of the hub [°/s]")
for name in ("a3", "b3"):
    axes[1].plot(run.time, 1e3 * run[f"{name}.out.deflection"][:, 2], lw=0.9, label=name)
axes[1].set(xlabel="time [s]", ylabel="bending of the outer panels [mm]")
axes[1].legend()
x, y, z = points.positions.T
top = z > 0
shown = axes[2].tricontourf(x[top], y[top], mises[when, top] / 1e6, levels=12, cmap="cividis")
axes[2].set(xlabel="x [m]", ylabel="y [m]", title="Stress of panel a1 [MPa]", aspect="equal")
figure.colorbar(shown)
plt.show()

# %%

run.show(frames=400, scale=10, height=440)
