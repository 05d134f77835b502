"""Symbolic equations and the generated C program compared with the numeric recursion."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from ..algorithms import forward_dynamics, mass_matrix
from ..bodies import RigidBody
from ..joints import Prismatic, Revolute, Universal
from ..model import Model
from .check import Check, Skipped
from .measures import relative

Q, V = np.array([0.4, 0.3, -0.6, 1.1]), np.array([-0.5, 1.2, 0.7, -0.9])


def _model() -> Model:
    model = Model("cart", gravity=(0, 0, -9.81))
    model.add(RigidBody.box(3.0, (0.5, 0.3, 0.2)), Prismatic("x"), name="cart")
    rod = RigidBody.rod(mass=1.0, length=1.2, com=(0.6, 0, 0))
    model.add(rod, Universal("y", "z"), to="cart", name="pole")
    model.add(RigidBody.sphere(0.5, 0.1), Revolute("y"), to="pole", at=(1.2, 0, 0), name="hand")
    return model


def _symbolic() -> float:
    """Mass matrix and accelerations, derived symbolically and evaluated by NumPy."""
    from ..symbolic import derive

    model = _model()
    system = model.compile()
    state, forces = system.state(Q, V), np.array([1.0, -2.0, 0.5, 0.3])
    functions = derive(model).lambdify(functions=["mass", "forward_dynamics"])
    return max(
        relative(functions.mass(Q), mass_matrix(system, state)),
        relative(functions.forward_dynamics(Q, V, forces), forward_dynamics(system, state, forces)),
    )


def _compiled() -> float:
    """Mass matrix by the generated C program."""
    from ..symbolic import derive

    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise Skipped("no C compiler was found")
    model = _model()
    system = model.compile()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        _, source = derive(model).to_c(folder, name="selftest", functions=["mass"])
        library = Path(folder) / "selftest.so"
        command = [compiler, "-O1", "-shared", "-fPIC", "-o", str(library), str(source), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Skipped(f"{compiler} cannot build a shared library: {done.stderr.strip()[:200]}")
        program = ctypes.CDLL(str(library)).selftest_mass
        q, out = np.ascontiguousarray(Q), np.empty((system.n_v, system.n_v))
        program(*(x.ctypes.data_as(ctypes.c_void_p) for x in (q, out)))
    return relative(out, mass_matrix(system, system.state(Q, V)))


FORMULAS = (
    Check("symbolic equations and numeric recursion", 1e-12, _symbolic),
    Check("generated C program and numeric recursion", 1e-12, _compiled),
)
