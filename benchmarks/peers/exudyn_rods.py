"""Rods in Exudyn as geometrically exact beam elements."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..rods.motions import TURNED, RodMotion
from .exudyn import ExudynModel, implicit_settings
from .twins import PeerError

BACK = np.eye(4)  # from the axes of a rod beyond a corner to those of the rod before it
BACK[:3, :3] = TURNED.T
DENSE = 16  # elements up to which a dense Jacobian is faster than a sparse one
ROUNDING = 1e-11  # of the forces of elements, as a part of their stiffness


class ExudynRods(ExudynModel):
    """Rods of two-node elements with stretch and shear, by the generalised-α method.

    In the plane `ObjectBeamGeometricallyExact2D`, in space `ObjectBeamGeometricallyExact`.

    Parameters
    ----------
    motion : RodMotion
        What moves.
    elements : int
        Elements of a rod.
    radius : float
        Spectral radius at infinite frequency of the generalised-α method.
    tolerance : float
        Part of the residual at which Newton's iteration stops.
    angle : callable, optional
        Angle of the root of the first rod in time, instead of its joint; only in the plane.
    """

    name = "Exudyn, exact beams"

    def __init__(
        self,
        motion: RodMotion,
        elements: int,
        radius: float = 0.9,
        tolerance: float = 1e-6,
        angle: Callable[[float], float] | None = None,
    ) -> None:
        super().__init__("GeneralizedAlpha")
        self.motion, self.elements = motion, elements
        implicit_settings(self, radius)
        newton = self.settings.timeIntegration.newton
        newton.relativeTolerance = tolerance
        newton.absoluteTolerance = ROUNDING * motion.stiffness[3]
        if elements * len(motion.joints) <= DENSE:
            self.settings.linearSolver.solverType = self.exu.LinearSolverType.EigenDense
        self._ground = self.mbs.AddObject(self.items.ObjectGround())
        rotation, start, last = np.eye(3), np.zeros(3), None
        for k, joint in enumerate(motion.joints):
            rotation = rotation @ TURNED if joint == "corner" else rotation
            nodes = self._add_rod(start, rotation)
            if k == 0 and angle is not None:
                self._drive(nodes[0], angle)
            else:
                self._join(joint, last, nodes[0])
            last, start = nodes[-1], start + motion.length * rotation[:, 0]
            self.end_sensors.append(self.node_sensor(last))
            if k == 0 and motion.pulse:
                self._push(last)
        self.finish()

    def _add_rod(self, start: Any, rotation: Any) -> list[Any]:
        of, items = self.motion, self.items
        part = of.length / self.elements
        places = [start + k * part * rotation[:, 0] for k in range(self.elements + 1)]
        nodes = [self._add_node(place, rotation) for place in places]
        for pair in itertools.pairwise(nodes):
            body = self._add_plane(pair, part) if of.planar else self._add_space(pair, part)
            element = self.mbs.AddObject(body)
            if any(of.gravity):
                marker = self.mbs.AddMarker(items.MarkerBodyMass(bodyNumber=element))
                load = items.LoadMassProportional(markerNumber=marker, loadVector=list(of.gravity))
                self.mbs.AddLoad(load)
        return nodes

    def _add_node(self, place: Any, rotation: Any) -> Any:
        if self.motion.planar:
            given = self.items.NodeRigidBody2D(referenceCoordinates=[place[0], place[1], 0.0])
        else:
            turn = np.array([0.0, 0.0, np.arctan2(rotation[1, 0], rotation[0, 0])])
            given = self.items.NodeRigidBodyRotVecLG(referenceCoordinates=[*place, *turn])
        return self.mbs.AddNode(given)

    def _add_plane(self, pair: Any, part: float) -> Any:
        of = self.motion
        return self.items.ObjectBeamGeometricallyExact2D(
            nodeNumbers=list(pair),
            length=part,
            massPerLength=of.mass,
            crossSectionInertia=of.inertia[2],
            bendingStiffness=of.stiffness[2],
            axialStiffness=of.stiffness[3],
            shearStiffness=of.stiffness[4],
        )

    def _add_space(self, pair: Any, part: float) -> Any:
        section = self.exu.BeamSection()
        torsion, about_y, about_z, stretch, along_y, along_z = self.motion.stiffness
        section.stiffnessMatrix = np.diag([stretch, along_y, along_z, torsion, about_y, about_z])
        section.inertia = np.diag(self.motion.inertia)
        section.massPerLength = self.motion.mass
        return self.items.ObjectBeamGeometricallyExact(
            nodeNumbers=list(pair), length=part, sectionData=section
        )

    def _join(self, joint: str, last: Any, root: Any) -> None:
        """Pin in the plane, clamp in space."""
        if (joint == "pin") != self.motion.planar:
            raise PeerError(f"joint {joint!r}: rods are pinned in the plane, clamped in space")
        items, add = self.items, self.mbs.AddMarker
        kind = "Position" if self.motion.planar else "Rigid"
        body, node = (getattr(items, f"Marker{on}{kind}") for on in ("Body", "Node"))
        frame = {"localHT": BACK} if joint == "corner" else {}
        inner = body(bodyNumber=self._ground) if last is None else node(nodeNumber=last)
        markers = [add(inner), add(node(nodeNumber=root, **frame))]
        if self.motion.planar:
            self.mbs.AddObject(items.ObjectJointRevolute2D(markerNumbers=markers))
        else:
            self.mbs.AddObject(
                items.ObjectJointGeneric(markerNumbers=markers, constrainedAxes=[1] * 6)
            )

    def _drive(self, root: Any, angle: Callable[[float], float]) -> None:
        """Hold the position of the root, and turn it."""
        items, mbs = self.items, self.mbs
        ground = mbs.AddNode(items.NodePointGround())
        held = mbs.AddMarker(items.MarkerNodeCoordinate(nodeNumber=ground, coordinate=0))
        turn = {"offsetUserFunction": lambda _mbs, t, _number, _offset: float(angle(t))}
        for coordinate, given in enumerate(({}, {}, turn)):
            marker = items.MarkerNodeCoordinate(nodeNumber=root, coordinate=coordinate)
            pair = [held, mbs.AddMarker(marker)]
            mbs.AddObject(items.ObjectConnectorCoordinate(markerNumbers=pair, **given))

    def _push(self, node: Any) -> None:
        times, forces = np.array(self.motion.pulse).T

        def load(_mbs: Any, t: float, _load: Any) -> list[float]:
            return [0.0, 0.0, float(np.interp(t, times, forces))]

        marker = self.mbs.AddMarker(self.items.MarkerNodeRigid(nodeNumber=node))
        self.mbs.AddLoad(
            self.items.LoadForceVector(markerNumber=marker, loadVectorUserFunction=load)
        )
