"""Animated pictures: as many frames as asked, and they move."""

from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

import lissom as ls
from tests.samples.motions_to_view import arm_run, bending_run


def frames(path):
    with Image.open(path) as picture:
        found = []
        for k in range(picture.n_frames):
            picture.seek(k)
            found.append(np.asarray(picture.convert("RGB"), dtype=int))
        return found, picture.info


def test_the_arm_moves_in_the_picture(tmp_path):
    path = tmp_path / "arm.gif"
    arm_run().to_gif(path, frames=6, duration=3.0, size=(240, 160))
    pictures, info = frames(path)
    assert len(pictures) == 6 and pictures[0].shape == (160, 240, 3)
    assert info["duration"] == 500 and info["loop"] == 0
    changes = [np.mean(np.abs(a - b).max(axis=2) > 30) for a, b in pairwise(pictures)]
    assert min(changes) > 0.002


def test_a_boom_that_only_bends_moves_too(tmp_path):
    path = tmp_path / "boom.gif"
    bending_run().to_gif(path, frames=3, size=(200, 120), trails=[])
    pictures, _ = frames(path)
    assert np.mean(np.abs(pictures[0] - pictures[-1]).max(axis=2) > 30) > 0.002


@pytest.mark.parametrize(
    "path, options, words",
    [
        ("x.png", {}, "ends in .gif"),
        ("x.gif", {"frames": 1}, "frames is 1"),
        ("x.gif", {"duration": 0}, "duration is 0"),
        ("x.gif", {"size": (10, 10)}, "size is"),
        ("x.gif", {"trails": "ball"}, "expected a list"),
        ("x.gif", {"trails": ["nobody"]}, "nobody"),
    ],
)
def test_mistakes_are_named(tmp_path, path, options, words):
    with pytest.raises(ls.LissomError, match=words):
        bending_run().to_gif(tmp_path / path, **options)
