"""
A truss mast of two hundred members
===================================

A spacecraft turns by 60° with an instrument at the end of a lattice mast of 12 m: three longerons,
battens around them, and diagonals on pins, 207 members in all. The mast is one flexible body of a
few shapes. It bends like a beam, and it knows the force in every member.
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

# %%
# A bay is 0.55 m long, with three corners on a circle of 0.3 m. Stiff arms connect the three feet
# with the joint, and the three heads with the instrument.

bays, bay, radius = 22, 0.55, 0.3
angles = np.radians([90, 210, 330])
corner = np.column_stack([np.zeros(3), radius * np.cos(angles), radius * np.sin(angles)])
rings = [corner + np.array([k * bay, 0, 0]) for k in range(bays + 1)]
nodes = np.vstack([*rings, [(0, 0, 0), (bays * bay, 0, 0)]])
foot, head = len(nodes) - 2, len(nodes) - 1

tube, thin, stiff = ls.Tube(0.012, 0.001), ls.Tube(0.008, 0.0008), ls.Tube(0.08, 0.003)
members = []
for k in range(bays):
    for c in range(3):
        here, next_corner = 3 * k + c, 3 * k + (c + 1) % 3
        members.append(ls.Member(here, here + 3, tube, ls.CARBON, parts=2))
        members.append(ls.Member(here, next_corner, thin, ls.CARBON, parts=1))
        members.append(ls.Member(here, next_corner + 3, thin, ls.CARBON, parts=1, pinned="both"))
for c in range(3):
    top = 3 * bays
    members.append(ls.Member(top + c, top + (c + 1) % 3, thin, ls.CARBON, parts=1))
    members.append(ls.Member(foot, c, stiff, ls.CARBON, parts=1))
    members.append(ls.Member(top + c, head, stiff, ls.CARBON, parts=1))
mast = ls.frame(nodes, members, interfaces={"root": foot, "tip": head}, modes=6, damping=0.01)
print(f"{len(members)} members, {mast.source.n_freedom} freedoms\n{mast}")

# %%
# As a beam the mast has the bending stiffness of its longerons, E A r² 3/2.

stiffness = ls.CARBON.youngs_modulus * tube.area * 1.5 * radius**2
tip = (mast.shapes[mast.names["tip"]] @ mast.transform)[4]
compliance = tip**2 @ (1 / (2 * np.pi * mast.frequencies) ** 2)
as_beam = (bays * bay) ** 3 / (3 * stiffness)
print(f"A newton at its end moves it by {1e3 * compliance:.3f} mm, a beam by {1e3 * as_beam:.3f}.")
assert as_beam < compliance < 1.15 * as_beam  # arms and diagonals give way a little

# %%
# The turn: 60° in ten seconds, from rest to rest.

angle = ls.Table([0, 10], [0, np.radians(60)], "rest")
model = ls.Model("mast")
model.add(ls.RigidBody.box(400, (1.4, 1.4, 1.4)), ls.Revolute("z"), name="hub")
model.add(mast, ls.Fixed(), to="hub", at=(0.7, 0, 0), name="mast")
model.add(ls.RigidBody.box(15, (0.5, 0.5, 0.5)), ls.Fixed(), to="mast.tip", name="instrument")
system = model.compile()
run = ls.simulate(system, duration=16, loads=[ls.Motion("hub", angle)], output_step=0.02)

# %%
# Forces in the members, in equilibrium with the inertia of the mast and of what it carries.
# The bending moment at the root is shared by the longerons like stress in a section:
# N = M y / (1.5 r²).

stations = system.bodies[1].recovery.stations
force = run.along("mast", "section_force")[..., 0]  # N at each station
strut = [k for k, m in enumerate(members) if m.section is tube]
root = [k for k in strut if members[k].first < 3]
first = np.isin(stations.members, root) & (stations.places == 0)
most = np.abs(force[:, first]).max()
tension = np.abs(force).max(axis=0)
worst = stations.members[np.argmax(tension)]
print(f"The longerons at the root carry up to {most:.1f} N; member {worst} has the largest force.")
assert worst in root

# %%

figure, axes = plt.subplots(2, 1, figsize=(8, 5.6), sharex=True, layout="constrained")
axes[0].plot(run.time, 1e3 * run["mast.tip.deflection"][:, 1])
axes[0].set(ylabel="deflection of the tip [mm]")
axes[1].plot(run.time, force[:, first], label=[f"longeron {k}" for k in "abc"])
axes[1].set(xlabel="time [s]", ylabel="force at the root [N]")
axes[1].legend(loc="upper right")
plt.show()

# %%
# The mast in motion, its bending a hundred times larger than it is:

run.show(frames=400, scale=100, height=420)
