"""Equations of motion as formulas and as generated programs.

    import sympy
    import lissom as ls

    m, l, g = sympy.symbols("m l g", positive=True)
    model = ls.Model("pendulum", gravity=(0, 0, -g))
    model.add(ls.RigidBody(m, com=(l, 0, 0)), ls.Revolute("y"), name="rod")
    equations = ls.symbolic.derive(model)
    equations.mass, equations.force

Source: Kwatny & Blankenship, Symbolic construction of models for multibody dynamics, 1995.
"""

from .constraint_equations import Augmented, ConstraintEquations, Projected
from .equations import Equations, SymbolicOperators, derive
from .joints import joint_configuration, joint_kinematics, joint_map
from .linear import Linearization
from .python_code import Functions
from .staged import Staged

__all__ = [
    "Augmented",
    "ConstraintEquations",
    "Equations",
    "Functions",
    "Linearization",
    "Projected",
    "Staged",
    "SymbolicOperators",
    "derive",
    "joint_configuration",
    "joint_kinematics",
    "joint_map",
]
