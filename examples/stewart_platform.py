"""
Stewart platform
================

Six legs of variable length carry a platform and let it move in all directions at once. Which
lengths a motion needs is one line of geometry. The legs are given these lengths; that the
platform then moves as wanted, and what forces that takes, are results.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial.transform import Rotation

import lissom as ls

# %%
# A leg is a cylinder on a universal joint and a piston that slides in it. A ball joint between
# piston and platform closes a loop, six in all. Joints are in pairs on circles, so that the legs
# slant.


def circle(radius, degrees):
    """Points on a circle in the plane z = 0."""
    a = np.radians(degrees)
    return radius * np.transpose([np.cos(a), np.sin(a), 0 * a])


def along(direction):
    """Rotation that lays z along a direction."""
    z = direction / np.linalg.norm(direction)
    x = np.cross((0, 1, 0), z) / np.linalg.norm(np.cross((0, 1, 0), z))
    return np.transpose([x, np.cross(z, x), z])


feet = circle(1.2, [10, 110, 130, 230, 250, 350])
balls = circle(0.8, [50, 70, 170, 190, 290, 310])
height = np.array([0, 0, 1.4])
cylinder = ls.RigidBody.cylinder(8, 0.05, 0.9, com=(0, 0, 0.45))
piston = ls.RigidBody.cylinder(4, 0.03, 0.9, com=(0, 0, -0.45))

model = ls.Model("Stewart platform", gravity=(0, 0, -9.81))
model.add(ls.RigidBody.cylinder(200, 0.9, 0.06), ls.Free(), name="platform")
for i in range(6):
    place = {"at": feet[i], "rotation": along(height + balls[i] - feet[i])}
    model.add(cylinder, ls.Universal("x", "y"), name=f"cylinder{i}", **place)
    model.add(piston, ls.Prismatic("z"), to=f"cylinder{i}", name=f"piston{i}")
    model.close(ls.Spherical(), f"piston{i}", "platform", at_b=balls[i], name=f"ball{i}")
system = model.compile()

# %%
# The platform shall go round twice, leaning inwards, from rest to rest.

duration = 6.0


def wanted(time):
    """Position and rotation of the platform."""
    s = time / duration
    a = 4 * np.pi * s**3 * (10 - 15 * s + 6 * s**2)
    lean = Rotation.from_rotvec(0.2 * np.array([np.sin(a), -np.cos(a), 0]))
    return height + 0.25 * np.array([np.cos(a), np.sin(a), 0]), lean


times = np.linspace(0, duration, 301)
poses = [wanted(t) for t in times]
legs = np.array([position + lean.apply(balls) - feet for position, lean in poses])
lengths = np.linalg.norm(legs, axis=2)

position, lean = poses[0]
guess = {f"piston{i}": lengths[0, i] for i in range(6)}
guess["platform"] = [*np.roll(lean.as_quat(), 1), *position]
start = ls.assemble(system, system.state(**guess), held=["platform"])
motions = [
    ls.Motion(f"piston{i}", ls.Table(times, lengths[:, i], "smooth", clamped=True))
    for i in range(6)
]
run = ls.simulate(system, start, duration=duration, loads=motions, output_step=0.01)
drawing = ls.viz.draw(system, run.state(2.5), names=False)

# %%
# The path of the platform was never said, only lengths were.

path = np.array([wanted(t)[0] for t in run.time])
error = np.linalg.norm(run["platform.position"] - path, axis=1).max()
print(f"The platform is at most {1e6 * error:.2f} µm from its path.")
assert error < 1e-7
assert run.status == "finished"

# %%

figure, (left, right) = plt.subplots(
    1, 2, figsize=(9, 3.6), layout="constrained", width_ratios=[1, 1.4]
)
left.plot(*run["platform.position"][:, :2].T)
left.set(xlabel="x [m]", ylabel="y [m]", title="Centre of the platform", aspect="equal")
for i in range(6):
    right.plot(run.time, run[f"piston{i}.force"], label=f"leg {i}")
right.set(xlabel="time [s]", ylabel="force [N]", title="Forces of the legs")
right.legend(loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %%

run.show(frames=300, trails=["platform"], height=480)
