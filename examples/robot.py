"""
Robot from URDF with a flexible link
====================================

A six-axis robot is read from a URDF file, and its forearm is replaced by a slender tube that
bends. Both robots make the same quick move. The gripper of the second hangs lower, since the tube
sags under the weight of the wrist, and it swings on when the joints have stopped.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

import lissom as ls

# %%
# The forearm lies along x of its frame, as beams do. ``replace`` puts the tube in its place, and
# the wrist on the tube's tip.

path = Path(sys.argv[0]).parent / "six_axis.urdf"
length, section = 0.75, ls.Tube(radius=0.025, thickness=0.0015)
tube = ls.beam(length, section, ls.CARBON, damping=0.01)

stiff = ls.read_urdf(path).model.compile()
model = ls.read_urdf(path).model
model.replace("forearm", tube)
system = model.compile()
print(system)

# %%
# In the zero position the forearm is level, and its sag is that of a cantilever: under its own
# weight, the weight of the wrist, and the moment of that weight about the tip.

joints = ["column", "upper_arm", "forearm", "wrist_roll", "wrist_bend", "flange"]
start = ls.equilibrium(system, held=joints)
sag = ls.pose(stiff, stiff.neutral(), "wrist_roll").position[2]
sag -= ls.pose(system, start, "wrist_roll").position[2]

# centres of mass beyond the tip [m]
beyond_tip = {"wrist_roll": 0.04, "wrist_bend": 0.13, "flange": 0.19, "gripper": 0.29}
weights = {name: 9.81 * stiff.bodies[stiff.layout.index(name)].mass for name in beyond_tip}
force = sum(weights.values())
moment = sum(weights[name] * x for name, x in beyond_tip.items())
own = 9.81 * section.area * ls.CARBON.density
EI = ls.CARBON.youngs_modulus * section.second_moment_z
exact = (force * length**3 / 3 + moment * length**2 / 2 + own * length**4 / 8) / EI
print(f"The tube sags by {1e3 * sag:.3f} mm; a cantilever sags by {1e3 * exact:.3f} mm.")
assert abs(sag - exact) < 1e-4 * exact

# %%
# All joints move at once, from rest to rest in 0.8 s. Their motion is given, so that the joints
# themselves do not yield.

pose = dict(zip(joints, [1.2, 0.5, -0.3, 1.0, 0.6, -1.0], strict=True))
move = [
    ls.Motion(name, ls.Table([0, 0.4, 0.8], [0, angle / 2, angle], "smooth", clamped=True))
    for name, angle in pose.items()
]
runs = {
    "stiff": ls.simulate(stiff, duration=2, loads=move, output_step=0.005),
    "flexible": ls.simulate(system, start, duration=2, loads=move, output_step=0.005),
}
run = runs["flexible"]
drawing = ls.viz.draw(system, run.state(0.4), names=False)

# %%
# The joints stop at 0.8 s. The tube is also lighter than the forearm of 9 kg that it stands for,
# so the shoulder has less to carry.

off = 1000 * (run["gripper.position"] - runs["stiff"]["gripper.position"])
figure, (above, below) = plt.subplots(2, 1, figsize=(8, 5), sharex=True, layout="constrained")
above.plot(run.time, off, label=["x", "y", "z"])
above.set(ylabel="distance [mm]", title="Gripper of the flexible robot, from that of the stiff one")
for name, each in runs.items():
    below.plot(each.time, each["upper_arm.force"], label=name)
below.set(xlabel="time [s]", ylabel="torque [N m]", title="Torque at the shoulder")
for axes in (above, below):
    axes.axvline(0.8, color="0.6", lw=0.8, ls=":")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %%
# Deflections are enlarged ten times.

run.show(frames=300, scale=10, trails=["gripper"], height=480)
