"""
The Order-N platform
====================

A plate stands on three legs, and two arms on it hold a box: 48 bodies, 20 of them booms that
bend, with 121 speeds and three closed loops. It is the largest test case of a report on the
Order-N algorithm of NASA's Johnson Space Center. Forces that reverse every 20 s push it about.
Two methods that share little compute its accelerations, and they must agree.
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls
from lissom.library import order_n, order_n_loads, order_n_start

# %%
# The library has the report's sixteen cases. The last has everything: seven joints in each limb,
# booms of two halves, closed loops. Its fastest modes are stiff, so the integrator is an implicit
# one.

system = order_n(16).compile()
flexible = sum(body.n_mode > 0 for body in system.bodies)
print(f"{system.n_body} bodies, {flexible} of them flexible, {system.n_v} speeds")
print(f"{len(system.loops)} loops with {system.n_constraint} equations")

run = ls.simulate(
    system,
    order_n_start(system),
    duration=30,
    step=0.01,
    integrator="generalized_alpha",
    loads=order_n_loads(system),
    output_step=0.1,
)
drawing = ls.viz.draw(system, run.state(10))

# %%
# Articulated bodies need no mass matrix, and their cost grows linearly with the number of bodies.
# The other method sets up the matrix of 121 rows and solves it.

differences = []
for time in range(2, 31, 4):
    state = run.state(time)
    found, other = (
        ls.forward_dynamics(system, ls.assemble(system, state), method=method)
        for method in ("articulated", "composite")
    )
    differences.append(np.abs(found - other).max() / np.abs(other).max())
difference = max(differences)
print(f"Accelerations of the two methods differ by {difference:.0e} of the largest at most.")
print(f"In all rows the loops are closed to {run['closure'].max():.0e} m.")
assert difference < 1e-9 and system.n_v == 121

# %%
# The peaks of the forces are at the instants when the elbows of arm 2 and leg 3 are straight: a
# stretched limb cannot give way.

figure, (above, below) = plt.subplots(2, 1, figsize=(8, 5), sharex=True, layout="constrained")
for name in ("base", "top", "object"):
    above.plot(run.time, run[f"{name}.position"][:, 0], label=name)
above.set(ylabel="x [m]", title="Plates and box")
for name in ("leg2", "leg3", "arm2"):
    below.plot(run.time, np.linalg.norm(run[f"{name}.force"], axis=1), label=name)
below.set(xlabel="time [s]", ylabel="force [N]", title="Forces in the welds that close the loops")
for axes in (above, below):
    axes.axvline(20, color="0.6", lw=0.8, ls=":")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %%

run.show(frames=200, trails=["top", "object"], height=520)
