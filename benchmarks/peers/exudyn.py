"""Simulation in Exudyn: common parts of its models, and rigid trees in minimal coordinates."""

from __future__ import annotations

import importlib
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from lissom.bodies import RigidBody
from lissom.joints import Revolute
from lissom.model import Model
from lissom.system import State

from .result import OUTPUT_STEP, PeerRun, steps_and_stride
from .trees import Point
from .twins import PeerError, imported

Array = np.ndarray


class ExudynModel:
    """Exudyn system, simulated with a fixed step on one thread without output.

    Subclasses fill it, add sensors for the ends and the middles of links, and call `finish`.

    Parameters
    ----------
    solver : str
        Name of one of Exudyn's solvers: "RK44", "GeneralizedAlpha".
    """

    name = "Exudyn"

    def __init__(self, solver: str) -> None:
        self.exu: Any = imported("exudyn")
        self.items: Any = importlib.import_module("exudyn.itemInterface")
        self.exu.config.printToConsole = False
        self.container = self.exu.SystemContainer()
        self.mbs: Any = self.container.AddSystem()
        self.solver = getattr(self.exu.DynamicSolverType, solver)
        self.settings: Any = self._settings()
        self.end_sensors: list[Any] = []
        self.middle_sensors: list[Any] = []

    def _settings(self) -> Any:
        settings = self.exu.SimulationSettings()
        settings.solution.file.write = False
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.adaptiveStep = False
        settings.timeIntegration.automaticStepSize = False
        settings.parallel.numberOfThreads = 1
        return settings

    def finish(self) -> None:
        """Complete the model: nothing is added after this."""
        self.mbs.Assemble()

    def run(self, duration: float, step: float, output_step: float = OUTPUT_STEP) -> PeerRun:
        """Simulate with a fixed step, see `Peer.run`; sensors are written during the run."""
        seconds = self.solve(duration, step, output_step)
        ends, middles = (
            [self.record(sensor) for sensor in sensors]
            for sensors in (self.end_sensors, self.middle_sensors)
        )
        times = self.mbs.GetSensorStoredData(self.end_sensors[0])[:, 0]
        return PeerRun(
            self.name,
            seconds,
            times,
            np.stack(ends, axis=1),
            np.stack(middles, axis=1) if middles else None,
        )

    def solve(self, duration: float, step: float, output_step: float) -> float:
        """Integrate from the initial state; return the CPU seconds."""
        n_step, _ = steps_and_stride(duration, step, output_step)
        self.settings.timeIntegration.numberOfSteps = n_step
        self.settings.timeIntegration.endTime = duration
        self.settings.solution.sensors.writePeriod = output_step
        begin = time.process_time()
        self.mbs.SolveDynamic(self.settings, solverType=self.solver)
        return time.process_time() - begin

    def node_sensor(self, node: Any) -> Any:
        """Add a sensor for the position of a node."""
        return self.mbs.AddSensor(
            self.items.SensorNode(
                nodeNumber=node,
                outputVariableType=self.exu.OutputVariableType.Position,
                storeInternal=True,
                writeToFile=False,
            )
        )

    def record(self, sensor: Any) -> Array:
        """Data stored by a sensor, one row for each time, without the time."""
        return self.mbs.GetSensorStoredData(sensor)[:, 1:]


def implicit_settings(peer: ExudynModel, radius: float) -> None:
    """Set the fastest settings of the generalised-α method found for these models.

    The Jacobian is sparse and reused while Newton's iteration converges.  The iteration stops when
    the residual has fallen by 1e-6; with Exudyn's default of 1e-8 the beam elements reach rounding
    errors, and the trajectories differ by 1e-7 m.

    Parameters
    ----------
    peer : ExudynModel
        Model to configure.
    radius : float
        Spectral radius at infinite frequency.
    """
    peer.settings.timeIntegration.generalizedAlpha.spectralRadius = radius
    newton = peer.settings.timeIntegration.newton
    newton.useModifiedNewton = True
    newton.maxModifiedNewtonIterations = 4
    newton.relativeTolerance = 1e-6
    peer.settings.linearSolver.solverType = peer.exu.LinearSolverType.EigenSparse
    peer.settings.linearSolver.reuseAnalyzedPattern = True


class ExudynTree(ExudynModel):
    """Rigid tree as one Exudyn `ObjectKinematicTree`, by Runge and Kutta's method.

    Parameters
    ----------
    model : Model
        Rigid bodies on revolute joints about x, y or z.
    state : State
        Initial state.
    ends : sequence of Point
        Points to record.
    """

    name = "Exudyn"

    def __init__(self, model: Model, state: State, ends: Sequence[Point]) -> None:
        super().__init__("RK44")
        # Both make it faster without changing the trajectory.
        self.settings.timeIntegration.explicit.computeEndOfStepAccelerations = False
        self.settings.linearSolver.solverType = self.exu.LinearSolverType.EigenDense
        exu, parts = self.exu, list(model.parts.values())
        numbers = {part.name: number for number, part in enumerate(parts)}
        node = self.mbs.AddNode(
            self.items.NodeGenericODE2(
                referenceCoordinates=[0.0] * len(parts),
                initialCoordinates=list(state.q),
                initialCoordinates_t=list(state.v),
                numberOfODE2Coordinates=len(parts),
            )
        )
        places = [np.asarray(part.at, dtype=float) for part in parts]
        turns = [np.asarray(part.rotation, dtype=float) for part in parts]
        bodies: list[Any] = [part.body for part in parts]
        tree = self.mbs.AddObject(
            self.items.ObjectKinematicTree(
                nodeNumber=node,
                gravity=list(np.asarray(model.gravity, dtype=float)),
                jointTypes=[self._joint_type(part) for part in parts],
                linkParents=[-1 if part.to is None else numbers[part.to.name] for part in parts],
                jointTransformations=exu.Matrix3DList(turns),
                jointOffsets=exu.Vector3DList(places),
                linkInertiasCOM=exu.Matrix3DList([body.inertia for body in bodies]),
                linkCOMs=exu.Vector3DList([body.com for body in bodies]),
                linkMasses=[float(body.mass) for body in bodies],
            )
        )
        self.end_sensors = [
            self.mbs.AddSensor(
                self.items.SensorKinematicTree(
                    objectNumber=tree,
                    linkNumber=numbers[body],
                    localPosition=list(place),
                    outputVariableType=exu.OutputVariableType.Position,
                    storeInternal=True,
                    writeToFile=False,
                )
            )
            for body, place in ends
        ]
        self.finish()

    def _joint_type(self, part: Any) -> Any:
        if isinstance(part.body, RigidBody) and isinstance(part.joint, Revolute):
            for letter, unit in zip("XYZ", np.eye(3), strict=True):
                if np.array_equal(part.joint.axis, unit):
                    return getattr(self.exu.JointType, f"Revolute{letter}")
        raise PeerError(
            f"body {part.name!r}: only rigid bodies on revolute joints about x, y, z are supported"
        )
