"""The same mechanisms in Drake: rigid bodies on revolute joints, in a continuous plant."""

from __future__ import annotations

import functools
import importlib
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from lissom.model import Model
from lissom.system import State

from ..cases import Case
from .result import OUTPUT_STEP, PeerRun, steps_and_stride
from .twins import Call, _check_order, _rigid_and_revolute

Array = np.ndarray


class Drake:
    """Mechanism as a `MultibodyPlant` without discrete steps, collisions and scene.

    Parameters
    ----------
    model : Model
        Rigid bodies on revolute joints, added depth first.
    """

    name = "Drake"

    def __init__(self, model: Model) -> None:
        plants = importlib.import_module("pydrake.multibody.plant")
        trees = importlib.import_module("pydrake.multibody.tree")
        poses = importlib.import_module("pydrake.math")
        self.trees: Any = trees
        self.plant: Any = plants.MultibodyPlant(time_step=0.0)
        self.plant.mutable_gravity_field().set_gravity_vector(
            np.asarray(model.gravity, dtype=float)
        )
        bodies: dict[str, Any] = {}
        for part in model.parts.values():
            body, joint = _rigid_and_revolute(part, self.name)
            about = np.asarray(body.inertia, dtype=float)
            places = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]
            at_com = trees.RotationalInertia(*about[places])
            inertia = trees.SpatialInertia.MakeFromCentralInertia(
                float(body.mass), np.asarray(body.com, dtype=float), at_com
            )
            twin = self.plant.AddRigidBody(part.name, inertia)
            carrier = self.plant.world_body() if part.to is None else bodies[part.to.name]
            pose = poses.RigidTransform(poses.RotationMatrix(part.rotation), part.at)
            seat = self.plant.AddFrame(
                trees.FixedOffsetFrame(f"{part.name}_seat", carrier.body_frame(), pose)
            )
            hinge = trees.RevoluteJoint(part.name, seat, twin.body_frame(), joint.axis)
            self.plant.AddJoint(hinge)
            bodies[part.name] = twin
        self.plant.Finalize()
        self.bodies = bodies
        order = [self.plant.get_joint(k).name() for k in self.plant.GetJointIndices()]
        _check_order(order[: self.plant.num_velocities()], model, self.name)
        self.context: Any = self.plant.CreateDefaultContext()
        port = self.plant.get_applied_generalized_force_input_port()
        self.applied: Any = port.FixValue(self.context, np.zeros(self.plant.num_velocities()))
        self.loads: Any = trees.MultibodyForces(self.plant)

    def forward(self, q: Array, v: Array, forces: Array) -> Array:
        """Accelerations, shape (n_v,)."""
        self.applied.GetMutableData().get_mutable_value().SetFromVector(forces)
        return self.accelerations(q, v)

    def accelerations(self, q: Array, v: Array) -> Array:
        """Accelerations with the forces that were given last."""
        self.plant.SetPositions(self.context, q)
        self.plant.SetVelocities(self.context, v)
        derivatives = self.plant.EvalTimeDerivatives(self.context)
        return derivatives.get_generalized_velocity().CopyToVector()

    def inverse(self, q: Array, v: Array, acceleration: Array) -> Array:
        """Forces, shape (n_v,)."""
        self.plant.SetPositions(self.context, q)
        self.plant.SetVelocities(self.context, v)
        self.plant.CalcForceElementsContribution(self.context, self.loads)
        return self.plant.CalcInverseDynamics(self.context, acceleration, self.loads)

    def mass(self, q: Array) -> Array:
        """Mass matrix, shape (n_v, n_v)."""
        self.plant.SetPositions(self.context, q)
        return self.plant.CalcMassMatrix(self.context)

    def calls(self, case: Case) -> dict[tuple[str, str], tuple[Call, int]]:
        """Timed calls: (quantity, form) -> (call, number of states in it)."""
        q, v, f = case.state.q.copy(), case.state.v.copy(), case.forces
        self.forward(q, v, f)
        return {
            ("forward dynamics", "call"): (functools.partial(self.accelerations, q, v), 1),
            ("inverse dynamics", "call"): (functools.partial(self.inverse, q, v, f), 1),
            ("mass matrix", "call"): (functools.partial(self.mass, q), 1),
        }


class DrakeTree:
    """Rigid tree simulated by Drake's `Simulator` with fixed steps.

    Parameters
    ----------
    model : Model
        Rigid bodies on revolute joints, added depth first.
    state : State
        Initial state.
    tip : (str, sequence of float)
        Name of a body, and a point in its frame [m].
    method : str
        Integrator as Drake calls it, such as "runge_kutta3".
    """

    def __init__(
        self, model: Model, state: State, tip: tuple[str, Sequence[float]], method: str
    ) -> None:
        self.name = f"Drake, {method}"
        self.twin, self.method = Drake(model), method
        self.q, self.v = state.q.copy(), state.v.copy()
        self.body, self.place = self.twin.bodies[tip[0]], np.array(tip[1], dtype=float)

    def run(self, duration: float, step: float, output_step: float = OUTPUT_STEP) -> PeerRun:
        """Simulate with a fixed step, see `Peer.run`."""
        analysis = importlib.import_module("pydrake.systems.analysis")
        plant = self.twin.plant
        n_step, stride = steps_and_stride(duration, step, output_step)
        simulator = analysis.Simulator(plant)
        context = simulator.get_mutable_context()
        plant.SetPositions(context, self.q)
        plant.SetVelocities(context, self.v)
        integrator = analysis.ResetIntegratorFromFlags(simulator, self.method, step)
        integrator.set_fixed_step_mode(True)
        simulator.Initialize()
        coordinates = [self.q]
        begin = time.process_time()
        for k in range(stride, n_step + 1, stride):
            simulator.AdvanceTo(k * step)
            coordinates.append(plant.GetPositions(context).copy())
        seconds = time.process_time() - begin
        times = step * stride * np.arange(len(coordinates))
        points = np.array([self._tip(q) for q in coordinates])
        return PeerRun(self.name, seconds, times, points[:, None], None)

    def _tip(self, q: Array) -> Array:
        plant, context = self.twin.plant, self.twin.context
        plant.SetPositions(context, q)
        return plant.EvalBodyPoseInWorld(context, self.body).multiply(self.place)
