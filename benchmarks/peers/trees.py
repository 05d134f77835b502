"""Simulation of rigid trees in MuJoCo and Pinocchio, optionally with springs in the joints."""

from __future__ import annotations

import importlib
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from lissom.model import Model
from lissom.system import State

from .result import OUTPUT_STEP, PeerRun, steps_and_stride
from .twins import Mujoco, Pinocchio

Array = np.ndarray

# Name of a body, and a point in its frame [m].
Point = tuple[str, Sequence[float]]


class _Tree:
    """Common parts of both libraries: initial state, springs, and points to record.

    Parameters
    ----------
    model : Model
        Rigid bodies on revolute joints, added depth first.
    state : State
        Initial state.
    ends : sequence of Point
        Ends of links.
    middles : sequence of Point
        Middles of links, or none.
    stiffness : array (n_v,), optional
        Springs in the joints, relaxed at angle zero [N m/rad].
    """

    name: str

    def __init__(
        self,
        model: Model,
        state: State,
        ends: Sequence[Point],
        middles: Sequence[Point] = (),
        stiffness: Array | None = None,
    ) -> None:
        self.q, self.v = state.q.copy(), state.v.copy()
        self.n_end = len(ends)
        numbers = {name: number for number, name in enumerate(model.parts)}
        points = [*ends, *middles]
        self.bodies = [numbers[body] for body, _ in points]
        self.places = np.array([place for _, place in points], dtype=float)
        self.stiffness = np.zeros(len(self.v)) if stiffness is None else np.asarray(stiffness)
        if stiffness is not None:
            self.name = f"{self.name}, segments"

    def run(self, duration: float, step: float, output_step: float = OUTPUT_STEP) -> PeerRun:
        """Simulate by Runge and Kutta's method of fourth order, see `Peer.run`."""
        n_step, stride = steps_and_stride(duration, step, output_step)
        seconds, coordinates = self._integrate(n_step, step)
        points = np.array([self._points(q) for q in coordinates[::stride]])
        return PeerRun(
            self.name,
            seconds,
            step * stride * np.arange(len(points)),
            points[:, : self.n_end],
            points[:, self.n_end :] if len(self.places) > self.n_end else None,
        )

    def _integrate(self, n_step: int, step: float) -> tuple[float, Array]:
        """CPU seconds, and the coordinates at the start and after every step."""
        raise NotImplementedError

    def _points(self, q: Array) -> Array:
        """Points to record, shape (n_point, 3)."""
        raise NotImplementedError


class MujocoTree(_Tree):
    """Rigid tree in MuJoCo, simulated by its `rollout` on this thread; parameters as above."""

    name = "MuJoCo"

    def __init__(self, model: Model, *arguments: Any, **options: Any) -> None:
        super().__init__(model, *arguments, **options)
        twin = Mujoco(model)
        self.mujoco, self.model, self.data = twin.mujoco, twin.model, twin.data
        self.model.opt.integrator = self.mujoco.mjtIntegrator.mjINT_RK4
        if self.stiffness.any():
            self.model.opt.disableflags &= ~int(self.mujoco.mjtDisableBit.mjDSBL_SPRING)
            self.model.jnt_stiffness[:] = self.stiffness.reshape(self.model.jnt_stiffness.shape)
        self.rollout = importlib.import_module("mujoco.rollout").Rollout(nthread=0)

    def _integrate(self, n_step: int, step: float) -> tuple[float, Array]:
        self.model.opt.timestep = step
        start = np.concatenate([[0.0], self.q, self.v])[None]
        begin = time.process_time()
        states, _ = self.rollout.rollout(self.model, self.data, start, nstep=n_step)
        seconds = time.process_time() - begin
        n = self.model.nq
        return seconds, np.concatenate([self.q[None], states[0, :, 1 : 1 + n]])

    def _points(self, q: Array) -> Array:
        self.data.qpos[:] = q
        self.mujoco.mj_kinematics(self.model, self.data)
        turns = self.data.xmat.reshape(-1, 3, 3)
        # Body 0 is the world.
        return np.array(
            [
                self.data.xpos[body + 1] + turns[body + 1] @ place
                for body, place in zip(self.bodies, self.places, strict=True)
            ]
        )


class PinocchioTree(_Tree):
    """Rigid tree in Pinocchio: articulated-body algorithm in a NumPy loop; parameters as above."""

    name = "Pinocchio"

    def __init__(self, model: Model, *arguments: Any, **options: Any) -> None:
        super().__init__(model, *arguments, **options)
        twin = Pinocchio(model)
        self.pin, self.model, self.data = twin.pin, twin.model, twin.data

    def _integrate(self, n_step: int, step: float) -> tuple[float, Array]:
        q, v = self.q.copy(), self.v.copy()
        record = np.empty((n_step + 1, len(q)))
        record[0] = q
        begin = time.process_time()
        for k in range(n_step):
            a1 = self._accelerations(q, v)
            v2 = v + (step / 2) * a1
            a2 = self._accelerations(q + (step / 2) * v, v2)
            v3 = v + (step / 2) * a2
            a3 = self._accelerations(q + (step / 2) * v2, v3)
            v4 = v + step * a3
            a4 = self._accelerations(q + step * v3, v4)
            q = q + (step / 6) * (v + 2 * (v2 + v3) + v4)
            v = v + (step / 6) * (a1 + 2 * (a2 + a3) + a4)
            record[k + 1] = q
        return time.process_time() - begin, record

    def _accelerations(self, q: Array, v: Array) -> Array:
        return self.pin.aba(
            self.model, self.data, q, v, -self.stiffness * q, self.pin.Convention.WORLD
        ).copy()

    def _points(self, q: Array) -> Array:
        self.pin.forwardKinematics(self.model, self.data, q)
        # Joint 0 is the universe.
        return np.array(
            [
                self.data.oMi[body + 1].act(place)
                for body, place in zip(self.bodies, self.places, strict=True)
            ]
        )
