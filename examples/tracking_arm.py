"""
Robot that follows a path
=========================

An arm of six degrees of freedom follows a path although it starts beside it. Its equations,
derived as formulas from the same model, take its dynamics away: what is left are six independent,
critically damped errors, whatever the arm is doing. The engine, which knows nothing of the
formulas, must find the same.
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

# %%
# The arm is that of Kwatny and Blankenship: a compound shoulder, an elbow, a compound wrist.

X, Y, Z = np.eye(6)[:3]  # rotations about the axes, as columns of joint maps
bar = ls.RigidBody(
    1,
    com=(0, 0, 1.5),
    inertia=(0.75, 0.75, 0),
    solids=[ls.solids.Cylinder(0.06, 3.0, at=(0, 0, 1.5))],
)
gripper = ls.RigidBody.cylinder(mass=0.5, radius=0.35, length=0.7, com=(0, 0, 0.35))

model = ls.Model("arm", gravity=(0, 0, -9.81))
model.add(bar, ls.CompoundJoint([Y, Z]), name="upper")
model.add(bar, ls.Revolute("y"), to="upper", at=(0, 0, 3), name="lower")
model.add(gripper, ls.CompoundJoint([Y, Z, X]), to="lower", at=(0, 0, 3), name="gripper")

equations = ls.symbolic.derive(model)
functions = equations.lambdify()
operations = equations.staged("mass", "bias").operations
print(f"Equations of {len(equations.speeds)} degrees of freedom, {operations} operations.")

# %%
# With :math:`M \dot p + b = Q`, the torques :math:`Q = M (a + 2 k \dot e + k^2 e) + b` turn the
# arm into :math:`\ddot e + 2 k \dot e + k^2 e = 0`.

gain = 3.0
start_error = np.array([0.4, -0.3, 0.5, 0.2, -0.4, 0.3])


def path(time):
    """Angles to follow, their rates and accelerations."""
    rate, size = np.linspace(0.5, 1.5, 6), np.array([0.6, 0.8, 0.7, 0.5, 0.4, 0.6])
    angle = rate * time + np.arange(6)
    return size * np.sin(angle), size * rate * np.cos(angle), -size * rate**2 * np.sin(angle)


def torques(time, state):
    """Torques at all joints."""
    q, v, a = path(time)
    wanted = a + 2 * gain * (v - state.v) + gain**2 * (q - state.q)
    return functions.inverse_dynamics(state.q, state.v, wanted)


system = model.compile()
start = system.state(path(0)[0] - start_error, path(0)[1])
run = ls.simulate(system, start, duration=3, forces=torques, rtol=1e-9, output_step=0.02)
drawing = ls.viz.draw(system, run.state(1))

# %%
# The solution of that equation is known, and Lyapunov's function :math:`(\dot e^2 + k^2 e^2) / 2`
# must fall all the time.

q, v = np.array([path(t)[:2] for t in run.time]).swapaxes(0, 1)
error, t = q - run.q, run.time[:, None]
exact = start_error * (1 + gain * t) * np.exp(-gain * t)
off = np.abs(error - exact).max()
lyapunov = ((v - run.v) ** 2 + gain**2 * error**2).sum(axis=1) / 2
falls = bool(np.all(np.diff(lyapunov) < 1e-12))
print(f"The errors are those of the equation to {off:.0e} rad.")
print(f"Lyapunov's function {'falls all the time' if falls else 'rises at some time'}.")
assert off < 1e-8 and falls

# %%

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
names = ["shoulder y", "shoulder z", "elbow", "wrist y", "wrist z", "wrist x"]
left.plot(run.time, error, label=names)
left.set(xlabel="time [s]", ylabel="error [rad]", title="Errors of the angles")
left.legend(fontsize=8)
right.semilogy(run.time, lyapunov)
right.set(xlabel="time [s]", ylabel="[rad²/s²]", title="Lyapunov's function")
plt.show()

# %%

run.show(trails=["gripper"], height=480)
