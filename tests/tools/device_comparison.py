"""A device against the CPU: evaluations of many states, and runs.

Accelerations are compared as forces, M (a - b) over |M| |a|: how well they are known depends on the
mass matrix.  Forces of runs count a tenth.  All else is compared as it is, over its largest number.
"""

from __future__ import annotations

import time
import warnings

import numpy as np

import lissom as ls
from tests.samples.device_cases import evaluated, runs

COUNTS = ("steps", "rejected_steps", "evaluations", "iterations", "divided_steps")
PARTS = ("q", "v", "acceleration")
FORCES = 10  # so much more than the rest do forces of locks feel the last bit of a state


def apart(a, b):
    """Largest difference over the largest number; both may have NaN at the same places."""
    assert a.shape == b.shape and np.array_equal(np.isnan(a), np.isnan(b))
    if not a.size or np.all(np.isnan(a)):
        return 0.0
    difference = np.nanmax(np.abs(a - b))
    return float(difference / np.nanmax(np.abs(a))) if difference else 0.0


def answers(batch, where, q, v, x):
    """All that a batch computes."""
    attitude, place = batch.pose(q, where)
    found = {
        "forward dynamics": batch.forward_dynamics(q, v, x),
        "mass matrix": batch.mass_matrix(q),
        "attitude": attitude,
        "position": place,
        "Jacobian": batch.jacobian(q, where),
        "kinetic energy": batch.energy(q, v).kinetic,
        "energies": np.stack(batch.energy(q, v)),
    }
    if not batch.system.constraints:
        found["inverse dynamics"] = batch.inverse_dynamics(q, v, x)
    return found


def evaluation_apart(case, device):
    """Differences of all answers of a mechanism."""
    one = case.systems[0] if isinstance(case.systems, list) else case.systems
    rng = np.random.default_rng(1)
    forces, where = rng.normal(size=case.v.shape), one.names[-1]
    here = answers(ls.batch(case.systems), where, case.q, case.v, forces)
    there = answers(ls.batch(case.systems, device=device), where, case.q, case.v, forces)
    found = {name: apart(x, there[name]) for name, x in here.items()}
    a, b, M = here["forward dynamics"], there["forward dynamics"], np.abs(here["mass matrix"])
    assert np.array_equal(np.isnan(a), np.isnan(b))
    if a.size:
        scale = np.einsum("kij,kj->ki", M, np.abs(a)).max()
        error = np.einsum("kij,kj->ki", here["mass matrix"], a - b)
        found["forward dynamics"] = float(np.abs(error).max() / scale) if np.any(error) else 0.0
    return found


def compare_evaluations(device, count, *, only="", show=print):
    """Largest difference over all mechanisms, and how many there are."""
    worst, n, start = 0.0, 0, time.perf_counter()
    for case in evaluated(count):
        if only not in case.name:
            continue
        found = evaluation_apart(case, device)
        which = max(found, key=found.get)
        worst, n = max(worst, found[which]), n + 1
        show(f"{time.perf_counter() - start:5.0f} s  {case.name}: {found[which]:.0e}, {which}")
    return worst, n


def run_apart(case, device):
    """Largest difference of all columns of runs; their ends and counts must agree."""
    here = ls.simulate_batch(case.systems, case.start, **case.options)
    there = ls.simulate_batch(case.systems, case.start, device=device, **case.options)
    assert list(here.status) == list(there.status), (case.name, here.message, there.message)
    assert set(here.status) <= {"finished", "event"}, (case.name, here.message)
    for name in COUNTS:
        a, b = here.statistics[name], there.statistics[name]
        assert np.array_equal(a, b), (case.name, name, a, b)
    pairs = list(zip(here, there, strict=True))
    forces = max(apart(one.store.read("force"), other.store.read("force")) for one, other in pairs)
    rest = max(apart(a.store.read(x), b.store.read(x)) for a, b in pairs for x in PARTS)
    return max(rest, forces / FORCES)


def compare_runs(device, count, *, only="", show=print):
    """Largest difference over all runs, and how many cases there are."""
    warnings.simplefilter("ignore", ls.SimulationWarning)
    worst, n, start = 0.0, 0, time.perf_counter()
    for case in runs(count):
        if only not in case.name:
            continue
        found = run_apart(case, device)
        worst, n = max(worst, found), n + 1
        show(f"{time.perf_counter() - start:5.0f} s  {case.name}: {found:.0e}")
    return worst, n
