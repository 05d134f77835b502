"""Equations of some random trees, rigid and flexible, against the particle model.

`tests.verify_symbolic` has the families.
"""

from __future__ import annotations

import pytest

from tests.tools.symbolic_comparison import check_coriolis, check_loops, check_seed

# Trees of up to 30 and up to 20 speeds.
SEEDS = (0, 12)
SMALL = (11, 20)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("level", ["linear", "full"])
def test_programs_agree_with_the_particle_model(seed, level):
    assert check_seed(seed, level).failures == []


@pytest.mark.parametrize("seed", SMALL)
@pytest.mark.parametrize("level", ["linear", "full"])
def test_coriolis_matrix_gives_the_velocity_terms_and_is_skew_where_energies_say_so(seed, level):
    assert check_coriolis(seed, level).failures == []


@pytest.mark.parametrize("seed", (12, 16))  # both are overconstrained
def test_loops_agree_with_the_particle_model(seed):
    assert check_loops(seed).failures == []
