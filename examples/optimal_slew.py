"""
Slew without a rest of vibration
================================

A bending arm is turned by a right angle in little more than a period of its first vibration. The
torque of least effort that ends at rest, vibrations included, is found from exact derivatives of
the run. A bang-bang torque, best for a rigid arm, leaves it swinging.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

import lissom as ls

# %%
# Two slender tubes on a hub, with a load at the end: the arm bends in the plane and out of it.

model = ls.Model("arm")
hub = ls.RigidBody.cylinder(mass=4.0, radius=0.15, length=0.2)
tube = ls.Tube(radius=0.012, thickness=0.001)
boom = ls.beam(1.0, tube, ls.ALUMINIUM, modes=4, damping=0.002)
model.add(hub, ls.Revolute("z"), name="hub")
model.add(boom, ls.Fixed(), to="hub", at=(0.15, 0, 0), name="inner")
model.add(boom, ls.Fixed(), to="inner.tip", name="outer")
model.add(ls.RigidBody.sphere(0.5, 0.04), ls.Fixed(), to="outer.tip", name="load")
arm = model.compile(level="linear")

angle, duration, step = np.pi / 2, 2.0, 0.0025
knots = np.linspace(0, duration, 41)


def motor(values, kind="linear"):
    """Motor of the hub with a table of torques."""
    return ls.Actuator("hub", ls.Table(knots, values, kind=kind))


# %%
# At the end the hub has its angle, and all speeds and deflections are zero: equations whose
# derivatives by the 41 torques are rows of the sensitivities. `minimize` does the rest.


def end(values):
    """State at the end less the one wanted, and its derivatives by the torques."""
    found = ls.sensitivity(arm, arm.state(), duration=duration, step=step, controls=[motor(values)])
    reached = np.concatenate([found.q[-1], found.v[-1]])
    reached[arm.layout.hinge_v("hub").start] -= angle
    return reached, found.controls[0][-1]


inertia = ls.mass_matrix(arm, arm.state())[arm.layout.hinge_v("hub"), arm.layout.hinge_v("hub")]
bang = 4 * angle * float(inertia[0, 0]) / duration**2 * np.sign(duration / 2 - knots - 1e-9)
reached, slopes = end(0 * knots)
moves = np.abs(slopes).max(axis=1) > 1e-9  # the arm does not leave its plane by itself
seen = {}


def constraint(values, which):
    key = values.tobytes()
    if key not in seen:
        seen.clear()
        seen[key] = end(values)
    value = seen[key][which][moves]
    return value / np.linalg.norm(slopes[moves], axis=1).reshape(-1, *[1] * which)


begun = time.perf_counter()
best = minimize(
    lambda u: (u @ u / len(u), 2 * u / len(u)),
    0 * knots,
    jac=True,
    method="SLSQP",
    constraints={
        "type": "eq",
        "fun": lambda u: constraint(u, 0),
        "jac": lambda u: constraint(u, 1),
    },
    options={"maxiter": 50, "ftol": 1e-10},
)
print(f"{best.message} after {best.nit} iterations, {time.perf_counter() - begun:.1f} s.")

# %%
# Both torques, followed for a while after the slew, by another method of integration. The optimal
# one must leave less than a hundredth of the other's vibration.


def swing(values, kind):
    """The run, and how far the load still swings after the slew [m]."""
    run = ls.simulate(
        arm, arm.state(), duration=2 * duration, loads=[motor(values, kind)], output_step=0.01
    )
    after = run["load.position"][run.time >= duration]
    return run, float(np.linalg.norm(np.ptp(after, axis=0)))


best_table = np.append(best.x[:-1], best.x[-1])
released = ls.Table([*knots, duration + 1e-3], [*best_table, 0.0])
run = ls.simulate(
    arm, arm.state(), duration=2 * duration, loads=[ls.Actuator("hub", released)], output_step=0.01
)
after = run["load.position"][run.time >= duration + 0.01]
left = float(np.linalg.norm(np.ptp(after, axis=0)))
plain, rest = swing(np.append(bang[:-1], 0.0), "steps")
print(f"After the slew the load still moves by {1e3 * left:.2f} mm; bang-bang {1e3 * rest:.0f} mm.")
assert best.success and left < 0.01 * rest

# %%

figure, (upper, lower) = plt.subplots(2, 1, figsize=(7, 5), sharex=True, layout="constrained")
upper.plot(knots, best.x, label="optimal")
upper.step(knots, bang, where="post", label="bang-bang")
upper.set(ylabel="torque [N m]", title="Torque of the hub")
upper.legend()
for one, label in ((run, "optimal"), (plain, "bang-bang")):
    place = one["load.position"]
    lower.plot(one.time, np.degrees(np.unwrap(np.arctan2(place[:, 1], place[:, 0]))), label=label)
lower.set(xlabel="time [s]", ylabel="angle of the load [deg]", title="Direction of the load")
lower.axvline(duration, color="grey", linewidth=0.8)
plt.show()

# %%

run.show()
