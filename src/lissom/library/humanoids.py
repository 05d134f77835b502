"""A branched mechanism shaped like a human, with any number of joints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..bodies import RigidBody
from ..joints import Free, Revolute
from ..model import Model, Part
from ..spatial import axis_rotation, rotation_exp
from .checks import EARTH, count

_X, _Y, _Z = np.eye(3)
_UP = axis_rotation(_Y, -np.pi / 2)  # takes x, the direction of a segment, to z
_DOWN = axis_rotation(_Y, np.pi / 2)
_TILT = 0.2  # [rad], size of the random rotations of the joint frames

# A figure of 50 joints; others have the same proportions.
_WHOLE = 50


@dataclass(frozen=True)
class _Limb:
    """A chain of equal segments."""

    name: str  # name of the segments, to which their number is appended
    carrier: str  # limb at whose end this one is attached; "" for the pelvis
    at: tuple[float, float, float]  # (3,) position in the frame at the end of the carrier [m]
    turn: np.ndarray  # (3, 3) axes of the limb, x along it, to those of the carrier
    # length, mass, radius: dimensions of the whole limb [m], [kg], [m]
    length: float
    mass: float
    radius: float
    share: int  # number of joints in a figure of 50 joints


def _arm(side: str, sign: float) -> Iterator[_Limb]:
    """An arm hanging from the chest, with five fingers."""
    hang = axis_rotation(_Z, sign * 2.6)
    yield _Limb(f"{side}_arm", "torso", (0, 0.2 * sign, 0), hang, 0.65, 4.0, 0.04, 7)
    for k in range(5):
        at = (0.0, 0.02 * (k - 2), 0.0)
        spread = axis_rotation(_Z, 0.15 * (k - 2))
        yield _Limb(f"{side}_finger{k + 1}_", f"{side}_arm", at, spread, 0.09, 0.08, 0.008, 2)


# Depth first: the limbs on a limb come before the next limb of its carrier.
_LIMBS = (
    _Limb("left_leg", "", (0, 0.1, -0.05), _DOWN, 0.9, 12.0, 0.06, 6),
    _Limb("right_leg", "", (0, -0.1, -0.05), _DOWN, 0.9, 12.0, 0.06, 6),
    _Limb("torso", "", (0, 0, 0.1), _UP, 0.5, 30.0, 0.14, 3),
    _Limb("head", "torso", (0, 0, 0), np.eye(3), 0.3, 5.0, 0.09, 1),
    *_arm("left", 1.0),
    *_arm("right", -1.0),
)


def humanoid(n: int, *, floating: bool = False) -> Model:
    """Human figure: legs and torso on the pelvis, head and arms on the chest, fingers on the hands.

    Parameters
    ----------
    n : int
        Number of revolute joints, at least 1.  Each limb has a fixed share of them: of 50 joints,
        6 are in each leg, 3 in the torso, 1 in the neck, 7 in each arm and 2 in each finger.  With
        fewer than 50 some fingers are missing; with more the limbs have more, shorter segments.
    floating : bool
        Whether the pelvis moves freely.  By default it is part of the ground.

    Returns
    -------
    Model
        Bodies "left_leg1" and so on, under gravity along -z; "pelvis" if `floating`.  The axes of
        the joints are z, y, x in turn along a limb, in frames tilted by random angles of about
        0.2 rad, which are always the same for the same n.

    Examples
    --------
    >>> from lissom.library import humanoid
    >>> system = humanoid(30, floating=True).compile()
    >>> system.n_body, system.n_v
    (31, 36)
    """
    joints = _shares(count(n, "humanoid: n", 1))
    rng = np.random.default_rng(n)
    model = Model("humanoid", gravity=EARTH)
    base: Part | None = None
    if floating:
        base = model.add(RigidBody.box(10.0, (0.15, 0.3, 0.15)), Free(), name="pelvis")
    ends: dict[str, tuple[Part | None, float]] = {"": (base, 0.0)}
    for limb in _LIMBS:
        ends[limb.name] = _add(model, limb, joints[limb.name], ends[limb.carrier], rng)
    return model


def _shares(n: int) -> dict[str, int]:
    """Number of joints of each limb in proportion, remainders to the largest fractions."""
    whole = {limb.name: n * limb.share // _WHOLE for limb in _LIMBS}
    ranked = sorted(_LIMBS, key=lambda limb: (-(n * limb.share % _WHOLE), _without_side(limb.name)))
    for limb in ranked[: n - sum(whole.values())]:
        whole[limb.name] += 1
    return whole


def _without_side(name: str) -> str:
    return name.removeprefix("left_").removeprefix("right_")


def _add(
    model: Model,
    limb: _Limb,
    n: int,
    carrier: tuple[Part | None, float],
    rng: np.random.Generator,
) -> tuple[Part | None, float]:
    """Add the segments of a limb; return the last one and its length (without any: the carrier)."""
    last, reach = carrier
    if n == 0:
        return carrier
    length = limb.length / n
    segment = RigidBody.cylinder(
        limb.mass / n, limb.radius, length, axis="x", com=(length / 2, 0.0, 0.0)
    )
    place, turn = np.array(limb.at) + reach * _X, limb.turn
    for k in range(n):
        tilt = rotation_exp(_TILT * rng.standard_normal(3))
        last = model.add(
            segment,
            Revolute("zyx"[k % 3]),
            name=f"{limb.name}{k + 1}",
            to=last,
            at=place,
            rotation=turn @ tilt,
        )
        place, turn = length * _X, np.eye(3)
    return last, length
