"""A chain of flexible bars that swings down in a vertical plane."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..bodies import FlexibleBody
from ..joints import Revolute
from ..model import Model, Part
from ..structures import ALUMINIUM, Rectangle, beam
from .checks import EARTH, count

# A link: an aluminium bar of 10 mm by 10 mm by 1 m.
LENGTH = 1.0
BAR = Rectangle(0.01, 0.01)
MATERIAL = ALUMINIUM


def swinging_links(
    n_link: int = 10,
    modes: int = 4,
    level: str = "full",
    *,
    damping: Any = 0.0,
    planar: bool = False,
    shapes: str = "clamped",
) -> Model:
    """Chain of slender aluminium bars, stretched out along x, on revolute joints about y.

    In the neutral state the bars are straight and horizontal.  When released they swing down in the
    plane x-z and vibrate in it; ten of them bend by up to 2 mm in the first second.

    Parameters
    ----------
    n_link : int
        Number of links, at least 1.
    modes : int
        Shapes of each link, at least 1.
    level : str
        Level of the links, see `FlexibleBody`.
    damping : float or array_like
        Damping ratio of all modes, or of each, shape (modes,).  By default zero: the energy is
        constant, and models of other kinds can be compared without matching a damping law.
    planar : bool
        Whether all modes bend the link in the plane of motion.  By default they are those of
        `beam`: the bars are square, so that every other mode bends the link out of that plane and
        stays at rest.
    shapes : {"clamped", "static"}
        Modes of vibration of the clamped link, or static shapes, see `beam`.

    Returns
    -------
    Model
        Bodies "link0" (on the ground) to "link<n_link-1>", each with nodes "root", "middle" and
        "tip", under gravity along -z.

    Examples
    --------
    >>> from lissom.library import swinging_links
    >>> system = swinging_links(2).compile()
    >>> system.n_v
    10
    """
    n, m = count(n_link, "swinging_links: n_link", 1), count(modes, "swinging_links: modes", 1)
    link = _link(m, level, damping, planar, shapes)
    model = Model("swinging links", gravity=EARTH)
    for i in range(n):
        last = Part(f"link{i - 1}", "tip") if i else None
        model.add(link, Revolute("y"), name=f"link{i}", to=last)
    return model


def _link(modes: int, level: str, damping: Any, planar: bool, shapes: str) -> FlexibleBody:
    # With an even number of elements there is a node in the middle.
    elements = max(24, 2 * modes if planar else modes + modes % 2)
    counts: dict[str, Any] = {"modes": modes}
    if planar:
        counts = {"bending": (0, modes), "torsion": 0, "stretch": 0}
    settings = {"level": level, "damping": damping, "elements": elements, "shapes": shapes}
    bar = beam(LENGTH, BAR, MATERIAL, **counts, **settings)
    return dataclasses.replace(bar, names={**bar.names, "middle": elements // 2})
