"""A frame of beams and a block of bricks, to be reduced, and parts of a reduced body."""

from __future__ import annotations

import numpy as np

import lissom as ls
from tests.references.textbook_elements import bricks, frame_matrices

HOUSE = [3, 4, 5, 0, 1, 2]  # rotation first, of freedoms with translation first

# an L-shaped frame, out of plane at its end
CORNERS = np.array([[0, 0, 0], [0.7, 0, 0], [1.4, 0, 0], [1.4, 0.5, 0], [1.4, 1.0, 0.4]], float)
FRAME = frame_matrices(CORNERS, [(0, 1), (1, 2), (2, 3), (3, 4)])
BLOCK = bricks((4, 2, 2), (1.0, 0.2, 0.1))


def frame_body(interfaces=None, **options):
    K, M = FRAME
    interfaces = interfaces or {"root": 0, "tip": 4}
    return ls.from_matrices(M, K, CORNERS, interfaces, **options)


def faces(nodes, tie, weights=None):
    ends = {"root": nodes[:, 0] == 0, "tip": nodes[:, 0] == nodes[:, 0].max()}
    at = {"root": (0, 0.1, 0.05), "tip": (1, 0.1, 0.05)}
    return {
        x: ls.Interface(np.array(at[x], float), np.flatnonzero(on), tie, weights)
        for x, on in ends.items()
    }


def coupling(own):
    g = own.integrals.modal_second_moment
    turning = [g[1, 2] - g[2, 1], g[2, 0] - g[0, 2], g[0, 1] - g[1, 0]]
    return np.vstack([turning, own.integrals.modal_first_moment])
