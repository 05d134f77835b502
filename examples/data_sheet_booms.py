"""
Booms from a data sheet
=======================

A satellite carries two booms of 10 m, and all that is known of them is a data sheet: mass, centre,
inertia, frequencies, damping and participation factors. That is enough for attitude dynamics. The
frequencies of the sheet hold for a boom on a wall; on a hub that turns, the booms ring faster. A
slew whose pulses last three periods of *this* vibration leaves the booms almost at rest; half a
period less, and they ring with nearly four times their static deflection.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import eigh
from scipy.optimize import brentq

import lissom as ls

# %%
# The data sheet. x is along the boom from its flange. Each frequency has two modes, of modal mass
# 1, which bend the boom along y and along z. Participation factors are those of translation and of
# rotation about the flange; displacement and slope of the tip are added to see it move.

frequencies = [0.47266, 2.9621, 8.2940]  # [Hz]
translation = [1.0963, 0.60756, 0.35623]  # [kg^(1/2)]
rotation = [7.9643, 1.2708, 0.45387]  # [kg^(1/2) m]
tip, slope = [1.4284, -1.4284, 1.4284], [0.19663, -0.68291, 1.1211]  # [kg^(-1/2)], [kg^(-1/2)/m]


def both_planes(moved, turned):
    """Rows (x, y, z, about x, y, z) of modes along y and along z."""
    pairs = zip(moved, turned, strict=True)
    return [row for u, t in pairs for row in ([0, u, 0, 0, 0, t], [0, 0, u, 0, -t, 0])]


sheet = ls.from_modes(
    mass=1.9604,
    center=(5.0, 0, 0),
    inertia=(0.000746, 16.336, 16.336),
    frequencies=np.repeat(frequencies, 2),
    damping=0.002,
    participation=both_planes(translation, rotation),
    nodes={"tip": (10.0, 0, 0)},
    shapes={"tip": both_planes(tip, slope)},
)
effective = np.square(rotation) / (16.336 + 1.9604 * 5.0**2)
print("Part of the boom's inertia about the flange in each mode:", effective.round(4))
print(sheet)

# %%
# This sheet was written for a uniform tube, so that its answers can be compared: with a body that
# `ls.beam` makes from section and material, and with the exact frequencies of beams on a hub.

length, tube = 10.0, ls.Tube(radius=0.02, thickness=0.001)
beam = ls.beam(length, tube, ls.CARBON, bending=6, torsion=0, stretch=0, damping=0.002)
hub = ls.RigidBody.box(120, (1.2, 1.2, 0.8))
arm, hub_inertia = 0.6, hub.inertia[2, 2]  # from the axis to the flange [m]; about z [kg m²]


def satellite(boom):
    """Two booms on a free hub."""
    model = ls.Model("satellite")
    model.add(hub, ls.Free(), name="hub")
    for side, turn in (("left", np.pi), ("right", 0.0)):
        place = {"at": (arm * np.cos(turn), 0, 0), "rotation": {"axis": "z", "angle": turn}}
        model.add(boom, ls.Fixed(), to="hub", **place, name=side)
    return model.compile()


def matrices(system):
    """Mass, damping and stiffness of small motions."""
    damping, stiffness = np.zeros((2, system.n_v, system.n_v))
    for name, body in zip(system.names[1:], system.bodies[1:], strict=True):
        own = system.layout.modal_v(name)
        damping[own, own], stiffness[own, own] = body.damping, np.diag(body.stiffness)
    return ls.mass_matrix(system, system.state()), damping, stiffness


def ringing(system):
    """Frequencies [Hz] of the vibrations in which the hub turns about z."""
    mass, _, stiffness = matrices(system)
    squares, shapes = eigh(stiffness, mass)
    turning = np.abs(shapes[2]) > 1e-6 * np.abs(shapes[2]).max()
    return np.sqrt(squares[turning & (squares > 1e-3)]) / (2 * np.pi)


# %%
# Exactly: each boom's displacement v(x) from the plane of the hub, its turn included, satisfies
# EI v'''' = ω² μ v with a free end; at the flange v = a v', and bending moment and shear force of
# the booms turn the hub, ω² J v' = 2 EI (a v''' - v'').

bending, per_length = ls.CARBON.youngs_modulus * tube.second_moment_z, ls.CARBON.density * tube.area


def misfit(wave):
    """Determinant of these four conditions for v of cos, sin, cosh and sinh of wave x / length."""
    k, (c, s, ch, sh) = wave / length, (f(wave) for f in (np.cos, np.sin, np.cosh, np.sinh))
    inertia = k**3 * hub_inertia / (2 * per_length)
    rows = [
        [1, -arm * k, 1, -arm * k],
        [-1, inertia + arm * k, 1, inertia - arm * k],
        [-c, -s, ch, sh],
        [s, -c, sh, ch],
    ]
    return np.linalg.det(rows)


grid = np.linspace(1.5, 9, 76)
values = np.array([misfit(x) for x in grid])
(changes,) = np.nonzero(values[:-1] * values[1:] < 0)
waves = [brentq(misfit, grid[k], grid[k + 1]) for k in changes]
exact = np.square(waves) / (2 * np.pi * length**2) * np.sqrt(bending / per_length)
found = {name: ringing(satellite(body))[:3] for name, body in (("sheet", sheet), ("beam", beam))}
print("on a wall [Hz]   on the hub: exact   data sheet           ls.beam")
for k in range(3):
    line = f"{frequencies[k]:10.4f} {exact[k]:19.5f}"
    for name in found:
        line += f"   {found[name][k]:9.5f} ({found[name][k] / exact[k] - 1:+.0e})"
    print(line)
assert np.allclose(found["sheet"], exact, rtol=2e-4) and np.allclose(
    found["beam"], exact, rtol=1e-3
)

# %%
# A slew by 5°: thrusters push the hub for some periods and then as long the other way. Both booms
# follow with a static deflection, about which they swing.

period, angle = 1 / exact[0], np.radians(5)


def slew(boom, pulse):
    """Run with two pulses of this length [s]."""
    inertia = hub_inertia + 2 * (16.336 + 1.9604 * (arm + 5.0) ** 2)
    torque = inertia * angle / pulse**2
    times = np.array([0, 0.01, pulse, pulse + 0.01, 2 * pulse, 2 * pulse + 0.01, 12])
    moment = np.outer([0, 1, 1, -1, -1, 0, 0], [0, 0, torque])
    load = ls.NodeForce("hub", moment=ls.Table(times, moment))
    return ls.simulate(
        satellite(boom),
        duration=12,
        loads=[load],
        integrator="generalized_alpha",
        step=0.005,
        output_step=0.01,
    )


pulses = {"three periods": 3 * period, "two and a half": 2.5 * period}
runs = {name: slew(sheet, pulse) for name, pulse in pulses.items()}
other = slew(beam, pulses["two and a half"])

# %%
# The deflection while the hub accelerates steadily follows from statics. Each of the three jumps
# of the torque, 1, -2 and 1, makes the booms swing about their new rest; the swings cancel or add.

left_over = {}
for name, run in runs.items():
    rate = angle / pulses[name] ** 2
    static = per_length * rate / bending * (11 * length**5 / 120 + arm * length**4 / 8)
    after = run.time > 2 * pulses[name] + 0.1
    left_over[name] = np.abs(run["right.tip.deflection"][after, 1]).max() / static
    turned = np.degrees(2 * np.arcsin(run["hub.quaternion"][-1, 3]))
    print(
        f"{name:15s} turned by {turned:.3f}°, rings with {left_over[name]:.2f} static deflections"
    )
one, two = (x["right.tip.deflection"][:, 1] for x in (runs["two and a half"], other))
most, apart = 1e3 * np.abs(one).max(), 1e3 * np.abs(one - two).max()
print(f"The tip moves by up to {most:.0f} mm; data sheet and ls.beam differ by {apart:.2f} mm.")
assert left_over["three periods"] < 0.05 and 3.5 < left_over["two and a half"] < 4
assert apart < 0.002 * most

# %%
# What a controller sees, the turn of the hub by a torque on it: the frequencies of the data sheet
# are its zeros, where the booms hold the hub still; those of the whole are its poles.


def response(system, frequencies):
    """Turn of the hub [rad] per torque about z [N m]."""
    mass, damping, stiffness = matrices(system)
    s = 2j * np.pi * frequencies[:, None, None]
    unit = np.eye(system.n_v)[:, 2:3]
    return np.linalg.solve(s**2 * mass + s * damping + stiffness, unit)[:, 2, 0]


band = np.geomspace(0.2, 12, 3000)
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for name, run in runs.items():
    axes[0].plot(run.time, 1e3 * run["right.tip.deflection"][:, 1], label=f"pulses of {name}")
axes[0].plot(other.time, 1e3 * two, "k:", lw=1.2, label="the same with ls.beam")
axes[0].set(xlabel="time [s]", ylabel="deflection of the right tip [mm]")
axes[0].legend(loc="lower left", fontsize="small")
axes[1].loglog(band, np.abs(response(satellite(sheet), band)), label="data sheet")
axes[1].loglog(band, np.abs(response(satellite(beam), band)), "k:", lw=1.2, label="ls.beam")
axes[1].set(xlabel="frequency [Hz]", ylabel="turn of the hub by a torque [rad/(N m)]")
for f in frequencies:
    axes[1].axvline(f, color="0.7", lw=0.8, ls="--")
axes[1].legend()
plt.show()

# %%
# The bending ten times larger than it is:

runs["two and a half"].show(frames=400, scale=10, height=380)
