"""
Rotor
=====

Two slender blades are spun up far beyond their first frequency at rest. The pull outward keeps
them straight: it stiffens a blade more than its own bending stiffness does. A model whose blades
do not stiffen flies apart on the way, and says so.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

# %%
# A blade bends in two planes: up and down (flap) and in the plane of the rotor (lag).

length, radius, section = 6.0, 0.3, ls.Rectangle(0.08, 0.04)
blade = ls.beam(length, section, ls.CARBON, bending=4, torsion=0, damping=0.01)
model = ls.Model("rotor")
model.add(ls.RigidBody.cylinder(50, radius=radius, length=0.2), ls.Revolute("z"), name="hub")
model.add(blade, ls.Fixed(), to="hub", at=(radius, 0, 0), name="blade")
turned = {"axis": "z", "angle": np.pi}
model.add(blade, ls.Fixed(), to="hub", at=(-radius, 0, 0), rotation=turned, name="opposite")
levels = {level: model.compile(level=level) for level in ("full", "stiffened")}

# %%
# The rotor reaches its speed in ten seconds, smoothly. The blades lag behind while it gains speed,
# and come back when it turns steadily.

top, rise = 20.0, 10.0


def speed(t):
    """Speed of the hub [rad/s]."""
    s = min(t / rise, 1.0)
    return top * (s - np.sin(2 * np.pi * s) / (2 * np.pi))


runs = {}
for level, system in levels.items():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ls.SimulationWarning)  # of the one that does not stiffen
        runs[level] = ls.simulate(
            system,
            duration=13,
            loads=[ls.Motion("hub", velocity=speed)],
            integrator="generalized_alpha",
            step=5e-3,
        )
    print(f"{level:10s} {runs[level].status} at {runs[level].time[-1]:.2f} s")
assert runs["stiffened"].status == "finished" != runs["full"].status

# %%
# How much do they stiffen? A blade is bent a little in each of its shapes, and the forces that
# bring it back are the columns of its stiffness at that speed. Beside it, the textbook's equation
# :math:`(EI\,w'')'' - (T\,w')' = \rho A\,\omega^2 w` with the pull
# :math:`T(x) = \rho A\,\Omega^2 \int_x^L (r + s)\,ds`, solved by Ritz's method with nine powers
# of x.


def flap_frequencies(rate):
    """Frequencies of the blade up and down at a speed of the rotor [Hz]."""
    system, bend = levels["stiffened"], 1e-4
    modal = system.layout.modal_v("blade")
    columns = []
    for k in range(blade.n_mode):
        modes = np.zeros(blade.n_mode)
        modes[k] = bend
        state = system.state(**{"hub.rates": rate, "blade.modes": modes})
        level = system.state(**{"hub.rates": rate})
        force = ls.bias_force(system, state) - ls.bias_force(system, level)
        columns.append(force[modal] / bend)
    up = np.abs(blade.shapes[-1, 5]) > 1e-9  # those that lift the tip
    stiffness = np.array(columns).T[np.ix_(up, up)]
    return np.sqrt(np.sort(np.linalg.eigvals(stiffness).real)) / (2 * np.pi)


def textbook(rate):
    """The same frequencies of the linear equation [Hz]."""
    points, weights = np.polynomial.legendre.leggauss(40)
    s, w, power = (points + 1) / 2, weights / 2, np.arange(2, 11)[:, None]
    shape, slope, bent = s**power, power * s ** (power - 1), power * (power - 1) * s ** (power - 2)
    mass = ls.CARBON.density * section.area * length
    bending = ls.CARBON.youngs_modulus * section.second_moment_y / length**3
    pull = mass * rate**2 * (radius / length * (1 - s) + (1 - s**2) / 2)
    stiffness = (bent * w * bending) @ bent.T + (slope * w * pull) @ slope.T
    inertia = (shape * w * mass) @ shape.T
    squares = np.linalg.eigvals(np.linalg.solve(inertia, stiffness)).real
    return np.sqrt(np.sort(squares)) / (2 * np.pi)


rates = np.linspace(0, top, 10)
found = np.array([flap_frequencies(rate)[:2] for rate in rates])
exact = np.array([textbook(rate)[:2] for rate in rates])
error = np.abs(found / exact - 1).max(axis=0)
low, high = found[-1]
print(f"At rest {found[0, 0]:.3f} Hz, at {top:g} rad/s {low:.3f} Hz and {high:.2f} Hz;")
print(f"the equation of the textbook is met to {error[0]:.0e} and {error[1]:.0e}.")
assert error[0] < 2e-3

# %%
# The tips lag behind the hub while it gains speed; those that do not stiffen are lost on the way.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
for level, style in (("full", "--"), ("stiffened", "-")):
    tip = runs[level]["blade.tip.deflection"][:, 1]
    left.plot(runs[level].time, 1000 * tip, style, label=level)
left.set(xlabel="time [s]", ylabel="tip ahead of the hub [mm]", ylim=(-500, 100), title="Spin-up")
left.legend()
right.plot(rates, exact, color="0.6", label=["textbook", None])
right.plot(rates, found, "o", color="C1", label=["stiffened, four shapes", None])
right.plot(rates[[0, -1]], found[[0, 0]], ":", color="C0", label=["full", None])
right.set(xlabel="speed [rad/s]", ylabel="frequency [Hz]", title="Flap")
right.legend()
plt.show()

# %%
# The rotor as it starts:

runs["stiffened"].show(height=420)
