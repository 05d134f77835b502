"""Objects and the calling code to one shared library."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import KernelError
from .front_end import SLOTS
from .targets import Level

CALLING = Path(__file__).resolve().parent / "calling.c"


def c_compiler() -> list[str]:
    """Command of the C compiler: $CC, that of Python, or cc."""
    given = os.environ.get("CC")
    for command in [given] if given else [sysconfig.get_config_var("CC"), "cc"]:
        words = shlex.split(command or "")
        if words and shutil.which(words[0]):
            return words
    raise KernelError(
        f"there is no C compiler{f': CC is {given!r}' if given else ''}; install one (Debian and "
        "Ubuntu: apt install gcc) or name it in the environment variable CC"
    )


def linked(
    folder: Path, objects: Sequence[Path], levels: Sequence[Level], kernels: Mapping[str, str]
) -> bytes:
    """Content of the shared library.

    Parameters
    ----------
    folder : Path
        For files on the way.
    objects : sequence of Path
        Object files of all kernels for all levels.
    levels : sequence of Level
        Levels in rising order.
    kernels : mapping
        Letters of the types of each kernel.
    """
    import numpy as np

    (folder / "table.h").write_text(_table(levels, kernels), encoding="utf-8")
    library = folder / "library.so"
    include = [f"-I{folder}", f"-I{sysconfig.get_path('include')}", f"-I{np.get_include()}"]
    flags = ["-O2", "-fPIC", "-shared", "-fvisibility=hidden"]
    flags += ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-s"]
    command = [*c_compiler(), *flags, *include, str(CALLING), *map(str, objects)]
    done = subprocess.run(
        [*command, "-o", str(library), "-lm"], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        told = next((x for x in lines if "error" in x), lines[-1] if lines else "no message")
        raise KernelError(f"the C compiler failed ({command[0]}): {told}")
    return library.read_bytes()


def _table(levels: Sequence[Level], kernels: Mapping[str, str]) -> str:
    """Text of table.h, see `calling.c`."""
    rows = {
        "LEVELS(X)": [f'X({x.identifier}, "{x.name}")' for x in levels],
        "KERNELS(X)": [f'X({symbol}, "{types}")' for symbol, types in kernels.items()],
        "KERNELS_OF(X, level)": [f"X(level, {symbol})" for symbol in kernels],
        "CODES_OF(X, symbol)": [f"X({x.identifier}, symbol)" for x in levels],
    }
    slots = max(sum(SLOTS.get(x, 1) for x in types[1:]) for types in kernels.values())
    lines = [f"#define {name} {' '.join(row)}" for name, row in rows.items()]
    return "\n".join([f"#define N_SLOT {slots}", *lines, ""])
