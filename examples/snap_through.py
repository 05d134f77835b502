"""
Snap through
============

A steel strip is longer than the gap between its two pins, so that it bows to one side: it has
buckled. A finger presses on its middle, the strip gives way little by little, leans over, and at
once is on the other side. The shape before is Euler's elastica, known in closed form.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk

import lissom as ls

# %%
# Two rods make the strip, since a force between them makes a kink in the moment, which one
# polynomial along the whole strip would round off. The second pin closes a loop.

length, gap = 0.3, 0.27
section = ls.Rectangle(0.02, 0.0005)
half = ls.rod(length / 2, section, ls.STEEL, bending=(0, 4), torsion=0, stretch=0, damping=0.02)
model = ls.Model("snap through")
model.add(half, ls.Revolute("y"), name="left")
model.add(half, ls.Fixed(), to="left.tip", name="right")
model.close(ls.Revolute("y"), None, "right.tip", at_a=(gap, 0, 0), name="pin")
system = model.compile()

# %%
# The strip finds its shape from a rough one, bowed upwards; assembly warns that it has to bend it,
# which is meant here. Of an elastica with modulus k the gap is :math:`L (2 E/K - 1)` and the height
# :math:`L k/K`.

rough = {name: [-0.003, 0, 0, 0] for name in ("left.modes", "right.modes")}
with warnings.catch_warnings(action="ignore", category=ls.ModelWarning):
    closed = ls.assemble(system, system.state(left=-0.5, **rough))
start = ls.equilibrium(system, closed)
height = ls.pose(system, start, "right").position[2]
k = brentq(lambda k: 2 * ellipe(k**2) / ellipk(k**2) - 1 - gap / length, 0.01, 0.9)
elastica = length * k / ellipk(k**2)
print(f"The strip is {1000 * height:.4f} mm high, the elastica {1000 * elastica:.4f} mm.")
assert abs(height / elastica - 1) < 1e-4

# %%
# The finger presses harder and harder, a millimetre beside the middle: no strip is quite even.

press = ls.Table([0, 2.5], np.outer([0, 20], [0, 0, -1]))
finger = ls.NodeForce("right", force=press, at=(1e-3, 0, 0))
run = ls.simulate(
    system,
    start,
    duration=2.5,
    loads=[finger],
    step=1e-4,
    output_step=2e-3,
    integrator="generalized_alpha",
)
middle = run["right.position"]
snap = int(np.argmax(middle[:, 2] < 0))
force = 8 * run.time[snap]
print(f"It snaps under a force of {force:.1f} N.")
assert middle[-1, 2] < -height

# %%
# The strip at rest, before, during and after the snap:

figure, (left, right) = plt.subplots(2, 1, figsize=(8, 7), layout="constrained")
for number in (0, snap - 50, snap - 16, snap - 8, snap - 4, snap, snap + 6, run.n - 1):
    state, shape = run.state(run.time[number]), []
    for name in ("left", "right"):
        shape += [ls.pose(system, state, f"{name}.{j}").position for j in range(0, 25, 2)]
    color = plt.colormaps["viridis"](np.clip((number - snap + 30) / 42, 0, 1))
    label = f"{run.time[number]:.3f} s"
    left.plot(*(1000 * np.array(shape)[:, [0, 2]]).T, color=color, label=label)
left.set(xlabel="x [mm]", ylabel="z [mm]", aspect="equal")
left.legend(loc="center left", bbox_to_anchor=(1, 0.5))
right.plot(1000 * middle[:, 2], 8 * run.time, lw=0.9)
right.set(xlabel="height of the middle [mm]", ylabel="force of the finger [N]")
plt.show()

# %%
# Slowly, and coloured by the moment:

run.show(frames=600, color="moment")
