"""
What the arm has picked up
==========================

An arm with a wrist of three axes moves an unknown payload. Torques are linear in its mass, first
moment and inertia; the inertial regressor is that linear map, and least squares over a few seconds
of motion find the ten numbers, from torques with noise as well.
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

# %%
# The arm: two links and a wrist, whose parameters are known. The payload is on its last flange.

rng = np.random.default_rng(5)
inertia = [[0.02, 0.003, -0.001], [0.003, 0.03, 0.002], [-0.001, 0.002, 0.025]]
truth = ls.RigidBody(2.5, com=(0.12, -0.03, 0.05), inertia=inertia)
model = ls.Model("arm", gravity=(0, 0, -9.81))
link = ls.RigidBody.rod(mass=4.0, length=0.5, com=(0.25, 0, 0))
knuckle = ls.RigidBody.sphere(mass=0.6, radius=0.05)
model.add(ls.RigidBody.cylinder(8.0, 0.1, 0.3), ls.Revolute("z"), name="turret")
model.add(link, ls.Revolute("y"), to="turret", at=(0, 0, 0.3), name="upper")
model.add(link, ls.Revolute("y"), to="upper", at=(0.5, 0, 0), name="fore")
model.add(knuckle, ls.Revolute("z"), to="fore", at=(0.5, 0, 0), name="yaw")
model.add(knuckle, ls.Revolute("y"), to="yaw", name="pitch")
model.add(knuckle, ls.Revolute("x"), to="pitch", name="roll")
model.add(truth, ls.Fixed(), to="roll", at=(0.1, 0, 0), name="payload")
arm = model.compile()

# %%
# The wrist swings on all its axes while the arm moves little. The torques follow from the motion.

rates = np.array([0.7, 0.9, 1.1, 2.3, 3.1, 3.9])
size, phase = np.array([0.3, 0.3, 0.3, 1.0, 1.0, 1.5]), np.arange(6)
instants = np.linspace(0, 4, 400)
swing = rates * instants[:, None] + phase
Q, V = size * np.sin(swing), size * rates * np.cos(swing)
A = -size * rates**2 * np.sin(swing)
moments = list(zip(Q, V, A, strict=True))
torques = np.array([ls.inverse_dynamics(arm, (q, v), a) for q, v, a in moments])

# %%
# What the known bodies need is taken away; the columns of the payload remain.

rows = [ls.inertial_regressor(arm, (q, v), a) for q, v, a in moments]
names, values = rows[0].names, rows[0].values
own = np.array([name.startswith("payload.") for name in names])
Y = np.concatenate([row.matrix[:, own] for row in rows])
known = np.concatenate([row.matrix[:, ~own] @ values[~own] for row in rows])
print(f"The ten parameters are told apart: condition number {np.linalg.cond(Y):.0f}.")


def identified(measured):
    """Mass, centre of mass and inertia about it, by least squares."""
    phi = np.linalg.lstsq(Y, measured.ravel() - known, rcond=None)[0]
    mass, com, J = phi[0], phi[1:4] / phi[0], np.zeros((3, 3))
    J[np.triu_indices(3)] = phi[4:]
    J = J + J.T - np.diag(np.diag(J))
    return mass, com, J - mass * (com @ com * np.eye(3) - np.outer(com, com))


exact, noisy = identified(torques), identified(torques + 0.5 * rng.normal(size=torques.shape))
for what, (mass, com, J) in (("exact", exact), ("noisy", noisy)):
    print(
        f"From {what} torques: {mass:.4f} kg at {1e3 * com.round(5)} mm, Ixx {J[0, 0]:.4f} kg m²."
    )
given = (truth.mass, truth.com, truth.inertia)
off = max(np.abs(np.subtract(a, b)).max() for a, b in zip(exact, given, strict=True))
part = abs(noisy[0] / truth.mass - 1)
print(f"Exact torques give the payload to {off:.0e}.")
print(f"With a noise of 0.5 N m its mass is found to {100 * part:.1g} %.")
assert off < 1e-9 and part < 0.01 and np.abs(noisy[1] - truth.com).max() < 5e-3

# %%

figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
labels = ["xx", "yy", "zz", "xy", "xz", "yz"]
pick = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
for shift, (label, J) in enumerate((("true", truth.inertia), ("identified, noisy", noisy[2]))):
    axes.bar(np.arange(6) + 0.4 * shift, [J[k] for k in pick], 0.4, label=label)
axes.set_xticks(np.arange(6) + 0.2, labels)
axes.set(ylabel="[kg m²]", title="Inertia of the payload about its centre of mass")
axes.legend()
plt.show()

# %%

run = ls.simulate(
    arm,
    arm.state(Q[0], V[0]),
    duration=2.0,
    loads=[
        ls.Servo(name, ls.Table(instants, Q[:, k], kind="smooth"), kp=2000.0, kd=100.0)
        for k, name in enumerate(arm.names[:6])
    ],
    output_step=0.04,
)
run.show()
