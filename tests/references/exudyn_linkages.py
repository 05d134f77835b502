"""Closed linkages in Exudyn: rods in the plane, and a slider-crank whose rod bends."""

from __future__ import annotations

import numpy as np

from benchmarks.peers.exudyn import ExudynModel
from benchmarks.peers.exudyn_floating import FloatingBody
from lissom import FlexibleBody
from tests.references.exudyn_pendulum import tight_settings


class PlanarRods(ExudynModel):
    """Thin rods in the plane as rigid bodies with three coordinates each, pinned to each other.

    Parameters
    ----------
    gravity : float
        Along -y [m/s^2].
    """

    def __init__(self, gravity: float) -> None:
        super().__init__("GeneralizedAlpha")
        tight_settings(self)
        # Without damping the constraints must be taken at the level of velocities: the rule is
        # then the trapezoidal one, and its error has even powers of the step.
        self.settings.timeIntegration.generalizedAlpha.useIndex2Constraints = True
        self.settings.timeIntegration.generalizedAlpha.useNewmark = True
        self.gravity = gravity
        self.ground = self.mbs.AddObject(self.items.ObjectGround())

    def rod(self, mass, length, start, angle, velocity, rate):
        """Add a rod from a point at an angle, with the velocity of that point and its rate.

        Returns its markers at both ends; its end is recorded.
        """
        half = length / 2 * np.array([np.cos(angle), np.sin(angle)])
        middle, across = np.asarray(start) + half, np.array([-half[1], half[0]])
        node = self.mbs.AddNode(
            self.items.NodeRigidBody2D(
                referenceCoordinates=[*middle, angle],
                initialVelocities=[*(np.asarray(velocity) + rate * across), rate],
            )
        )
        body = self.mbs.AddObject(
            self.items.ObjectRigidBody2D(mass=mass, inertia=mass * length**2 / 12, nodeNumber=node)
        )
        ends = [self._marker(body, [x, 0, 0]) for x in (-length / 2, length / 2)]
        self.mbs.AddLoad(
            self.items.LoadForceVector(
                markerNumber=self._marker(body, [0, 0, 0]), loadVector=[0, -mass * self.gravity, 0]
            )
        )
        self.end_sensors.append(self._sensor(body, [length / 2, 0, 0]))
        return ends

    def slider(self, mass, position, velocity):
        """Add a particle that moves along x; returns its marker."""
        node = self.mbs.AddNode(
            self.items.NodePoint2D(
                referenceCoordinates=[position, 0], initialVelocities=[velocity, 0]
            )
        )
        body = self.mbs.AddObject(self.items.ObjectMassPoint2D(mass=mass, nodeNumber=node))
        fixed = self.mbs.AddNode(self.items.NodePointGround())
        markers = [
            self.mbs.AddMarker(self.items.MarkerNodeCoordinate(nodeNumber=n, coordinate=1))
            for n in (fixed, node)
        ]
        self.mbs.AddObject(self.items.ObjectConnectorCoordinate(markerNumbers=markers))
        return self._marker(body, [0, 0, 0])

    def fixed_point(self, x, y):
        """Marker on the ground."""
        return self._marker(self.ground, [x, y, 0])

    def pin(self, a, b) -> None:
        """Let two markers coincide."""
        self.mbs.AddObject(self.items.ObjectJointRevolute2D(markerNumbers=[a, b]))

    def _marker(self, body, place):
        return self.mbs.AddMarker(
            self.items.MarkerBodyPosition(bodyNumber=body, localPosition=place)
        )

    def _sensor(self, body, place):
        return self.mbs.AddSensor(
            self.items.SensorBody(
                bodyNumber=body,
                localPosition=place,
                outputVariableType=self.exu.OutputVariableType.Position,
                storeInternal=True,
                writeToFile=False,
            )
        )


def four_bar(values, q, qdot) -> PlanarRods:
    """The four-bar of the oracle, from absolute angles and rates; ends of its rods recorded."""
    made = PlanarRods(values.gravity)
    a = values.lengths[0]
    knee = a * np.array([np.cos(q[0]), np.sin(q[0])])
    knee_rate = qdot[0] * np.array([-knee[1], knee[0]])
    m, x = values.masses, values.lengths
    crank = made.rod(m[0], x[0], (0, 0), q[0], (0, 0), qdot[0])
    coupler = made.rod(m[1], x[1], knee, q[1], knee_rate, qdot[1])
    rocker = made.rod(m[2], x[2], (values.base, 0), q[2], (0, 0), qdot[2])
    made.pin(made.fixed_point(0, 0), crank[0])
    made.pin(crank[1], coupler[0])
    made.pin(made.fixed_point(values.base, 0), rocker[0])
    made.pin(coupler[1], rocker[1])
    made.finish()
    return made


def slider_crank(values, body: FlexibleBody, q, qdot) -> PlanarRods:
    """The slider-crank of the oracle with lissom's flexible rod on a floating frame.

    It starts with a straight rod whose amplitudes are at rest.
    """
    made = PlanarRods(values.gravity)
    pin = values.crank_length * np.array([np.cos(q[0]), np.sin(q[0])])
    pin_rate = qdot[0] * np.array([-pin[1], pin[0]])
    crank = made.rod(values.crank_mass, values.crank_length, (0, 0), q[0], (0, 0), qdot[0])
    c, s = np.cos(q[1]), np.sin(q[1])
    rod = FloatingBody.added(
        made,
        body,
        np.array([0.0, -values.gravity, 0.0]),
        position=np.array([*pin, 0.0]),
        rotation=np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]),
        nodes=("tip",),
        angular_velocity=np.array([0.0, 0.0, qdot[1]]),
    )
    velocity = made.mbs.GetNode(rod.frame)["initialVelocities"]
    velocity[:3] = [*pin_rate, 0.0]
    made.mbs.SetNodeParameter(rod.frame, "initialVelocities", velocity)
    root = made.mbs.AddMarker(made.items.MarkerNodeRigid(nodeNumber=rod.frame))
    ground = made.mbs.AddMarker(made.items.MarkerBodyRigid(bodyNumber=made.ground))
    # The frame stays in the plane; its position there is held by the pins.
    made.mbs.AddObject(
        made.items.ObjectJointGeneric(
            markerNumbers=[ground, root], constrainedAxes=[0, 0, 1, 1, 1, 0]
        )
    )
    slider = made.slider(values.slider_mass, q[2], qdot[2])
    made.pin(made.fixed_point(0, 0), crank[0])
    made.pin(crank[1], root)
    made.pin(rod.markers["tip"], slider)
    made.end_sensors.append(
        made.mbs.AddSensor(
            made.items.SensorSuperElement(
                bodyNumber=rod.number,
                meshNodeNumber=body.names["tip"],
                outputVariableType=made.exu.OutputVariableType.Position,
                storeInternal=True,
                writeToFile=False,
            )
        )
    )
    made.modes = made.mbs.AddSensor(
        made.items.SensorNode(
            nodeNumber=rod.modes,
            outputVariableType=made.exu.OutputVariableType.Coordinates,
            storeInternal=True,
            writeToFile=False,
        )
    )
    made.finish()
    return made
