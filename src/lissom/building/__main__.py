"""`python -m lissom.building`: compile all kernels."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..errors import KernelError
from ..kernels.native import BINARY
from .build import build


def main() -> int:
    """Build, and say what came of it; the exit status is 1 if it failed."""
    parser = argparse.ArgumentParser(description="Compile all kernels into one binary.")
    parser.add_argument("--anew", action="store_true", help="also if the binary is up to date")
    parser.add_argument("--output", type=Path, default=BINARY, help="file to write")
    parser.add_argument("--target", default="", help="such as aarch64-unknown-linux-gnu")
    options = parser.parse_args()
    try:
        build(options.output, triple=options.target, anew=options.anew)
    except KernelError as error:
        print(f"lissom: kernels are not compiled ahead: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
