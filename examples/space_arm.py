"""
Space arm: seven joints, two booms, seven gearboxes
===================================================

A manipulator on a free satellite: seven joints, each with a motor, a rotor and an elastic gear, and
two long booms that bend. Servos slew it with a payload. What the satellite feels, what remains of
the motion when the motors have stopped, a linear model for the control engineer, and how all of
it changes with the payload.
"""

import numpy as np
from scipy.integrate import cumulative_trapezoid

import lissom as ls

# %%
# The arm, link by link: shoulder (yaw, pitch), upper boom, elbow, lower boom, wrist (three axes).
# ``flexible_drive`` puts a rotor and a gear into a joint.

tube = ls.Tube(radius=0.06, thickness=0.002)
boom = ls.beam(5.0, tube, ls.CARBON, bending=2, torsion=1, stretch=0)
base = ls.RigidBody.box(1800.0, (2.4, 2.0, 1.6))
knuckle = ls.RigidBody.cylinder(12.0, 0.12, 0.3, axis="z", com=(0, 0, 0.15))
elbow = ls.RigidBody.cylinder(10.0, 0.1, 0.3, axis="x", com=(0.15, 0, 0))
wrist = ls.RigidBody.cylinder(6.0, 0.08, 0.3, axis="x", com=(0.15, 0, 0))
joints = {  # body, axis, carried by, at, gear [N m/rad], gains [N m/rad, N m s/rad]
    "yaw": (knuckle, "z", "base", (0, 0, 0.8), 3e5, (3e4, 1.2e4)),
    "shoulder": (boom, "y", "yaw", (0, 0, 0.3), 3e5, (3e4, 1.2e4)),
    "roll": (elbow, "x", "shoulder.tip", (0, 0, 0), 2e5, (4e3, 1e3)),
    "elbow": (boom, "y", "roll", (0.3, 0, 0), 2e5, (3e4, 1.2e4)),
    "wrist_x": (wrist, "x", "elbow.tip", (0, 0, 0), 5e4, (4e3, 1e3)),
    "wrist_y": (wrist, "y", "wrist_x", (0.3, 0, 0), 5e4, (4e3, 1e3)),
    "wrist_z": (wrist, "z", "wrist_y", (0.3, 0, 0), 5e4, (4e3, 1e3)),
}
motors = [f"{name}_rotor" for name in joints]


def arm(payload=120.0):
    """System and drives, with a payload [kg]."""
    model = ls.Model("space arm")
    model.add(base, ls.Free(), name="base")
    for name, (body, axis, to, at, *_) in joints.items():
        model.add(body, ls.Revolute(axis), to=to, at=at, name=name)
    cargo = ls.RigidBody.box(payload, (0.8, 0.8, 0.8))
    model.add(cargo, ls.Fixed(), to="wrist_z", at=(0.5, 0, 0), name="payload")
    drives = [
        ls.flexible_drive(model, name, stiffness=k, damping=2e-3 * k, ratio=160, rotor_inertia=2e-4)
        for name, (*_, k, _) in joints.items()
    ]
    return model.compile(), drives


system, drives = arm()
print(system)

# %%
# The slew: smooth targets over 12 seconds, and servos on the motors that follow them.

pose = {"shoulder": -0.9, "elbow": 1.4, "wrist_y": -0.5}
turn = {"yaw": 1.2, "shoulder": 0.3, "elbow": -0.6, "wrist_y": 0.3}


def slew(system, drives):
    """Run of 25 s: the slew and what remains after it."""
    servos = []
    for name, (*_, (kp, kd)) in joints.items():
        start = pose.get(name, 0.0)
        target = ls.Table([0, 12], [start, start + turn.get(name, 0.0)], "smooth", clamped=True)
        servos.append(ls.Servo(f"{name}_rotor", target, kp=kp, kd=kd))
    state = system.state(**{f"{name}_rotor": angle for name, angle in pose.items()})
    return ls.simulate(system, state, duration=25, loads=[*drives, *servos], output_step=0.025)


run = slew(system, drives)
run.plot(
    "base.angles",
    "yaw_rotor.reaction_world",
    "elbow.joint_angle",
    "elbow.gear_torque",
    "elbow.tip.deflection",
    units="deg, mm, N m",
)

# %%
# Nothing holds the satellite: it turns against the arm, and the momentum of all together stays
# zero. What it feels is the reaction of the first joint, here in world axes; that force alone must
# account for its own momentum.

impulse = cumulative_trapezoid(run["yaw_rotor.reaction_world"][:, 3:], run.time, axis=0)
own = base.mass * run["base.velocity"][1:]
largest = np.abs(own).max()
print(f"Momentum of the satellite up to {largest:.2f} N s; the reaction accounts for all but")
print(f"{np.abs(own + impulse).max() / largest:.1e} of it.")
assert np.abs(own + impulse).max() < 1e-3 * largest
assert np.abs(run["momentum"]).max() < 1e-2

# %%
# A linear model in the pose at the end, without the servos: torques of the motors in, the
# position of the payload out. With the motors held, the modes are those that ring after a slew.

end = {f"{name}_rotor": pose.get(name, 0.0) + turn.get(name, 0.0) for name in joints}
rest = system.state(**end)
linear = ls.linearize(system, rest, loads=drives, inputs=motors, outputs=["payload.position"])
print(linear)
held = ls.modes(system, rest, loads=drives, held=motors)
print(held)

# %%
# Forty payloads, known to 20 %: the tip swings by more or less, and more or less fast. Without
# ``"serial"`` all processors share the work.

found = ls.sweep(
    arm,
    {"payload": ls.Normal(120, 24, low=40)},
    lambda parts: slew(*parts),
    "serial",
    samples=40,
    seed=1,
    sampling="latin_hypercube",
    channels=["elbow.tip.deflection"],
    units={"payload": "kg"},
)
assert set(found.status.values) == {"done"}
ls.viz.plot_band(found["elbow.tip.deflection"].sel(axis="z", drop=True), units="mm")

# %%
# The film. The page records it for slides; ``run.to_gif("arm.gif")`` writes an animated picture.

run.show(trails=["payload"], frames=300)

# %%
# What it took
# ------------
#
# Counted: lines of code, without empty ones, comments and docstrings, and what has to be done from
# the program to a film. The right column was run with the version before there were such channels,
# units and films; its curves are the same.
#
# =========================== =============================== =================================
# ..                          this program                    before
# =========================== =============================== =================================
# lines of Python             79                              92
# of these for the figure     8                               21
# joint and torque of a gear  names of channels               rotor plus twist, constants again
# attitude of the base        name of a channel               SciPy's rotations of quaternions
# degrees and millimetres     ``units``                       factors and labels by hand
# steps to a film             2: run, *save film*             3: run, record the screen, cut
# =========================== =============================== =================================
