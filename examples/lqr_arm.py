"""
Arm with an optimal controller
==============================

An arm of two booms that bend is held out against gravity by two motors. A linear model about this
rest gives the gains of a linear-quadratic regulator, which feeds back the bending as well as the
angles. The regulator then works on the mechanism itself, far from the rest and near it.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import solve_continuous_are

import lissom as ls

# %%
# The rest, the torques that hold it, and a linear model about it.

boom = ls.beam(1.5, ls.Rectangle(0.04, 0.01), ls.ALUMINIUM, bending=(0, 2), torsion=0, stretch=0)
model = ls.Model("arm", gravity=(0, 0, -9.81))
model.add(boom, ls.Revolute("y"), name="upper")
model.add(boom, ls.Revolute("y"), to="upper.tip", name="lower")
model.add(ls.RigidBody.box(1.0, (0.1, 0.1, 0.1)), ls.Fixed(), to="lower.tip", name="load")
system = model.compile()

rest = ls.trim(system, system.state(upper=-0.6, lower=0.9), held=["upper", "lower"])
linear = ls.linearize(
    system, rest.state, forces=rest.forces, inputs=["upper", "lower"], outputs=["load.position"]
)
print(linear)
print("Poles that grow:", np.round(linear.poles()[linear.poles().real > 1e-6], 3))

# %%
# The regulator makes :math:`J = \int |y|^2 / s^2 + |u|^2 / t^2\, dt` least, for the position
# :math:`y` of the load and the torques :math:`u`; from a state :math:`x` it is then
# :math:`x^T P x`.

size, torque = 0.05, 4.0
Q = linear.C.T @ linear.C / size**2 + 1e-6 * np.eye(linear.n)
R = np.eye(2) / torque**2
P = solve_continuous_are(linear.A, linear.B, Q, R)
gains = np.linalg.solve(R, linear.B.T @ P)


def deviation(state):
    """States of the linear model: all speeds here are rates of coordinates."""
    return np.concatenate([state.q - rest.state.q, state.v])


def control(time, state):
    """Torques of the motors."""
    u = -gains @ deviation(state)
    return rest.forces + linear.B[system.n_v :] @ np.zeros(2) + motors @ u


motors = np.zeros((system.n_v, 2))
for k, name in enumerate(("upper", "lower")):
    motors[system.layout.hinge_v(name), k] = 1.0

# %%
# From small deviations the cost must be :math:`x^T P x`; from large ones the mechanism is not
# linear.


def started(turn):
    """Run from a state in which both joints are turned, and its cost over the predicted one."""
    bent = {"upper": rest.state["upper"] + turn, "lower": rest.state["lower"] - turn}
    start = system.state(rest.state.q, **bent)
    run = ls.simulate(system, start, duration=3.0, forces=control, output_step=0.005)
    x = np.array([deviation(run.state(t)) for t in run.time])
    u = x @ gains.T
    rate = np.einsum("ti,ij,tj->t", x, Q, x) + np.einsum("ti,ij,tj->t", u, R, u)
    cost = np.trapezoid(rate, run.time)
    return run, cost / (x[0] @ P @ x[0])


runs = {turn: started(turn) for turn in (0.01, 0.6)}
for turn, (_, ratio) in runs.items():
    print(f"Turned by {turn} rad: {ratio:.4f} of the cost that the linear model predicts.")
assert abs(runs[0.01][1] - 1) < 0.01

# %%

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
for axis, (turn, (run, _)) in zip(axes, runs.items(), strict=True):
    axis.plot(run.time, run["load.position"][:, [0, 2]] - run["load.position"][-1, [0, 2]])
    axis.set(xlabel="time [s]", ylabel="load from its rest [m]", title=f"turned by {turn} rad")
axes[0].legend(["x", "z"])
plt.show()

# %%

runs[0.6][0].show(trails=["load"], height=460, frames=300)
