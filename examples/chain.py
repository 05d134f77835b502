"""
A chain of 1000 links
=====================

A chain hangs in a narrow loop from both of its ends, and one end is let go. It falls faster than
a stone. The energy of the part that has come to rest goes into the part that still falls.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import quad

import lissom as ls

# %%
# Links of 1 cm on revolute joints; the first half hangs down, a few links make the turn, and the
# second half goes up again.

n, link, gravity = 1000, 0.01, 9.81
length = n * link
model = ls.Model("chain", gravity=(0, 0, -gravity))
body = ls.RigidBody.box(0.01, (link, 0.02, 0.02), com=(link / 2, 0, 0))
for k in range(n):
    hang = {"to": f"link{k - 1}", "at": (link, 0, 0)} if k else {}
    model.add(body, ls.Revolute("y"), name=f"link{k}", **hang)
system = model.compile()

bend = 24
angles = np.zeros(n)
angles[0] = np.pi / 2
angles[n // 2 - bend // 2 : n // 2 + bend // 2] = np.pi / bend

# %%
# If the fold is narrow and no energy is lost, the end that has fallen by :math:`x` has the speed
# :math:`\sqrt{g x (2 l - x) / (l - x)}`. This gives the time for a fall of 0.8 of the length.

fallen = 0.8 * length
ideal, _ = quad(lambda x: np.sqrt((length - x) / (gravity * x * (2 * length - x))), 0, fallen)
run = ls.simulate(system, system.state(angles), duration=ideal, output_step=ideal / 100, rtol=1e-5)
end = run[f"link{n - 1}.position"][:, 2] - run[f"link{n - 1}.position"][0, 2]
stone = gravity * ideal**2 / 2
print(f"In {ideal:.3f} s the end falls {-end[-1]:.3f} m, as it should fall {fallen:.3f} m;")
print(f"a stone falls {stone:.3f} m.")
assert abs(-end[-1] - fallen) < 0.02

# %%
# What a link costs does not depend on how many there are.

cost = run.statistics["seconds"] / run.statistics["evaluations"] / n
print(f"{run.statistics['steps']} steps; {1e6 * cost:.2f} µs for a link in an evaluation.")

# %%
# The fold runs down, and the part beyond it comes down ever faster.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
for row in range(0, 101, 20):
    direction = np.cumsum(run.q[row])
    x, z = link * np.cumsum(np.cos(direction)), -link * np.cumsum(np.sin(direction))
    left.plot(x, z, label=f"{run.time[row]:.2f} s")
left.set(xlabel="x [m]", ylabel="z [m]", title="The chain at six instants; x is stretched")
left.legend(fontsize=8, loc="upper center")
right.plot(run.time, end, label="end of the chain")
right.plot(run.time, -gravity * run.time**2 / 2, "--", label="stone")
right.set(xlabel="time [s]", ylabel="height [m]", title="Fall of the end")
right.legend()
plt.show()

# %%

run.show(frames=30, height=520)
