"""Generated MATLAB programs, run by Octave."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tests.references.peers import missing_peer


def octave() -> str:
    """The interpreter; without one the test is skipped, with CI=true it fails."""
    found = shutil.which("octave-cli") or shutil.which("octave")
    if found is None:
        missing_peer("octave", ImportError("there is no program octave-cli"))
    return found


def written(x: float | Sequence[float]) -> str:
    """Number or column of numbers with all their digits."""
    if np.ndim(x) == 0:
        return repr(float(x))
    return "[" + "; ".join(repr(float(y)) for y in x) + "]"


def called(
    package: Path, calls: Mapping[str, Sequence[str]], inputs: Mapping, p: Mapping[str, float]
) -> dict[str, np.ndarray]:
    """Results of functions of a package, all from one run of Octave."""
    lines = [f"addpath('{package.parent}');"]
    lines += [f"{key} = {written(x)};" for key, x in inputs.items()]
    lines += [f"p.{key} = {written(x)};" for key, x in p.items()]
    for name, arguments in calls.items():
        given = ", ".join([*arguments, *(["p"] if p else [])])
        lines.append(f"x = {package.name[1:]}.{name}({given});")
        lines.append("printf('%d %d', size(x)); printf(' %.17g', x'); printf('\\n');")
    command = [octave(), "--no-init-file", "--quiet", "--eval", "\n".join(lines)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[:2000]
    results = {}
    for name, line in zip(calls, done.stdout.splitlines(), strict=True):
        numbers = np.array(line.split(), dtype=float)
        results[name] = numbers[2:].reshape(numbers[:2].astype(int))
    return results
