"""Kernels in plain Python call the user's functions, as compiled ones do."""

import os
import subprocess
import sys

CODE = """
import numpy as np
import lissom as ls
from lissom.kernels.compiling import kernels_in_use

assert "plain Python" in kernels_in_use()
model = ls.Model("sled")
model.add(ls.RigidBody.box(2.0, (1, 1, 1)), ls.Prismatic("x"), name="sled")
system = model.compile()
loads = [ls.Actuator("sled", lambda time: 6.0 * time)]
run = ls.simulate(system, duration=0.5, step=0.05, integrator="rk4", loads=loads, progress=False)
assert abs(run.state(0.5).q[0] - 0.5**3 / 2) < 1e-12  # x = t^3 / 2
"""


def test_a_force_that_is_a_function_moves_a_mass_as_its_formula_says():
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
