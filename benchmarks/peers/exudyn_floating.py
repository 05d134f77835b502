"""Flexible links in Exudyn as bodies on floating frames, with the modes of lissom."""

from __future__ import annotations

import importlib
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from lissom.algorithms import pose
from lissom.bodies import FlexibleBody
from lissom.joints import Revolute, Spherical
from lissom.model import Model

from .exudyn import ExudynModel, implicit_settings
from .twins import PeerError

Array = np.ndarray

# Three points around a node represent its rotation.  Their distance cancels, since displacements
# are linear.
_ARM = 0.01
_CROSS = _ARM * np.array([[0.0, 1.0, 0.0], [0.0, -0.5, 0.75**0.5], [0.0, -0.5, -(0.75**0.5)]])


@dataclass(frozen=True)
class FloatingBody:
    """Flexible body of lissom as Exudyn's `ObjectFFRFreducedOrder`, with the same data.

    The mesh has lissom's nodes, masses and normalised modes.  Massless nodes are added: the centre
    of mass, whose displacement is the mean over the masses, for gravity; and three points around
    each node to which others are attached, which rotate with it, for a marker with rotation.
    Exudyn's load for gravity is not used, since its moment is that of the undeformed body.

    Parameters
    ----------
    number, frame, modes : object
        Exudyn's numbers of the body, of the node of its frame and of the node of its modes.
    markers : dict
        Marker of each named node, which moves and rotates with the node.
    """

    number: Any
    frame: Any
    modes: Any
    markers: dict[str, Any]

    @classmethod
    def added(
        cls,
        peer: ExudynModel,
        body: FlexibleBody,
        gravity: Array,
        *,
        position: Array,
        rotation: Array,
        nodes: tuple[str, ...] = (),
        angular_velocity: Array | None = None,
    ) -> FloatingBody:
        """Add a body to an Exudyn model.

        Parameters
        ----------
        peer : ExudynModel
            Model to add it to.
        body : FlexibleBody
            Body of particles.
        gravity : array (3,)
            Gravity in world axes [m/s^2].
        position, rotation : array (3,), (3, 3)
            Frame of the body at the start, in world axes.
        nodes : tuple of str
            Names of nodes that get a marker.
        angular_velocity : array (3,), optional
            Initial angular velocity in world axes [rad/s].
        """
        if body.node_inertias is not None or body.node_offsets is not None:
            raise PeerError("Exudyn's floating bodies support bodies of particles only")
        fem, normal = importlib.import_module("exudyn.FEM"), body.normalised()
        spots = [body.names[name] for name in nodes]
        mesh = _Mesh(normal.node_positions, normal.node_shapes, body.masses, spots)
        data = fem.FEMinterface()
        data.nodes = {"Position": mesh.positions}
        data.modeBasis = {"matrix": mesh.shapes, "type": "NormalModes"}
        data.massMatrix = scipy.sparse.diags(np.repeat(mesh.masses, 3)).tocsr()
        data.stiffnessMatrix = scipy.sparse.csr_matrix(data.massMatrix.shape)
        reduced = fem.ObjectFFRFreducedOrderInterface(data)
        reduced.stiffnessMatrixReduced = np.diag(normal.stiffness)
        made = reduced.AddObjectFFRFreducedOrder(
            peer.mbs,
            positionRef=list(position),
            rotationMatrixRef=rotation,
            initialAngularVelocity=[0.0] * 3 if angular_velocity is None else angular_velocity,
        )
        number, mbs, items = made["oFFRFreducedOrder"], peer.mbs, peer.items
        if np.any(normal.damping):
            damping = peer.exu.MatrixContainer()
            damping.SetWithDenseMatrix(normal.damping, useDenseMatrix=True)
            mbs.SetObjectParameter(number, "dampingMatrixReduced", damping)
        centre = mbs.AddMarker(
            items.MarkerSuperElementPosition(
                bodyNumber=number, meshNodeNumbers=[mesh.centre], weightingFactors=[1.0]
            )
        )
        weight = list(float(np.sum(body.masses)) * np.asarray(gravity, dtype=float))
        mbs.AddLoad(items.LoadForceVector(markerNumber=centre, loadVector=weight))
        markers = {
            name: mbs.AddMarker(
                items.MarkerSuperElementRigid(
                    bodyNumber=number, meshNodeNumbers=points, weightingFactors=[1 / 3] * 3
                )
            )
            for name, points in zip(nodes, mesh.crosses, strict=True)
        }
        return cls(number, made["nRigidBody"], made["nGenericODE2"], markers)


