"""
Slew without a rest of vibration
================================

A spacecraft turns a bending boom by thirty degrees in two periods of its first vibration. The
torque of least effort that ends at rest, the boom included, is found from exact derivatives of the
run by the torque's values. A bang-bang torque, best for a rigid boom, leaves it swinging.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import minimize

import lissom as ls

# %%
# A hub, a slender tube and a load at its end.

model = ls.Model("slew")
hub = ls.RigidBody.cylinder(mass=100.0, radius=0.4, length=0.5)
boom = ls.beam(
    2.0, ls.Tube(radius=0.012, thickness=0.001), ls.ALUMINIUM, bending=2, torsion=0, stretch=0
)
model.add(hub, ls.Revolute("z"), name="hub")
model.add(boom, ls.Fixed(), to="hub", at=(0.4, 0, 0), name="boom")
model.add(ls.RigidBody.sphere(0.5, 0.05), ls.Fixed(), to="boom.tip", name="load")
system = model.compile()

angle, duration, step = np.radians(30), 0.8, 0.0025
knots = np.linspace(0, duration, 33)
axis = system.layout.hinge_v("hub").start


def motor(values, kind="linear"):
    """Motor of the hub with a table of torques; the last one holds after the slew."""
    return ls.Actuator("hub", ls.Table(knots, values, kind=kind))


# %%
# At the end the hub has its angle, and all speeds and deflections are zero: equations whose
# derivatives by the torques are rows of the sensitivities, which `minimize` takes.


def end(values):
    """State at the end less the one wanted, and its derivatives by the torques."""
    drive = {"duration": duration, "step": step, "controls": [motor(values)]}
    run = ls.sensitivity(system, system.state(), **drive)
    reached = np.concatenate([run.q[-1], run.v[-1]])
    reached[axis] -= angle
    return reached, run.controls[0][-1]


slopes = end(np.zeros(len(knots)))[1]
moves = np.any(np.abs(slopes) > 1e-9, axis=1)  # the boom does not leave its plane
scale = np.linalg.norm(slopes[moves], axis=1)

begun = time.perf_counter()
best = minimize(
    lambda u: (u @ u / 100, u / 50),
    np.zeros(len(knots)),
    jac=True,
    method="SLSQP",
    bounds=[(0, 0), *[(None, None)] * (len(knots) - 2), (0, 0)],
    constraints={
        "type": "eq",
        "fun": lambda u: end(u)[0][moves] / scale,
        "jac": lambda u: end(u)[1][moves] / scale[:, None],
    },
    options={"ftol": 1e-12},
)
print(f"{len(knots)} torques in {best.nit} iterations, {time.perf_counter() - begun:.1f} s.")

# %%
# Both torques, followed for a while by another method. The optimal one must leave less than a
# hundredth of the vibration.

inertia = ls.mass_matrix(system, system.state())[axis, axis]
bang = 4 * angle * inertia / duration**2 * np.sign(duration / 2 - knots - step)
bang[-1] = 0


def follow(load):
    """The run, and how far the tip still bends to and fro after the slew [m]."""
    run = ls.simulate(system, system.state(), duration=2.4, loads=[load], output_step=0.01)
    turned, place = run["hub.coordinates"][:, 0], run["load.position"]
    bend = place[:, 1] * np.cos(turned) - place[:, 0] * np.sin(turned)
    return run, bend, float(np.ptp(bend[run.time > duration]))


run, bend, left = follow(motor(best.x))
_, bang_bend, rest = follow(motor(bang, "steps"))
reached = np.degrees(run["hub.coordinates"][-1, 0])
print(f"The hub stops at {reached:.3f} deg, and the tip still bends by {1e3 * left:.2g} mm.")
print(f"After the bang-bang torque it bends by {1e3 * rest:.0f} mm.")
assert best.success and abs(reached - 30) < 0.02 and left < 0.01 * rest

# %%

figure, (upper, lower) = plt.subplots(2, 1, figsize=(7, 5), sharex=True, layout="constrained")
upper.plot([*knots, 2.4], [*best.x, 0], label="least effort")
upper.step([*knots, 2.4], [*bang, 0], where="post", label="bang-bang")
upper.set(ylabel="[N m]", title="Torque of the hub")
upper.legend()
lower.plot(run.time, 1e3 * bend, label="least effort")
lower.plot(run.time, 1e3 * bang_bend, label="bang-bang")
lower.set(xlabel="time [s]", ylabel="[mm]", title="Deflection of the tip")
plt.show()

# %%

run.show()
