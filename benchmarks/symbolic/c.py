"""Generated C programs, compiled and called in a loop over states, also in C."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lissom.symbolic import Equations

from ..peers.twins import PeerError

Array = np.ndarray

FLAGS = ("-O2", "-std=c99", "-Wall", "-Wextra", "-Werror")
NAME = "program"

_LOOP = """
void loop_{name}(const double *q, const double *v, const double *more, double *out, long n)
{{
    (void)v;
    (void)more;
    for (long k = 0; k < n; ++k)
        {prefix}_{name}({arguments}, out + k * {size});
}}
"""
# Arguments of a generated function for state k.
_MOVED = {
    "q": "q + k * {Q}",
    "v": "v + k * {V}",
    "forces": "more + k * {V}",
    "acceleration": "more + k * {V}",
}


def c_compiler() -> str | None:
    """Path of the C compiler; with CI=true its absence is an error."""
    found = shutil.which("cc")
    if found is None and os.environ.get("CI", "").lower() == "true":
        raise PeerError(
            "there is no C compiler (cc), but CI=true requires one; install one, such as gcc"
        )
    return found


def compiler_version(compiler: str) -> str:
    """First line of a compiler's version text.

    Parameters
    ----------
    compiler : str
        Path of the compiler.
    """
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0].strip() or compiler


def c_loops(
    equations: Equations,
    functions: Mapping[str, tuple[str, ...]],
    folder: Path,
    compiler: str,
) -> dict[str, Any]:
    """C functions that write the results of many states: f(q, v, more, out, number of states).

    Parameters
    ----------
    equations : Equations
        Equations without symbolic parameters.
    functions : mapping
        Names of generated functions, and of the vectors that they take.
    folder : pathlib.Path
        Folder for the files.
    compiler : str
        Path of the C compiler.
    """
    sources = equations.to_c(folder, name=NAME, functions=tuple(functions))
    n_q, n_v = len(equations.coordinates), len(equations.speeds)
    text = f'#include "{NAME}.h"\n' + "".join(
        f"void loop_{name}(const double *, const double *, const double *, double *, long);\n"
        + _LOOP.format(
            name=name,
            prefix=NAME,
            arguments=", ".join(_MOVED[x].format(Q=n_q, V=n_v) for x in inputs),
            size=n_v * n_v if name == "mass" else n_v,
        )
        for name, inputs in functions.items()
    )
    driver, library = folder / "driver.c", folder / "program.so"
    driver.write_text(text, encoding="utf-8")
    command = [compiler, *FLAGS, "-fPIC", "-shared", str(sources[1]), str(driver)]
    done = subprocess.run(
        [*command, "-o", str(library), "-lm"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise PeerError(f"{' '.join(command)} failed: {done.stderr.strip()[:2000]}")
    loaded = ctypes.CDLL(str(library))
    return {name: _typed(loaded[f"loop_{name}"]) for name in functions}


def _typed(function: Any) -> Any:
    pointer = np.ctypeslib.ndpointer(dtype=np.float64, flags="C_CONTIGUOUS")
    function.argtypes = [pointer] * 4 + [ctypes.c_long]
    function.restype = None
    return function