class _Mesh:
    """Nodes of a body and the added massless nodes."""

    def __init__(self, positions: Array, shapes: Array, masses: Array, spots: list[int]) -> None:
        share = masses / masses.sum()
        moves = [shapes[:, 3:], np.einsum("s,skm->km", share, shapes[:, 3:])[None]]
        places = [positions, (share @ positions)[None]]
        self.centre = len(positions)
        self.crosses: list[list[int]] = []
        for spot in spots:
            first = self.centre + 1 + 3 * len(self.crosses)
            self.crosses.append([first, first + 1, first + 2])
            places.append(positions[spot] + _CROSS)
            # Small rotations: u + θ x r for each point r of the cross and each mode.
            turned = np.cross(shapes[spot, :3].T[None], _CROSS[:, None]).transpose(0, 2, 1)
            moves.append(shapes[spot, 3:][None] + turned)
        self.positions = np.concatenate(places)
        self.shapes = np.concatenate(moves).reshape(3 * len(self.positions), -1)
        self.masses = np.concatenate([masses, np.zeros(len(self.positions) - len(masses))])


class ExudynFloating(ExudynModel):
    """Flexible bodies on floating frames with Euler parameters, by the generalised-α method.

    Parameters
    ----------
    model : Model
        Chain of flexible bodies on revolute or spherical joints, each with nodes "middle" and
        "tip"; the joints are at the tips.  It starts from the neutral state at rest.
    radius : float
        Spectral radius at infinite frequency of the generalised-α method.

    Notes
    -----
    In the plane, and in space on spherical joints, these are the equations of lissom's level
    `full`.  On revolute joints in space they differ slightly: Exudyn's marker uses the rate of the
    rotation vector of a node as its angular velocity.
    """

    name = "Exudyn, floating frames"

    def __init__(self, model: Model, radius: float = 0.9) -> None:
        super().__init__("GeneralizedAlpha")
        items, mbs = self.items, self.mbs
        implicit_settings(self, radius)
        system = model.compile()
        state = system.neutral()
        last = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=mbs.AddObject(items.ObjectGround())))
        for part in model.parts.values():
            if not isinstance(part.body, FlexibleBody):
                raise PeerError(f"body {part.name!r}: expected a flexible body")
            frame = pose(system, state, part.name)
            body = FloatingBody.added(
                self,
                part.body,
                np.asarray(model.gravity, dtype=float),
                position=frame.position,
                rotation=frame.rotation,
                nodes=("tip",),
            )
            root = mbs.AddMarker(items.MarkerNodeRigid(nodeNumber=body.frame))
            self._add_joint(part, [last, root])
            last = body.markers["tip"]
            self.end_sensors.append(self._sensor(body, part.body.names["tip"]))
            self.middle_sensors.append(self._sensor(body, part.body.names["middle"]))
        self.finish()

    def _add_joint(self, part: Any, markers: list[Any]) -> None:
        if isinstance(part.joint, Spherical):
            self.mbs.AddObject(self.items.ObjectJointSpherical(markerNumbers=markers))
        elif isinstance(part.joint, Revolute):
            add_revolute_joint(self, markers, part.rotation, part.joint.axis)
        else:
            raise PeerError(f"body {part.name!r}: only revolute and spherical joints are supported")

    def _sensor(self, body: FloatingBody, node: int) -> Any:
        return self.mbs.AddSensor(
            self.items.SensorSuperElement(
                bodyNumber=body.number,
                meshNodeNumber=node,
                outputVariableType=self.exu.OutputVariableType.Position,
                storeInternal=True,
                writeToFile=False,
            )
        )


def add_revolute_joint(peer: ExudynModel, markers: list[Any], rotation: Array, axis: Array) -> None:
    """Add Exudyn's revolute joint, about any axis.

    Parameters
    ----------
    peer : ExudynModel
        Model to add it to.
    markers : list
        Inner and outer marker.
    rotation : array (3, 3)
        Rotation of the joint relative to the inner marker.
    axis : array (3,)
        Axis of the joint, in the axes of the outer marker.
    """
    z = np.asarray(axis, dtype=float)
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    turn = np.column_stack([x, np.cross(z, x), z])
    joint = peer.items.ObjectJointRevoluteZ(
        markerNumbers=markers, rotationMarker0=rotation @ turn, rotationMarker1=turn
    )
    with warnings.catch_warnings():
        # Exudyn prefers rotations in the markers, which exist before the joint.
        warnings.simplefilter("ignore", DeprecationWarning)
        peer.mbs.AddObject(joint)
