"""A thousand model files with random mistakes; tests/verify_model_files.py has more."""

import random

from tests.tools.file_fuzz import faults
from tests.tools.model_file_mutations import CHAIN, ModelFileFuzz, mutated


def test_no_mistake_in_a_file_is_more_than_a_problem(tmp_path):
    assert faults(ModelFileFuzz(tmp_path), tmp_path, 1, range(200)) == []


def test_mutations_change_files_and_depend_on_the_seed_alone():
    texts = [mutated(CHAIN, random.Random(k)) for k in range(50)]
    assert texts == [mutated(CHAIN, random.Random(k)) for k in range(50)]
    assert sum(text != CHAIN for text in texts) > 45
    assert len(set(texts)) > 45
