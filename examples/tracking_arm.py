"""A robot arm follows a path: its own equations, derived as formulas, take its dynamics away.

The arm of six degrees of freedom is that of Kwatny & Blankenship.  With the equations
M pdot + b = Q derived from the model, the torques  Q = M (a + 2 k e' + k^2 e) + b  turn the arm
into six independent, critically damped errors  e'' + 2 k e' + k^2 e = 0,  whatever it is doing.
The run by the engine, which knows nothing of the formulas, is compared with the solution of that
equation, and Lyapunov's function  e'^2 / 2 + k^2 e^2 / 2  must fall all the time.

    python examples/tracking_arm.py [FOLDER]
"""

import sys
from pathlib import Path

import numpy as np

import lissom as ls

GAIN = 3.0  # k [1/s]
START_ERROR = np.array([0.4, -0.3, 0.5, 0.2, -0.4, 0.3])  # [rad]
X, Y, Z = np.eye(6)[:3]  # rotations about the axes, as columns of joint maps


def arm():
    """Upper arm on a compound shoulder, lower arm on an elbow, gripper on a compound wrist."""
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    bar = ls.RigidBody(1, com=(0, 0, 1.5), inertia=(0.75, 0.75, 0))
    gripper = ls.RigidBody.cylinder(mass=0.5, radius=0.35, length=0.7, com=(0, 0, 0.35))
    model.add(bar, ls.CompoundJoint([Y, Z]), name="upper")
    model.add(bar, ls.Revolute("y"), to="upper", at=(0, 0, 3), name="lower")
    model.add(gripper, ls.CompoundJoint([Y, Z, X]), to="lower", at=(0, 0, 3), name="gripper")
    return model


def path(time):
    """Angles to follow, their rates and accelerations (6,)."""
    rate, phase = np.linspace(0.5, 1.5, 6), np.arange(6)
    size = np.array([0.6, 0.8, 0.7, 0.5, 0.4, 0.6])
    angle = rate * time + phase
    return size * np.sin(angle), size * rate * np.cos(angle), -size * rate**2 * np.sin(angle)


def main(folder="out", duration=4.0):
    """Run it; return the largest difference from the exact error, and whether V always fell."""
    model = arm()
    equations = ls.symbolic.derive(model)
    functions = equations.lambdify()
    staged = equations.staged("mass", "bias")
    print(
        f"equations of {len(equations.speeds)} degrees of freedom: {staged.operations} operations"
    )

    def torques(time, state):
        q, v, a = path(time)
        wanted = a + 2 * GAIN * (v - state.v) + GAIN**2 * (q - state.q)
        return functions.inverse_dynamics(state.q, state.v, wanted)

    system = model.compile()
    q, v, _ = path(0.0)
    run = ls.simulate(
        system, system.state(q - START_ERROR, v), duration=duration, forces=torques, rtol=1e-9
    )
    wanted = np.array([path(t)[:2] for t in run.time])
    error, rate = wanted[:, 0] - run.q, wanted[:, 1] - run.v
    t = run.time[:, None]
    exact = START_ERROR * (1 + GAIN * t) * np.exp(-GAIN * t)
    lyapunov = (rate**2).sum(axis=1) / 2 + GAIN**2 * (error**2).sum(axis=1) / 2
    off, falls = np.abs(error - exact).max(), bool(np.all(np.diff(lyapunov) < 1e-12))
    first, last = np.abs(error[[0, -1]]).max(axis=1)
    print(f"error at the start {first:.2g} rad, at the end {last:.1e} rad")
    print(f"largest difference from the exact decay {off:.1e} rad")
    print(f"Lyapunov's function {'falls all the time' if falls else 'rises at some time'}")
    draw(run.time, error, lyapunov, Path(folder))
    return off, falls


def draw(time, error, lyapunov, folder):
    """Errors and Lyapunov's function over time."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    left.plot(
        time, error, label=["shoulder y", "shoulder z", "elbow", "wrist y", "wrist z", "wrist x"]
    )
    left.set(xlabel="time [s]", ylabel="error [rad]")
    left.legend(fontsize=8)
    right.semilogy(time, lyapunov)
    right.set(xlabel="time [s]", ylabel="Lyapunov's function [rad²/s²]")
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "tracking_arm.png", dpi=120)
    plt.close(figure)
    print(f"wrote {folder / 'tracking_arm.png'}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
