"""Swinging flexible links in Exudyn as planar beam elements."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from lissom.library.checks import EARTH
from lissom.library.swinging import BAR, LENGTH, MATERIAL

from .exudyn import ExudynModel, implicit_settings

Array = np.ndarray


class ExudynBeams(ExudynModel):
    """Links of planar beam elements (`ObjectANCFCable2D`), by the generalised-α method.

    The elements are cubic, without shear, and model large rotations and stretch: unlike modes, they
    shorten the chord of a bent link and become stiffer under tension.  Two of them per link are as
    close to the converged solution as sixteen of Exudyn's `ObjectBeamGeometricallyExact2D`, in a
    quarter of the time.  Exudyn's plane x-y represents the plane x-z of lissom.

    Parameters
    ----------
    n_link : int
        Number of links of `swinging_links`.
    elements : int
        Elements per link, an even number.
    radius : float
        Spectral radius at infinite frequency of the generalised-α method.
    """

    name = "Exudyn, beam elements"

    def __init__(self, n_link: int, elements: int = 4, radius: float = 0.9) -> None:
        super().__init__("GeneralizedAlpha")
        items, mbs = self.items, self.mbs
        implicit_settings(self, radius)
        ground = mbs.AddObject(items.ObjectGround())
        last = mbs.AddMarker(items.MarkerBodyPosition(bodyNumber=ground))
        for link in range(n_link):
            x = LENGTH * (link + np.arange(elements + 1) / elements)
            nodes = [
                mbs.AddNode(items.NodePoint2DSlope1(referenceCoordinates=[place, 0.0, 1.0, 0.0]))
                for place in x
            ]
            for pair in itertools.pairwise(nodes):
                self._add_element(list(pair), LENGTH / elements)
            root, tip = (
                mbs.AddMarker(items.MarkerNodePosition(nodeNumber=node))
                for node in (nodes[0], nodes[-1])
            )
            mbs.AddObject(items.ObjectJointRevolute2D(markerNumbers=[last, root]))
            last = tip
            self.end_sensors.append(self.node_sensor(nodes[-1]))
            self.middle_sensors.append(self.node_sensor(nodes[elements // 2]))
        self.finish()

    def _add_element(self, nodes: list[Any], length: float) -> None:
        element = self.mbs.AddObject(
            self.items.ObjectANCFCable2D(
                nodeNumbers=nodes,
                length=length,
                massPerLength=MATERIAL.density * BAR.area,
                bendingStiffness=MATERIAL.youngs_modulus * BAR.second_moment_y,
                axialStiffness=MATERIAL.youngs_modulus * BAR.area,
            )
        )
        marker = self.mbs.AddMarker(self.items.MarkerBodyMass(bodyNumber=element))
        self.mbs.AddLoad(
            self.items.LoadMassProportional(markerNumber=marker, loadVector=[0.0, EARTH[2], 0.0])
        )

    def record(self, sensor: Any) -> Array:
        """Positions with Exudyn's plane x-y mapped to x-z."""
        return super().record(sensor)[:, [0, 2, 1]]
