"""
Bracket
=======

A motor with an unbalanced rotor sits on a bent sheet of steel and runs up through its resonance.
The bracket is imported from a file, a mesh of solid elements, and reduced to a few shapes; stress
comes from the same shapes, and the view shows it.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import meshio
import numpy as np

import lissom as ls

# %%
# The mesh, in millimetres: hexahedra of 20 nodes along a leg, a bend and a shelf. Usually a mesh
# generator writes the file; here these lines do.

leg, bend, shelf, width, thickness = 50.0, 8.0, 40.0, 40.0, 3.0
parts = np.array([14, 4, 1])  # elements along, across, through


def placed(s, y, t):
    """Point at a length s along the sheet, t away from its middle."""
    arc = bend * np.pi / 2
    angle = np.clip((s - leg) / bend, 0, np.pi / 2)
    before, after = np.minimum(s - leg, 0), np.maximum(s - leg - arc, 0)
    x = bend - (bend + t) * np.cos(angle) + after
    z = before + (bend + t) * np.sin(angle)
    return np.stack([x, y, z], axis=-1)


half = 2 * parts + 1  # nodes, with those between corners
grid = np.stack(np.meshgrid(*map(np.arange, half), indexing="ij"), axis=-1).reshape(-1, 3)
share = grid / (half - 1)
stations = np.interp(
    grid[:, 0], [0, 10, 18, 28], np.cumsum([0, leg, bend * np.pi / 2, shelf])
)  # five elements in each part, four in the bend
nodes = placed(stations, width * (share[:, 1] - 0.5), thickness * (share[:, 2] - 0.5))

corners = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2)]
edges = [(1, 0, 0), (2, 1, 0), (1, 2, 0), (0, 1, 0), (1, 0, 2), (2, 1, 2), (1, 2, 2), (0, 1, 2)]
edges += [(0, 0, 1), (2, 0, 1), (2, 2, 1), (0, 2, 1)]
first = 2 * np.stack(np.meshgrid(*map(np.arange, parts), indexing="ij"), axis=-1).reshape(-1, 1, 3)
cells = np.ravel_multi_index(np.moveaxis(first + np.array(corners + edges), -1, 0), half)
used, cells = np.unique(cells, return_inverse=True)
file = Path(tempfile.mkdtemp()) / "bracket.inp"
meshio.write(file, meshio.Mesh(nodes[used], [("hexahedron20", cells.reshape(-1, 20))]))

# %%
# The foot of the leg is screwed to a wall, the end of the shelf carries the motor. Positions are in
# metres from here on.

bracket = ls.from_mesh(
    file,
    ls.STEEL,
    {"foot": lambda x: x[:, 2] < -0.039, "seat": lambda x: x[:, 0] > 0.027},
    scale=1e-3,
    modes=4,
    damping=0.05,
)
print(bracket)

model = ls.Model("bracket", gravity=(0, 0, -9.81))
model.add(bracket, ls.Fixed(), name="bracket")
motor = ls.RigidBody.cylinder(0.2, radius=0.012, length=0.036, com=(0, 0, 0.0135), axis="y")
model.add(motor, ls.Fixed(), to="bracket.seat", name="motor")
rotor = ls.RigidBody.cylinder(0.04, radius=0.01, length=0.008, com=(0.0003, 0, 0), axis="y")
model.add(rotor, ls.Revolute("y"), to="motor", at=(0, 0.025, 0.0135), name="rotor")
system = model.compile()

# %%
# The first frequency of the bracket with motor and rotor, from the mass matrix at rest.

modal = system.layout.modal_v("bracket")
inertia = ls.mass_matrix(system, system.state())[modal, modal]
stiffness = np.diag(system.bodies[0].stiffness)
values = np.linalg.eigvals(np.linalg.solve(inertia, stiffness)).real
frequency = np.sqrt(values.min()) / (2 * np.pi)

# %%
# The motor runs up to twice this speed, from rest in the equilibrium under its weight.

duration, top = 2.0, 2 * 2 * np.pi * frequency
run = ls.simulate(
    system,
    ls.equilibrium(system, held=["rotor"]),
    duration=duration,
    loads=[ls.Motion("rotor", velocity=ls.Table([0, duration], [0, top]))],
    integrator="generalized_alpha",
    step=1e-4,
)

# %%
# The largest stress of the run and the load of the seat, with time and place.

envelope = run.envelope("bracket.stress", "bracket.strain", "bracket.seat.interface_load_world")
print(envelope)
worst = envelope["bracket.stress"]
speeds = np.ravel(run["rotor.rates"]) / (2 * np.pi)
speed = speeds[np.searchsorted(run.time, worst.largest_time)]
print(f"The first frequency is {frequency:.1f} Hz; the largest stress is reached at {speed:.1f}")
print("turns per second.")
assert 1.0 < speed / frequency < 1.1  # the response to a sweep comes a little late

# %%
# At rest, the stress of the leg is that of a beam under the moment of the weights on it, and its
# strain is nearly the stress over Young's modulus.

points = system.bodies[0].recovery.points
rest = run.state(0.0)
height = bracket.recovery.points.positions[:, 2]  # those of `points` start at the root
middle = np.abs(height + 0.02) < 1e-6
face = ls.stress(system, rest, "bracket")[middle, 2].max()
stretch = ls.strain(system, rest, "bracket")[middle, 2].max()
lever = bracket.positions[bracket.names["seat"], 0]  # from the middle of the leg
plate = ls.STEEL.density * shelf * width * thickness * 1e-9
moment = 9.81 * (0.24 * lever + plate * 1e-3 * (bend + shelf / 2))
textbook = 6 * moment / (width * thickness**2 * 1e-9)
print(f"At rest {face / 1e6:.2f} MPa, of a beam {textbook / 1e6:.2f} MPa.")
assert 0 < face / textbook - 1 < 0.1  # the bend has a weight, too
assert 0.9 < stretch * ls.STEEL.youngs_modulus / face < 1.0  # a wide sheet cannot narrow

# %%
# The stress over the run, and the bracket in its worst moment.

around = run.sample(worst.largest_time + np.linspace(-0.03, 0.03, 241))
picture = file.with_suffix(".png")
around.to_image(picture, worst.largest_time, color="stress", size=(640, 480))
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
left.plot(speeds, run["bracket.stress"] / 1e6, lw=0.5)
left.axvline(frequency, color="0.6", ls="--")
left.set(xlabel="speed [turns/s]", ylabel="largest von Mises stress [MPa]", title="Run-up")
right.imshow(plt.imread(picture))
right.set_axis_off()
plt.show()

# %%
# The view, slowed down around this moment; the deformation is enlarged.

around.show(color="stress", scale=10, height=420)
