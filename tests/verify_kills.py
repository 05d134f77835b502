"""Runs killed at random moments, and resumed to the bits of runs that were not.

python -m tests.verify_kills 10: ten of each kind.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import lissom as ls
from tests.samples.simulation_cases import KINDS, contents, run
from tests.tools.children import bound_all


@cache
def whole(kind: str) -> dict:
    """What a run that nobody kills gives."""
    return contents(run(kind))


def killed_and_resumed(
    folder: Path, times: int, slow: float = 3e-4, kinds: Iterable[str] = tuple(KINDS)
) -> int:
    """Kill and resume runs of some kinds, so many each; how many had rows when they died."""
    command = [sys.executable, "-m", "tests.samples.simulation_cases", str(folder), "1", str(slow)]
    subprocess.run([*command, str(times), *kinds], check=True, timeout=3000)
    resumed = 0
    for kind in kinds:
        assert contents(ls.load(folder / f"{kind}.nc")) == whole(kind)
        for k in range(times):
            path = folder / f"{kind}-{k}.nc"
            if os.path.exists(f"{path}.part"):
                part = ls.load(f"{path}.part")
                assert part.status == "unfinished"
                assert part.store.read("time").tobytes() == whole(kind)["time"][: 8 * len(part)]
                resumed += len(part) > 0
            assert contents(run(kind, resume=path)) == whole(kind)
            assert contents(ls.load(path)) == whole(kind)
    left = [name for name in os.listdir(folder) if not name.endswith(".nc")]
    assert all(name.endswith(".tmp") for name in left)  # of a kill while NetCDF was written
    return resumed


def main() -> None:
    """Kill and resume as many runs as are asked for."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    with tempfile.TemporaryDirectory() as folder:
        resumed = killed_and_resumed(Path(folder), times)
    print(
        f"{times * len(KINDS)} runs killed at random moments, {resumed} of them with rows on disk: "
        "all resumed to the same bits"
    )


if __name__ == "__main__":
    bound_all()
    main()
