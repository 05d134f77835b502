"""Stress stiffness that another program computed for some loads.

A load is named in words, the direction last, and the matrix is that of a static solution with the
inboard interface held:

  "spin z"                   1 rad/s about an axis through the inboard interface
  "spin xy"                  1 rad/s about x and about y, at once
  "gravity x"                1 m/s² along x
  "angular acceleration y"   1 rad/s² about y
  "tip force x"              1 N at the interface or named node "tip"
  "tip moment z"             1 N m

Spin w, gravity g and angular acceleration a are combinations of the twelve loads e_l and r_k e_l of
the mass: m g,  m (w.w r - w w.r)  and  -m a x r.  The twelve follow from those given; combinations
that are not given count as loads that stress nothing.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, ModelWarning, shown, suggestion
from .geometry import Geometry

Array = NDArray[np.float64]

_AXES = ("x", "y", "z", "xy", "yz", "zx", "xz", "yx", "zy")
_OF_MASS = ("spin", "gravity", "angular acceleration")
_AT_NODES = ("moment", "force")


@dataclass(frozen=True, eq=False)
class GivenGeometry(Geometry):
    """Stress stiffness of given loads."""

    # (array (12,), sparse array (N, N)) loads of the mass as combinations of the twelve, with their
    # matrices
    mass: tuple[tuple[Array, Any], ...]
    # loads at a place by the number of their direction: moments, then forces
    nodes: Mapping[tuple[str, int], Any]
    held: str  # interface that was held
    name: str  # for messages

    def of_loads(self, shapes: Array, u: Array, places: tuple[str, ...]) -> Array:
        """Stress stiffness of the loads of `second_order`, zero for those that are not given."""
        if self.held in places:
            raise ModelError(
                f"{self.name}: the stress stiffness was given for a structure that is held at "
                f"{self.held!r}, but another interface is the inboard one; leave inboard out"
            )
        m = shapes.shape[1]
        stiffness = np.zeros((u.shape[1], m, m))
        if self.mass:
            combined = np.linalg.pinv(np.array([weights for weights, _ in self.mass]))
            forms = np.array([shapes.T @ (K @ shapes) for _, K in self.mass])
            stiffness[:12] = np.tensordot(combined, forms, 1)
        for (place, direction), K in self.nodes.items():
            stiffness[12 + 6 * places.index(place) + direction] = shapes.T @ (K @ shapes)
        return (stiffness + stiffness.swapaxes(1, 2)) / 2


def checked_loads(loads: Any, name: str) -> Mapping[str, Any]:
    """Mapping of loads, or a ModelError."""
    if not isinstance(loads, Mapping) or not loads:
        raise ModelError(
            f"{name}: stress_stiffness is {shown(loads)}; give matrices by load, such as "
            '{"spin z": K, "tip force x": K}'
        )
    return loads


def given_geometry(
    matrices: Mapping[str, Any], places: tuple[str, ...], name: str
) -> GivenGeometry:
    """Stress stiffness as the user gave it.

    `matrices` (N, N): matrices of the structure's freedoms by load, in words.
    """
    mass, nodes = [], {}
    for load, K in matrices.items():
        place, kind, axis = _parsed_load(load, places, name)
        if place:
            nodes[place, 3 * _AT_NODES.index(kind) + "xyz".index(axis)] = K
        else:
            mass.append((_combination(kind, axis), K))
    warnings.warn(
        f"{name}: stress_stiffness is plain stress stiffness, taken as it is: loads that it does "
        "not name stress nothing, and matrices of beams and shells often leave out what bending "
        "moments and torques do (lateral buckling); frame, panel and from_mesh know all loads",
        ModelWarning,
        stacklevel=4,
    )
    return GivenGeometry(tuple(mass), nodes, places[0], name)


def _parsed_load(load: Any, places: tuple[str, ...], name: str) -> tuple[str, str, str]:
    """Place, kind and axis of a load."""
    start, _, axis = str(load).rpartition(" ")
    if axis in _AXES and start in _OF_MASS:
        return "", start, axis
    place, _, kind = start.rpartition(" ")
    if axis in _AXES[:3] and kind in _AT_NODES and place in places[1:]:
        return place, kind, axis
    loads = [f"{kind} z" for kind in _OF_MASS]
    loads += [f"{place} {kind} x" for place in places[1:] for kind in _AT_NODES]
    raise ModelError(
        f"{name}: stress_stiffness has a load {shown(load)}, which is not known; "
        f"{suggestion(str(load), loads)}"
    )


def _combination(kind: str, axis: str) -> Array:
    """Weights (12,) of the loads e_l, x e_l, y e_l, z e_l."""
    v = np.array([float(letter in axis) for letter in "xyz"])
    weights = np.zeros((4, 3))
    if kind == "gravity":
        weights[0] = v
    elif kind == "spin":
        weights[1:] = v @ v * np.eye(3) - np.outer(v, v)
    else:
        weights[1:] = -np.cross(v, np.eye(3))  # row k: -a x e_k
    return weights.ravel()
