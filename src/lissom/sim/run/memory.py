"""Available memory, and the check that the rows of a run fit into it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...errors import ResultError

RESERVE = 256e6  # bytes that a run leaves to other processes
SMALL = 1e6  # bytes that are there in any case: asking would take longer than a short run
_SYSTEM, _GROUPS = Path("/proc"), Path("/sys/fs/cgroup")


def available_memory() -> float:
    """Memory available to this process [bytes]; infinite if the operating system gives no figure.

    The smallest of the free memory of the computer, of the control groups of this process
    (containers, batch jobs), and of its address space.
    """
    return min(_free(), _address_space(), *_groups(), float("inf"))


def check_memory(
    n_bytes: float,
    what: str = "this run",
    remedy: str = 'give file="NAME.nc" to write them to disk, or store fewer',
) -> None:
    """Refuse a run whose rows do not fit into memory."""
    if n_bytes < SMALL:
        return
    available = available_memory()
    if n_bytes > available:
        raise ResultError(
            f"the rows of {what} need {n_bytes / 1e9:.3g} GB, but only {available / 1e9:.3g} GB "
            f"of memory are available; {remedy} (a larger output_step)"
        )


def _free() -> float:
    lines = _text(_SYSTEM / "meminfo").splitlines()
    sizes = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return 1024 * float(sizes[0]) if sizes else float("inf")


def _address_space() -> float:
    try:
        import resource
    except ImportError:  # Windows
        return float("inf")
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    used = _text(_SYSTEM / "self/statm").split()
    if limit == resource.RLIM_INFINITY or not used:
        return float("inf")
    return limit - float(used[0]) * resource.getpagesize()


def _groups() -> Iterator[float]:
    """Free memory in each Linux control group, versions 1 and 2."""
    for line in _text(_SYSTEM / "self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:  # version 2
            root, names = _GROUPS, ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            root = _GROUPS / "memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        folder = root / path.lstrip("/")
        for place in (folder, *folder.parents):
            yield _left(place, *names)
            if place == root:
                break


def _left(folder: Path, most: str, used: str, reclaimable: str) -> float:
    """Free memory of a control group; the file cache counts as free."""
    limit, taken = _text(folder / most).strip(), _text(folder / used).strip()
    if not limit.isdigit() or not taken.isdigit():
        return float("inf")  # no limit
    statistics = (line.split() for line in _text(folder / "memory.stat").splitlines())
    parts = {line[0]: float(line[1]) for line in statistics if len(line) == 2}
    return float(limit) - float(taken) + parts.get(reclaimable, 0.0)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except (OSError, ValueError):
        return ""
