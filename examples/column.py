"""
Column
======

A column stands on its foot and carries a load. It is not quite straight, and the closer the load
comes to Euler's, the more it bends: Southwell plotted the bend over the bend divided by the load
and read the critical load from the slope of the line. A column below its load swings slowly, and
the square of its frequency falls to zero on a line that is nearly straight, too.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

# %%
# The column is a strip of steel, which stands along x and leans on a small force across: that is
# its imperfection.

length, push, section = 1.0, 0.02, ls.Rectangle(0.03, 0.004)
column = ls.beam(length, section, ls.STEEL, bending=(0, 3), level="stiffened")
model = ls.Model("column")
model.add(column, ls.Fixed(), name="column")
system = model.compile()
stiffness = ls.STEEL.youngs_modulus * section.second_moment_y
euler = np.pi**2 * stiffness / (4 * length**2)
print(f"Euler's load is {euler:.2f} N.")


# %%
# Equilibria under ten loads. The formula for a pressed beam with a force across its tip is exact:
# :math:`w = \frac{F L^3}{EI}\,\frac{\tan k - k}{k^3}` with :math:`k^2 = P L^2 / EI`.


def pressed(load):
    """Forces on the tip: along the column, and a small one across."""
    return [ls.NodeForce("column.tip", force=(-load, 0, push))]


def bent_by(state):
    """Deflection of the tip [m]."""
    return ls.pose(system, state, "column.tip").position[2]


loads = euler * np.linspace(0.05, 0.95, 10)
bends = np.array([bent_by(ls.equilibrium(system, loads=pressed(load))) for load in loads])
k = np.sqrt(loads / stiffness) * length
exact = push * length**3 / stiffness * (np.tan(k) - k) / k**3
error = abs(bends / exact - 1).max()
print(f"Up to {loads[-1] / euler:.0%} of Euler's load the bend is right to {error:.0e}.")
more = bends - push * length**3 / (3 * stiffness)  # than without the load
slope, _ = np.polyfit(more / loads, more, 1)
print(f"The slope of Southwell's line is {slope / euler:.4f} of Euler's load.")
assert error < 5e-3

# %%
# Above the load a straight column is still an equilibrium, but no longer one that holds. This is
# told. The bend of the second order has no shape beyond; a rod with exact kinematics has.

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    ls.equilibrium(system, loads=[ls.NodeForce("column.tip", force=(-1.05 * euler, 0, 0))])
print(told[0].message)

# %%
# Its frequency under the load, from the force that brings it back.


def frequency(load):
    """First frequency of the pressed column [Hz]."""
    modes, columns = np.eye(column.n_mode), []
    for mode in modes:
        state = system.state(**{"column.modes": 1e-5 * mode})
        along = ls.jacobian(system, state, "column.tip")[3]
        straight = ls.jacobian(system, system.neutral(), "column.tip")[3]
        elastic = ls.bias_force(system, state)
        columns.append((elastic + load * (along - straight)) / 1e-5)
    squares = np.linalg.eigvals(np.array(columns)).real
    return np.sqrt(squares.min()) / (2 * np.pi)


shares = np.linspace(0, 0.98, 15)
squares = np.array([frequency(share * euler) ** 2 for share in shares])

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
left.plot(1000 * exact, loads / euler, color="0.6", label="formula")
left.plot(1000 * bends, loads / euler, "o", color="C1", label="stiffened")
left.axhline(1, color="0.6", linestyle=":")
left.set(xlabel="bend of the tip [mm]", ylabel="load over Euler's", title="Equilibria")
left.legend(loc="lower right")
right.plot(shares, 1 - shares, color="0.6", label="$1 - P/P_E$")
right.plot(shares, squares / squares[0], "o", color="C1", label="stiffened")
right.set(xlabel="load over Euler's", ylabel="square of the frequency", title="Vibration")
right.legend()
plt.show()
