"""Derivatives of random trees and loops against automatic differentiation of particles.

    python -m tests.verify_derivatives TREES LOOPS

Prints progress and what disagrees; the last line is the result.  The exit status is 1 if one does.
"""

from __future__ import annotations

import sys

import numpy as np

import lissom as ls
from tests.derivative_checks import error
from tests.loop_oracles.slopes import free_slopes
from tests.oracle import Oracle
from tests.oracle.random_mechanism import draw, with_level
from tests.oracle.slopes import force_slopes
from tests.random_loops import looped_tree
from tests.random_trees import build, frame_names

TOLERANCE = 1e-9


def tree_error(seed: int) -> float | None:
    """Largest error of the derivatives of forces; None if the mechanism does not compile."""
    description = with_level(draw(seed, 0), "full")
    try:
        tree = build(description)
    except ls.ModelError:
        return None
    oracle = Oracle(description.mechanism(tree.transforms))
    q, v = description.state(tree.transforms)
    rng = np.random.default_rng(seed)
    vdot, names = rng.standard_normal(len(v)), frame_names(description)
    external = {key: rng.standard_normal(6) for key in names if rng.random() < 0.4}
    expected = force_slopes(oracle, q, v, vdot, external)
    found = ls.inverse_dynamics_derivatives(
        tree.system,
        tree.state(q, v),
        tree.to_lissom(vdot),
        external={names[key]: wrench for key, wrench in external.items()},
    )
    entries = np.ix_(tree.v_index, tree.v_index)
    return max(error(found.q[entries], expected[0]), error(found.v[entries], expected[1]))


def loop_error(seed: int) -> float | None:
    """Largest error along the free motions; None with bodies at level linear."""
    case = looped_tree(seed)
    system = case.tree.system
    if any(body.level == "linear" and body.n_mode for body in system.bodies):
        return None
    forces = np.random.default_rng(seed).standard_normal(len(case.v))
    found = ls.forward_dynamics_derivatives(system, case.state, case.tree.to_lissom(forces))
    place = {int(own): k for k, own in enumerate(case.tree.v_index)}
    free = [place[k] for k in found.independent]
    by_q, by_v = free_slopes(case.oracle, case.q, case.v, forces, free)
    rows = case.tree.v_index
    return max(error(found.q[rows], by_q), error(found.v[rows], by_v))


def main(trees: int, loops: int) -> int:
    """Check so many seeds of each."""
    worst, counts, failed = {}, {}, []
    for what, check, n in (("trees", tree_error, trees), ("loops", loop_error, loops)):
        errors = {}
        for seed in range(n):
            found = check(seed)
            if found is None:
                continue
            errors[seed] = found
            if not found <= TOLERANCE:
                failed.append(f"{what} {seed}")
                print(f"{what}, seed {seed}: {found:.1e}", flush=True)
            if seed % 50 == 49:
                print(f"{what}: {seed + 1} of {n}", flush=True)
        worst[what], counts[what] = max(errors.values(), default=0.0), len(errors)
    if failed:
        print(f"{len(failed)} disagree: {', '.join(failed)}")
        return 1
    print(
        f"{counts['trees']} trees to {worst['trees']:.0e}, "
        f"{counts['loops']} looped ones to {worst['loops']:.0e}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))
