"""
Arm with an optimal controller
==============================

An arm of two booms that bend is held out against gravity by two motors. A linear model about this
rest gives the gains of a linear-quadratic regulator, which feeds back the bending as well as the
angles. The regulator then works on the mechanism itself, near the rest and far from it.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import solve_continuous_are

import lissom as ls

# %%
# The rest, the torques that hold it, and a linear model about it.

shapes = {"bending": (0, 3), "torsion": 0, "stretch": 0, "level": "stiffened"}
boom = ls.beam(1.5, ls.Rectangle(0.04, 0.02), ls.ALUMINIUM, **shapes)
model = ls.Model("arm", gravity=(0, 0, -9.81))
model.add(boom, ls.Revolute("y"), name="upper")
model.add(boom, ls.Revolute("y"), to="upper.tip", name="lower")
model.add(ls.RigidBody.box(1.0, (0.1, 0.1, 0.1)), ls.Fixed(), to="lower.tip", name="load")
system = model.compile()

joints = ["upper", "lower"]
rest = ls.trim(system, system.state(upper=-0.6, lower=0.9), held=joints)
names = {"inputs": joints, "outputs": ["load.position"]}
linear = ls.linearize(system, rest.state, forces=rest.forces, **names)
growing = int(np.sum(linear.poles().real > 1e-6))
print(f"Without control, {growing} of {linear.n} poles grow.")

# %%
# The regulator makes :math:`\int |y|^2 / s^2 + |u|^2 / t^2\, dt` least, for the position of the
# load and the torques; from a state :math:`x` this cost is then :math:`x^T P x`.

Q = linear.C.T @ linear.C / 0.05**2 + 1e-6 * np.eye(linear.n)
R = np.eye(2) / 5.0**2
P = solve_continuous_are(linear.A, linear.B, Q, R)
gains = np.linalg.solve(R, linear.B.T @ P)
motors = np.hstack([np.eye(system.n_v)[:, system.layout.hinge_v(name)] for name in joints])


def deviation(q, v):
    """States of the linear model; all speeds of this arm are rates of coordinates."""
    return np.concatenate([q - rest.state.q, v], axis=-1)


def control(time, state):
    """Torques of the motors."""
    return rest.forces - motors @ gains @ deviation(state.q, state.v)


def started(turn):
    """Run from a state in which both joints are turned, and its cost over the predicted one."""
    start = system.state(rest.state.q, **{name: rest.state[name] + turn for name in joints})
    run = ls.simulate(system, start, duration=3.0, forces=control, output_step=0.005)
    x = deviation(run.q, run.v)
    rate = np.einsum("ti,ij,tj->t", x, Q + gains.T @ R @ gains, x)
    return run, np.trapezoid(rate, run.time) / (x[0] @ P @ x[0])


# %%
# From a small deviation the cost must be that of the linear model; far away the arm is not linear.

runs = {turn: started(turn) for turn in (0.01, 0.3)}
for turn, (_, ratio) in runs.items():
    print(f"Turned by {turn} rad: {ratio:.4f} of the cost that the linear model predicts.")
assert abs(runs[0.01][1] - 1) < 0.01

# %%

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for axis, (turn, (run, _)) in zip(axes, runs.items(), strict=True):
    axis.plot(run.time, (run["load.position"] - run["load.position"][-1])[:, [0, 2]])
    axis.set(xlabel="time [s]", ylabel="load from its rest [m]", title=f"turned by {turn} rad")
axes[0].legend(["x", "z"])
plt.show()

# %%

runs[0.3][0].show(trails=["load"], height=460, frames=300)
