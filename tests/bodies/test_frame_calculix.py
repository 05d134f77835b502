"""Frames and panels against recorded results of CalculiX, whose beams and shells are solids."""

from __future__ import annotations

import numpy as np

from tests.references import calculix_frames as calculix
from tests.references.calculix_frames import OneElement, frame_body, panel_body


def deflected(body, force):
    """Displacement of the tip under a force there."""
    tip = (body.shapes[body.names["tip"]] @ body.transform)[3:]
    return tip @ ((tip.T @ force) / (2 * np.pi * body.frequencies) ** 2)


def test_the_records_belong_to_the_decks():
    for name, found in calculix.records().items():
        assert found["deck"] == calculix.DECKS[name]()


def test_a_frame_in_space_bends_and_vibrates_as_in_calculix():
    body, found = frame_body(OneElement()), calculix.records()["frame"]
    size = np.linalg.norm(found["displacement"])
    moved = deflected(body, calculix.FORCE)
    assert np.linalg.norm(moved - found["displacement"]) < 2e-3 * size
    assert np.allclose(body.frequencies[:6], found["frequencies"], rtol=2e-3)


def test_a_square_plate_bends_and_vibrates_as_in_calculix():
    body, found = panel_body(), calculix.records()["plate"]
    moved = deflected(body, np.array([0, 0, 1.0]))
    assert np.isclose(moved[2], found["displacement"][2], rtol=3e-3)
    assert np.allclose(body.frequencies[:6], found["frequencies"], rtol=4e-3)
