"""Dynamics of mechanisms whose links bend.

Describe a mechanism once with `Model`, compile it, and ask for its dynamics::

    import lissom as ls

    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.rod(mass=1.0, length=2.0, com=(1, 0, 0)), ls.Revolute("y"), name="rod")
    system = model.compile()
    ls.forward_dynamics(system, system.state(rod=0.3))

Angles are in radians and everything else in SI units; see the page "Conventions".
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
from typing import Any

__version__ = "0.2.0.dev0"


def _homes() -> dict[str, tuple[str, str]]:
    """Module and name there of each public name, from the stub that type checkers read too."""
    source = pkgutil.get_data(__name__, "__init__.pyi") or b""
    return {
        alias.asname or alias.name: (node.module or "", alias.name)
        for node in ast.parse(source).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


# Modules load on first use, so that importing is quick.
_HOMES = _homes()

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Load a public name from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'lissom' has no attribute {name!r}")
    module, there = _HOMES[name]
    value = (
        getattr(importlib.import_module(f"{__name__}.{module}"), there)
        if module
        else importlib.import_module(f"{__name__}.{there}")
    )
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Public names."""
    return [*__all__, "__version__"]
