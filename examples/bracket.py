"""
Bracket
=======

A motor with an unbalanced rotor sits on a bent sheet of steel and runs up through its resonance.
The bracket is a mesh of solid elements, reduced to a few shapes; stress comes from the same shapes.
"""

import matplotlib.pyplot as plt
import meshio
import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

import lissom as ls

# %%
# The mesh, in millimetres: hexahedra of 20 nodes along a leg, a bend and a shelf. A mesh generator
# would write it to a file, of which ``ls.from_mesh`` takes the name.

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
mesh = meshio.Mesh(nodes[used], [("hexahedron20", cells.reshape(-1, 20))])

# %%
# The foot of the leg is screwed to a wall, the end of the shelf carries the motor. Positions are in
# metres from here on.

bracket = ls.from_mesh(
    mesh,
    ls.STEEL,
    {"foot": lambda x: x[:, 2] < -0.039, "seat": lambda x: x[:, 0] > 0.027},
    scale=1e-3,
    modes=4,
    damping=0.05,
)
print(bracket)

model = ls.Model("bracket", gravity=(0, 0, -9.81))
model.add(bracket, ls.Fixed(), name="bracket")
motor = ls.RigidBody.cylinder(0.5, radius=0.018, length=0.04, com=(0, 0, 0.02), axis="y")
model.add(motor, ls.Fixed(), to="bracket.seat", name="motor")
rotor = ls.RigidBody.cylinder(0.1, radius=0.015, length=0.01, com=(0.0003, 0, 0), axis="y")
model.add(rotor, ls.Revolute("y"), to="motor", at=(0, -0.03, 0.02), name="rotor")
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

duration, top = 3.0, 2 * 2 * np.pi * frequency
run = ls.simulate(
    system,
    ls.equilibrium(system, held=["rotor"]),
    duration=duration,
    loads=[ls.Motion("rotor", velocity=lambda t: top * t / duration)],
    integrator="generalized_alpha",
    step=2e-4,
)

# %%
# Stress at the nodes of the surface is linear in the amplitudes of the shapes.

points = system.bodies[0].recovery.points
on_surface = points.nodes >= 0
rows = np.arange(0, len(run.time), 5)
modes = run["bracket.modes"][rows]
stress = ls.von_mises(np.einsum("pcm,tm->ptc", points.stresses[on_surface], modes))  # (p, t)
worst, when = np.unravel_index(np.argmax(stress), stress.shape)
speeds = np.ravel(run["rotor.rates"])[rows] / (2 * np.pi)
speed = speeds[when]
print(
    f"The first frequency is {frequency:.1f} Hz; the largest stress, {stress.max() / 1e6:.0f} MPa,"
)
print(f"is reached at {speed:.1f} turns per second.")
assert 1.0 < speed / frequency < 1.1  # the response to a sweep comes a little late

# %%
# At rest, the stress of the leg is that of a beam under the moment of the motor's weight.

lever = bracket.positions[bracket.names["seat"], 0]  # from the middle of the leg
moment = 9.81 * (0.5 * lever + 0.1 * (lever + 0.0003))
at_rest = np.einsum("pcm,m->pc", points.stresses[on_surface], modes[0])
height = bracket.recovery.points.positions[on_surface, 2]  # those of `points` start at the root
middle = np.abs(height + 0.02) < 1e-6
face = at_rest[middle, 2].max()
textbook = 6 * moment / (width * thickness**2 * 1e-9)
print(f"At rest {face / 1e6:.2f} MPa, of a beam {textbook / 1e6:.2f} MPa.")
assert 0 < face / textbook - 1 < 0.15  # the bracket has a weight, too

# %%
# The stress over the run, and the bracket in its worst moment.

figure = plt.figure(figsize=(10, 4), layout="constrained")
left, right = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2, projection="3d")
left.plot(speeds, stress.max(axis=0) / 1e6, lw=0.8)
left.axvline(frequency, color="0.6", ls="--")
left.set(xlabel="speed [turns/s]", ylabel="largest von Mises stress [MPa]", title="Run-up")
(skin,) = bracket.solids
row = {int(node): k for k, node in enumerate(points.nodes[on_surface])}
known = np.array([row[node] for node in skin.nodes])
shape = points.positions[on_surface][known]
colors = stress[known, when][skin.triangles].mean(axis=1) / 1e6
faces = Poly3DCollection(1e3 * shape[skin.triangles], cmap="cividis", lw=0)
faces.set_array(colors)
right.add_collection3d(faces)
right.auto_scale_xyz(*(1e3 * shape.T))
right.set_aspect("equal")
right.view_init(20, -130)
right.set(xlabel="x [mm]", ylabel="y [mm]", zlabel="z [mm]")
figure.colorbar(faces, ax=right, label="von Mises stress [MPa]", shrink=0.8)
plt.show()

# %%

run.show(frames=200, height=420)
