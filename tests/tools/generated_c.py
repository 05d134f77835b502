"""Generated C programs, compiled with all warnings as errors and called through ctypes."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror")


def compiler() -> str:
    """The C compiler; without one the test is skipped, with CI=true it fails."""
    found = shutil.which("cc")
    if found is None:
        message = "there is no C compiler (cc)"
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(message, pytrace=False)
        pytest.skip(message)
    return found


def compile_strictly(source: Path, *options: str) -> None:
    """Run the compiler; what it says is the assertion's message."""
    done = subprocess.run(
        [compiler(), *STRICT, *options, str(source)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[:2000]


class CProgram:
    """A program from the header and the source that `Equations.to_c` wrote.

    What its functions take and give is read in the header, as a user of the program would.
    """

    def __init__(self, header: Path, source: Path) -> None:
        self.header, self.source = header.read_text(), source.read_text()
        self.prefix = source.stem
        library = source.with_suffix(".so")
        compile_strictly(source, "-O1", "-shared", "-fPIC", "-o", str(library), "-lm")
        self._library = ctypes.CDLL(str(library))
        struct = re.search(r"typedef struct \{\n(.*?)\}", self.header, re.DOTALL)
        self.fields = re.findall(r"(?:double|float) (\w+);", struct[1]) if struct else []
        declared = re.findall(r"/\* (.*): ([\dx ]+) \*/\nvoid (\w+)\((.*)\);", self.header)
        self.functions = {
            name.removeprefix(f"{self.prefix}_"): (
                tuple(int(n) for n in shape.split(" x ")),
                re.findall(r"(\w+)(?:,|$)", arguments)[:-1],
            )
            for _, shape, name, arguments in declared
        }
        self.real = np.dtype(np.float32 if " float *" in self.header else np.float64)

    def __call__(
        self,
        function: str,
        inputs: Mapping[str, np.ndarray],
        parameters: Mapping[str, float] | None = None,
        over: str = "",
    ) -> np.ndarray:
        """Result of a function; `over` is the input whose place the result takes."""
        shape, arguments = self.functions[function]
        size = int(np.prod(shape))
        vectors = {}
        for name in arguments:
            if name == "t":
                continue
            if name == "p":
                vectors[name] = np.array([parameters[field] for field in self.fields], self.real)
            else:
                vectors[name] = np.full(max(len(inputs[name]), size), np.nan, self.real)
                vectors[name][: len(inputs[name])] = inputs[name]
        kept = {name: vector.copy() for name, vector in vectors.items() if name != over}
        out = vectors[over] if over else np.full(size, np.nan, self.real)
        real = np.ctypeslib.as_ctypes_type(self.real)
        pointers = [
            real(inputs[name]) if name == "t" else vectors[name].ctypes.data_as(ctypes.c_void_p)
            for name in arguments
        ]
        getattr(self._library, f"{self.prefix}_{function}")(
            *pointers, out.ctypes.data_as(ctypes.c_void_p)
        )
        for name, vector in kept.items():
            np.testing.assert_array_equal(vectors[name], vector)
        return out[:size].reshape(shape)
