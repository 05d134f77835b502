"""Serial chains on revolute joints, rigid and flexible."""

from __future__ import annotations

import numpy as np

from ..bodies import FlexibleBody, RigidBody
from ..joints import Revolute
from ..model import Model, Part
from ..spatial import quaternion_rotation
from ..structures import ALUMINIUM, Tube, beam
from .checks import EARTH, count

# A link of the rigid chains: position on the previous link [m], centre of mass [m], inertia about
# the centre of mass [kg m^2].
_OFFSET = (0.1, 0.2, 0.3)
_CENTRE = (0.05, 0.1, 0.15)
_INERTIA = (0.1, 0.2, 0.25)

# A link of the flexible chains.
_LENGTH = 1.0
_TUBE = Tube(radius=0.08, thickness=0.003)


def rigid_chain(n: int) -> Model:
    """Serial chain of rigid links on revolute joints about x, y and z in turn, axes aligned.

    Parameters
    ----------
    n : int
        Number of links, at least 1.

    Returns
    -------
    Model
        Bodies "link0" (on the ground) to "link<n-1>", under gravity along -z.  Their masses
        cycle through 1.0, 1.1, ... 1.9 kg.

    Examples
    --------
    >>> from lissom.library import rigid_chain
    >>> rigid_chain(7).compile().n_v
    7
    """
    return _chain("rigid chain", [np.eye(3)] * count(n, "rigid_chain: n", 1))


def turned_chain(n: int, seed: int = 1992) -> Model:
    """`rigid_chain` with a random rotation between each link and the next joint.

    No axis is aligned with another and no entry of a rotation is zero.

    Parameters
    ----------
    n : int
        Number of links, at least 1.
    seed : int
        Seed of the random rotations.

    Returns
    -------
    Model
        Bodies "link0" to "link<n-1>", under gravity along -z.

    Examples
    --------
    >>> from lissom.library import turned_chain
    >>> turned_chain(7).compile().n_v
    7
    """
    rng = np.random.default_rng(seed)
    quaternions = rng.standard_normal((count(n, "turned_chain: n", 1), 4))
    return _chain("turned chain", [quaternion_rotation(q) for q in quaternions])


def _chain(name: str, rotations: list[np.ndarray]) -> Model:
    model = Model(name, gravity=EARTH)
    last: Part | None = None
    for i, rotation in enumerate(rotations):
        link = RigidBody(1.0 + 0.1 * (i % 10), com=_CENTRE, inertia=_INERTIA)
        joint = Revolute("xyz"[i % 3])
        last = model.add(link, joint, name=f"link{i}", to=last, at=_OFFSET, rotation=rotation)
    return model


def flexible_chain(n: int, modes: int, level: str = "linear") -> Model:
    """Serial chain of equal aluminium tubes on revolute joints about y and z in turn.

    Parameters
    ----------
    n : int
        Number of links, at least 1.
    modes : int
        Modes of vibration of each clamped link; 0 gives rigid rods of the same mass and length.
    level : str
        Level of the flexible links, see `FlexibleBody`.

    Returns
    -------
    Model
        Bodies "link0" to "link<n-1>", each 1 m long with a mass of 4 kg, under gravity along -z.

    Examples
    --------
    >>> from lissom.library import flexible_chain
    >>> flexible_chain(3, modes=4).compile().n_v
    15
    """
    n_link, n_mode = count(n, "flexible_chain: n", 1), count(modes, "flexible_chain: modes", 0)
    link: RigidBody | FlexibleBody
    end: str | None
    if n_mode:
        link = beam(_LENGTH, _TUBE, ALUMINIUM, modes=n_mode, shapes="clamped", level=level)
        end, at = "tip", 0.0
    else:
        mass = ALUMINIUM.density * _TUBE.area * _LENGTH
        link = RigidBody.rod(mass, _LENGTH, com=(_LENGTH / 2, 0.0, 0.0))
        end, at = None, _LENGTH
    model = Model("flexible chain", gravity=EARTH)
    for i in range(n_link):
        last = Part(f"link{i - 1}", end) if i else None
        place = (at if i else 0.0, 0.0, 0.0)
        model.add(link, Revolute("yz"[i % 2]), name=f"link{i}", to=last, at=place)
    return model
