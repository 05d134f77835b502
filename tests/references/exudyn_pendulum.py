"""A flexible body in Exudyn, on a revolute or spherical joint or free: motion with small steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.peers.exudyn import ExudynModel, implicit_settings
from benchmarks.peers.exudyn_floating import FloatingBody, add_revolute_joint
from lissom import FlexibleBody


@dataclass(frozen=True)
class Motion:
    """Times (n,), positions of the tip (n, 3) [m] and modal coordinates (n, n_mode)."""

    time: np.ndarray
    tip: np.ndarray
    modes: np.ndarray


def pendulum(
    body: FlexibleBody,
    joint: str,
    *,
    gravity=(0.0, 0.0, -9.81),
    angular_velocity=(0.0, 0.0, 0.0),
    modes=None,
    duration: float,
    step: float,
    output_step: float = 0.01,
) -> Motion:
    """Motion of one body that starts along the world's axes, with its frame at the origin.

    Parameters
    ----------
    body : FlexibleBody
        Of particles, with a node "tip".
    joint : str
        "free", "spherical", or an axis of a revolute joint: "x", "y", "z".
    gravity, angular_velocity : sequence of float
        In world axes; the joint must allow the angular velocity.
    modes : array (n_mode,), optional
        Modal coordinates at the start, by default zero.
    duration, step, output_step : float
        Simulated time, step and time between records [s].
    """
    peer = ExudynModel("GeneralizedAlpha")
    items, mbs, kinds = peer.items, peer.mbs, peer.exu.OutputVariableType
    tight_settings(peer)
    made = FloatingBody.added(
        peer,
        body,
        np.array(gravity),
        position=np.zeros(3),
        rotation=np.eye(3),
        angular_velocity=np.array(angular_velocity, dtype=float),
    )
    if modes is not None:
        mbs.SetNodeParameter(made.modes, "initialCoordinates", list(modes))
    ground = mbs.AddObject(items.ObjectGround())
    markers = [
        mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=ground)),
        mbs.AddMarker(items.MarkerNodeRigid(nodeNumber=made.frame)),
    ]
    if joint == "spherical":
        mbs.AddObject(items.ObjectJointSpherical(markerNumbers=markers))
    elif joint != "free":
        axis = np.eye(3)["xyz".index(joint)]
        add_revolute_joint(peer, markers, np.eye(3), axis)
    tip = mbs.AddSensor(
        items.SensorSuperElement(
            bodyNumber=made.number,
            meshNodeNumber=body.names["tip"],
            outputVariableType=kinds.Position,
            storeInternal=True,
            writeToFile=False,
        )
    )
    deformation = mbs.AddSensor(
        items.SensorNode(
            nodeNumber=made.modes,
            outputVariableType=kinds.Coordinates,
            storeInternal=True,
            writeToFile=False,
        )
    )
    peer.finish()
    peer.solve(duration, step, output_step)
    times = mbs.GetSensorStoredData(tip)[:, 0]
    return Motion(times, peer.record(tip), peer.record(deformation))


def tight_settings(peer: ExudynModel) -> None:
    """No damping by the integrator, and equations solved as far as rounding lets them."""
    implicit_settings(peer, 1.0)
    peer.settings.timeIntegration.newton.relativeTolerance = 1e-10
    peer.settings.timeIntegration.newton.absoluteTolerance = 1e-12


def extrapolated(values: Callable[[float], np.ndarray], step: float) -> tuple[np.ndarray, float]:
    """Limit for small steps of a method of second order, and how far the last correction went.

    Three runs with steps halved twice are extrapolated twice (Richardson): the error of the method
    has even powers of the step, because it is symmetric in time.
    """
    coarse, middle, fine = (values(step / 2**k) for k in range(3))
    first, second = (4 * middle - coarse) / 3, (4 * fine - middle) / 3
    limit = (16 * second - first) / 15
    return limit, float(np.abs(limit - second).max())
