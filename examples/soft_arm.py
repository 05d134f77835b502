"""
Soft arms
=========

A hand of three silicone arms opens and closes like a flower. Inside each arm two tendons run at a
constant distance from the axis, one on either side; pulling one bends every section with the same
moment, as a couple at the tip does. Where the arm is thin it bends more. However far it curls, the
curvature is the moment over the stiffness of the section.
"""

import matplotlib.pyplot as plt
import numpy as np

import lissom as ls

# %%
# The arms taper from 9 to 6 mm of radius and bend in one plane each. They hang in water that
# carries them, so that there is no weight; the damping stands for the water.

silicone = ls.Material("silicone", youngs_modulus=0.5e6, density=1100, poisson_ratio=0.49)
length, root, tip = 0.7, 0.009, 0.006
sections = ls.Circle(root), ls.Circle(tip)
arm = ls.rod(length, sections, silicone, bending=(0, 7), torsion=0, stretch=0, damping=0.3)
print(arm)
model = ls.Model("soft hand")
model.add(ls.RigidBody.cylinder(1.0, radius=0.07, length=0.03), ls.Fixed(), name="hand")
names = ["first", "second", "third"]
for k, name in enumerate(names):
    angle = 2 * np.pi * k / 3
    place = (0.05 * np.cos(angle), 0.05 * np.sin(angle), -0.015)
    downwards = {"rpy": (0, np.pi / 2, angle)}
    model.add(arm, ls.Fixed(), to="hand", at=place, rotation=downwards, name=name)
system = model.compile()

# %%
# At rest under a couple the tip has turned by :math:`\int M / EI \, ds`. With
# :math:`I = \pi r^4 / 4` and r linear in s this is
# :math:`\frac{4 M L}{3 \pi E}\,\frac{r_0^{-3} - r_1^{-3}}{r_1 - r_0}`.


def tendons(pull):
    """Couples at the tips [N m], positive to open the hand."""
    return [ls.NodeForce(f"{name}.tip", moment=pull, axes="body") for name in names]


couple = 0.0075
curled = ls.equilibrium(system, loads=tendons((0, -couple, 0)))
turned = ls.pose(system, curled, "first").rotation.T @ ls.pose(system, curled, "first.tip").rotation
found = np.arctan2(turned[2, 0], turned[0, 0]) % (2 * np.pi)
softness = 4 / (3 * np.pi * silicone.youngs_modulus) * (root**-3 - tip**-3) / (tip - root)
formula = couple * length * softness
print(f"The tips turn by {np.degrees(found):.3f}°; the formula says {np.degrees(formula):.3f}°.")
assert abs(found - formula) < 1e-5

# %%
# The hand opens, closes and is let go.

times = [0, 4, 5, 9, 10, 14]
pulls = np.outer([0, -1, -1, 0.03, 0.03, 0], [0, couple, 0])
run = ls.simulate(
    system, duration=14, loads=tendons(ls.Table(times, pulls)), output_step=0.02, rtol=1e-6
)
ls.viz.draw(system, run.state(4.5), title="The open hand", names=False)
plt.show()

# %%
# Coloured by curvature, which is largest where the arms are thin:

run.show(frames=700, color="curvature", trails=[f"{name}.tip" for name in names], height=520)
