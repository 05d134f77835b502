"""
Space-station arm with flexible booms
=====================================

Two slender booms carry a payload on a satellite that floats freely. Smooth torques at shoulder
and elbow swing the arm through half a turn; the booms bend, the hub reacts, and the vibration
stays when the torques have ended. Nothing acts from outside, so momentum stays zero, and the
energy is what the torques have brought less what modal damping has taken.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import cumulative_simpson

import lissom as ls

# %%
# Shoulder about z, elbow about an axis that is tilted a little, so that the arm leaves the plane.

boom = ls.beam(6.0, ls.Tube(radius=0.04, thickness=0.002), ls.CARBON, modes=4)
model = ls.Model("flexible arm")
model.add(ls.RigidBody.box(mass=4000, size=(3.0, 2.4, 2.4)), ls.Free(), name="hub")
model.add(boom, ls.Revolute("z"), to="hub", at=(1.5, 0, 0), name="upper")
model.add(boom, ls.Revolute((0, 0.3, 1)), to="upper.tip", name="lower")
model.add(ls.RigidBody.sphere(mass=40, radius=0.3), ls.Fixed(), to="lower.tip", name="payload")
system = model.compile()
print(system, "\n")

# %%
# One full sine wave of torque at each joint, so that the arm comes nearly to rest after 6 s.

times = np.linspace(0, 6, 61)
wave = np.sin(2 * np.pi * times / 6)
torques = [
    ls.Actuator("upper", ls.Table(times, 560 * wave, "smooth")),
    ls.Actuator("lower", ls.Table(times, 260 * wave, "smooth")),
]
start = system.state(upper=-1.1, lower=-0.9)
run = ls.simulate(system, start, duration=9, loads=torques, output_step=1e-3)
drawing = ls.viz.draw(system, run.state(3.5))
steps, seconds = run.statistics["steps"], run.statistics["seconds"]
bent = 1000 * np.linalg.norm(run["upper.tip.deflection"], axis=1).max()
print(f"The arm swings for 9 s, and its upper boom bends by up to {bent:.0f} mm.")
print(
    f"That took {steps} steps and {seconds:.2f} s, {9 / seconds:.0f} times faster than real time.\n"
)

# %%
# Work and losses are integrals of powers over the rows.

loss_rate = 0.0
for name in ("upper", "lower"):
    rates = run[f"{name}.mode_rates"]
    damping = system.bodies[system.layout.index(name)].damping
    loss_rate = loss_rate + np.einsum("ti,ij,tj->t", rates, damping, rates)
work = cumulative_simpson((run.force * run.v).sum(axis=1), x=run.time, initial=0.0)
loss = cumulative_simpson(loss_rate, x=run.time, initial=0.0)
energy = run.energy
imbalance = np.abs(energy.total - energy.total[0] - work + loss).max() / np.ptp(energy.total)
momentum = np.abs(run["momentum"]).max(axis=0)

print(f"  work of the torques       {work[-1]:10.6f} J")
print(f"  lost in modal damping     {loss[-1]:10.6f} J")
print(f"  mechanical energy gained  {energy.total[-1] - energy.total[0]:10.6f} J\n")
print(f"Is it right? Never more than {imbalance:.0e} of the largest energy is missing, and the")
print(f"momentum stays below {momentum[3:].max():.0e} N s and {momentum[:3].max():.0e} N m s.\n")
assert imbalance < 1e-7

# %%
# The arm from above at ten instants, each boom drawn through its nodes; what would be straight
# booms is dotted. On the right, bending and energies.

figure = plt.figure(figsize=(12, 7.2), layout="constrained")
grid = figure.add_gridspec(2, 2, width_ratios=[1.15, 1])
above = figure.add_subplot(grid[:, 0])
for k, time in enumerate(np.linspace(0, 9, 10)):
    state, colour = run.state(time), plt.colormaps["viridis"](0.092 * k)
    hub, end = (ls.pose(system, state, name) for name in ("hub", "payload"))
    corners = np.array([[-1.5, -1.2], [1.5, -1.2], [1.5, 1.2], [-1.5, 1.2], [-1.5, -1.2]])
    above.plot(*(hub.position[:2] + corners @ hub.rotation[:2, :2].T).T, color=colour, lw=1)
    for name in ("upper", "lower"):
        root = ls.pose(system, state, name)
        bent = np.array([ls.pose(system, state, f"{name}.{j}").position for j in range(0, 25, 2)])
        straight = np.array([root.position, root.position + 6.0 * root.rotation[:, 0]])
        above.plot(straight[:, 0], straight[:, 1], color=colour, lw=0.8, ls=":")
        above.plot(bent[:, 0], bent[:, 1], color=colour, lw=2)
        above.plot(*root.position[:2], "o", color=colour, ms=4)
    above.plot(*end.position[:2], "o", color=colour, ms=10)
    if k != 1:  # the start is slow: its label would stand on that of the first second
        place = {"xytext": (9, 4), "textcoords": "offset points", "fontsize": 8}
        above.annotate(f"{time:.0f} s", end.position[:2], **place)
above.plot(*run["payload.position"][:, :2].T, color="0.6", lw=0.8, zorder=0)
above.set(xlabel="x [m]", ylabel="y [m]", title="Seen from above", aspect="equal")
above.margins(0.08)
above.grid(alpha=0.25)

bending = figure.add_subplot(grid[0, 1])
upper, lower = (1000 * run[f"{name}.tip.deflection"] for name in ("upper", "lower"))
bending.plot(run.time, upper[:, 1], label="upper boom, in the plane")
bending.plot(run.time, lower[:, 1], label="lower boom, in the plane")
bending.plot(run.time, lower[:, 2], label="lower boom, out of the plane", lw=0.9)
bending.set(ylabel="tip deflection [mm]", title="Bending: it rings on when the torques end")
energies = figure.add_subplot(grid[1, 1], sharex=bending)
energies.plot(run.time, energy.kinetic, label="kinetic")
energies.plot(run.time, energy.strain, label="strain")
energies.plot(run.time, energy.total, label="kinetic + strain", color="C7", lw=3)
energies.plot(run.time, work - loss, "k--", lw=1, label="work of torques − damping losses")
energies.set(xlabel="time [s]", ylabel="energy [J]", title="Energy")
for axes in (bending, energies):
    axes.axvline(6, color="0.7", lw=0.8, ls="--")
    axes.legend(fontsize=8, loc="upper right")

# %%
# With the name of a folder behind it, the program writes the picture and the moving view there.

if len(sys.argv) > 1:
    picture = Path(sys.argv[1]) / "flexible_arm.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=130)
    page = picture.with_suffix(".html")
    run.to_html(page, trails=["payload", "upper.tip"])
    print(f"wrote {picture}: the motion from above, bending, energies")
    print(f"wrote {page}: open it in a browser and see the arm move")

run.show(frames=400, trails=["payload", "upper.tip"])
