"""Scenes of balls, capsules, boxes and a bending arm against SciPy with other formulas."""

from __future__ import annotations

import pytest

from tests.references.contact_scenes import scene_error
from tests.verify_contact_scenes import BOUND


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_a_random_scene_moves_as_an_integration_by_scipy(seed):
    error, touches = scene_error(seed)
    assert touches > 0 and error < BOUND
