"""
Four-bar through its singular position
======================================

A parallelogram of bars turns over and over, through the positions in which it lies flat. There it
could go on as a parallelogram or fold into an antiparallelogram: the equations that keep it
closed lose a rank. It goes on as its momentum points, and as a parallelogram it is a pendulum,
which tells how well.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

import lissom as ls

# %%
# Crank and rocker stand on the ground, the coupler hangs on the crank, a pin closes the loop. All
# bars have 1 kg/m.

short, long, gravity = 1.0, 2.0, 9.81
axis = (0, -1, 0)  # a positive angle lifts a bar


def bar(length):
    """A bar along x from its joint."""
    return ls.RigidBody.box(length, (length, 0.05, 0.05), com=(length / 2, 0, 0))


model = ls.Model("four-bar", gravity=(0, 0, -gravity))
model.add(bar(short), ls.Revolute(axis), name="crank")
model.add(bar(long), ls.Revolute(axis), to="crank", at=(short, 0, 0), name="coupler")
model.add(bar(short), ls.Revolute(axis), at=(long, 0, 0), name="rocker")
pin = {"at_a": (long, 0, 0), "at_b": (short, 0, 0)}
model.close(ls.Revolute(axis), "coupler", "rocker", **pin, name="pin")
system = model.compile()

# %%
# The closure knows which speeds are free and what all others are for each of them.

angle, rate = 0.7, 5.0
start = system.state(crank=angle, coupler=0.1 - angle, rocker=0.1 + angle)
start = ls.assemble(system, start, held=["crank"])
start = start.replace(v=rate * ls.closure(system, start).basis[:, 0])
print(ls.closure(system, start))

# %%
# The integrator chooses its steps. Near a flat position it takes short ones.

run = ls.simulate(system, start, duration=6, output_step=0.01)
drawing = ls.viz.draw(system, run.state(0.3))
flat = int(np.abs(np.diff(run["crank.angle"] // np.pi)).sum())

# %%
# If nothing folds, two bars turn and the coupler is carried along. This is one equation.

inertia = 2 * short * (short**2 / 3 + 0.05**2 / 12) + long * short**2
weight = gravity * (short**2 + long * short)
pendulum = solve_ivp(
    lambda t, y: (y[1], -weight * np.cos(y[0]) / inertia),
    (0, 6),
    (angle, rate),
    method="DOP853",
    t_eval=run.time,
    rtol=1e-12,
    atol=1e-12,
)
error = max(np.abs(run[f"{name}.angle"] - pendulum.y[0]).max() for name in ("crank", "rocker"))
print(f"It lay flat {flat} times; its angles are those of the pendulum to {error:.0e} rad,")
print(f"the loop is closed to {run['closure'].max():.0e} m.")
assert error < 1e-5 and flat == 11

# %%

figure, (above, below) = plt.subplots(2, 1, figsize=(8, 5), sharex=True, layout="constrained")
above.plot(run.time, run["crank.angle"] / np.pi, label="crank")
above.plot(run.time, pendulum.y[0] / np.pi, "k--", lw=1, label="pendulum")
above.set(ylabel="angle [half turns]", title="Flat at each whole number")
above.yaxis.get_major_locator().set_params(integer=True)
above.grid(axis="y", alpha=0.5)
above.legend(loc="upper left")
below.plot(run.time, np.linalg.norm(run["pin.force"], axis=1), color="C2")
below.set(xlabel="time [s]", ylabel="force [N]", title="Force in the pin")
plt.show()

# %%

run.show(frames=300, height=420)
