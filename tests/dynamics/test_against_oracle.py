"""lissom against the oracle on random mechanisms: every public quantity at one state each."""

from collections import Counter

import pytest

from tests.oracle.random_mechanism import FEATURES, coverage_table, draw
from tests.tools.oracle_comparison import check_both_texts, check_seed

SEEDS, CHUNK, ENOUGH = 80, 6, 2
CHECKED = 12  # of these; `make verify` takes thousands
FRAMES = 3  # of the readable text one in three; `make verify` asks it for all of them


@pytest.mark.parametrize("first", range(0, CHECKED, CHUNK))
def test_random_mechanisms_agree_with_the_oracle(first):
    failures = []
    for seed in range(first, first + CHUNK):
        failures += check_both_texts(seed, FRAMES).failures
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("level", ["full", "linear"])
def test_a_level_given_to_compile_is_that_of_all_bodies(level):
    failures = []
    for seed in range(0, CHUNK, 2):
        failures += check_seed(seed, level).failures
    assert not failures, "\n".join(failures)


def test_the_random_mechanisms_cover_every_feature():
    coverage = sum((draw(seed).coverage for seed in range(SEEDS)), Counter())
    print(coverage_table(coverage))
    rare = [name for name in FEATURES if coverage[name] < ENOUGH]
    assert not rare, f"drawn fewer than {ENOUGH} times in {SEEDS} seeds: {rare}"
    assert set(coverage) <= set(FEATURES)
