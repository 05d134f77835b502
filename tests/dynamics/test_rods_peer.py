"""Rods move as Exudyn's geometrically exact beams: in the plane, and in space."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.rods.motions import DOUBLE, FRAME
from benchmarks.rods.runs import error, own_start
from tests.references.peers import peer

pytestmark = pytest.mark.peer


@pytest.mark.parametrize(
    "motion, functions, elements, step, bound",
    [
        (replace(DOUBLE, duration=0.5), 4, 16, 2.5e-3, 3e-4),
        (replace(FRAME, duration=5.0), 4, 16, 2.5e-2, 2e-3),
    ],
    ids=["double pendulum", "frame"],
)
def test_rods_move_as_exact_beams(motion, functions, elements, step, bound):
    peer("exudyn")
    from benchmarks.peers.exudyn_rods import ExudynRods

    theirs = ExudynRods(motion, elements).run(motion.duration, step, motion.output_step)
    run = own_start(motion, functions)(integrator="generalized_alpha", step=step)
    assert np.ptp(theirs.ends, axis=0).max() > 0.5 * motion.length
    assert error(run, theirs, motion.length) < bound
