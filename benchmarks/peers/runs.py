"""The mechanisms of the simulation benchmark in MuJoCo, Pinocchio and Exudyn.

Two mechanisms.  *Rigid*: `rigid_chain` of 30 joints from `rigid_start`, by Runge and Kutta's method
with steps of 1 ms in all three; their trajectories are the same but for rounding.  *Flexible*:
`swinging_links` from the neutral state at rest, without damping, in four kinds of model:

- Exudyn's bodies on floating frames, with lissom's nodes, masses and modes: the equations of
  lissom's level `full` in redundant coordinates with constraints;
- Exudyn's planar beam elements, which have no modes and follow large deformations;
- rigid segments with springs between them, in MuJoCo and in Pinocchio.

The last two kinds differ from modes by the omitted modes and by the interaction of bending and
tension, which floating frames with linear modes do not have.
"""

from __future__ import annotations

import numpy as np

from lissom.library import rigid_chain, swinging_links
from lissom.model import Model
from lissom.system import State

from .exudyn import ExudynTree
from .exudyn_beams import ExudynBeams
from .exudyn_floating import ExudynFloating
from .result import Peer
from .segments import segmented_links
from .trees import MujocoTree, PinocchioTree, Point
from .twins import installed

# Step that all can take [s].
STEP = 1e-3

# Position of a further link of `rigid_chain` on the last one [m].
RIGID_TIP = (0.1, 0.2, 0.3)


def rigid_start(n: int = 30, seed: int = 1992) -> tuple[Model, State]:
    """`rigid_chain` and its initial state: at rest, at small random angles.

    Parameters
    ----------
    n : int
        Number of joints.
    seed : int
        Seed of the angles, which are up to 0.3 rad.
    """
    model = rigid_chain(n)
    angles = np.random.default_rng(seed).uniform(-0.3, 0.3, n)
    return model, model.compile().state(angles)


def rigid_peers(n: int = 30) -> dict[str, Peer | None]:
    """Rigid mechanism in each library, by name; None where the library is not installed.

    Parameters
    ----------
    n : int
        Number of joints.
    """
    model, state = rigid_start(n)
    tip: list[Point] = [(list(model.parts)[-1], RIGID_TIP)]
    return {
        "MuJoCo": MujocoTree(model, state, tip) if installed("mujoco") else None,
        "Pinocchio": PinocchioTree(model, state, tip) if installed("pin") else None,
        "Exudyn": ExudynTree(model, state, tip) if installed("exudyn") else None,
    }


def flexible_peers(
    n_link: int = 10,
    modes: int = 4,
    *,
    elements: int = 4,
    segments: int = 4,
    planar: bool = False,
) -> dict[str, Peer | None]:
    """Flexible mechanism in each kind of model, by name; None where the library is not installed.

    Parameters
    ----------
    n_link : int
        Number of links.
    modes, planar : int, bool
        Modes of a link, for floating frames; see `swinging_links`.
    elements : int
        Elements of a link, for beam elements.
    segments : int
        Segments per link, for MuJoCo and Pinocchio.  More than four need a smaller step than 1 ms,
        see `segmented_links`.
    """
    found: dict[str, Peer | None] = dict.fromkeys(
        (ExudynFloating.name, ExudynBeams.name, "MuJoCo, segments", "Pinocchio, segments")
    )
    if installed("exudyn"):
        found[ExudynFloating.name] = ExudynFloating(swinging_links(n_link, modes, planar=planar))
        found[ExudynBeams.name] = ExudynBeams(n_link, elements)
    cut = segmented_links(n_link, segments)
    state = cut.model.compile().neutral()
    points = (cut.ends, cut.middles, cut.stiffness)
    if installed("mujoco"):
        found["MuJoCo, segments"] = MujocoTree(cut.model, state, *points)
    if installed("pin"):
        found["Pinocchio, segments"] = PinocchioTree(cut.model, state, *points)
    return found
