"""One tick of a controller in Python, and how evenly single steps take their time."""

from __future__ import annotations

import gc
import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from lissom.library import turned_chain
from lissom.model import Model
from lissom.sim import JointDamper, Stepper

from ..peers.twins import Mujoco, Pinocchio
from .robots import hinged, with_flexible_forearm

Array = np.ndarray

JOINTS, STEP = 7, 1e-3
KP, KD = 200.0, 20.0
COUNTS = {"quick": 500, "normal": 50_000, "full": 1_000_000}


def tick_calls(peers: list[str]) -> dict[str, Callable[[], None]]:
    """One tick by library: gravity, PD control, forward dynamics and a step, from arrays.

    Parameters
    ----------
    peers : list of {"pin", "mujoco"}
        Installed peers.
    """
    model = turned_chain(JOINTS)
    target = np.linspace(-1.0, 1.0, JOINTS)
    calls = {"lissom": _own_tick(model, target)}
    if "pin" in peers:
        calls["Pinocchio"] = _pinocchio_tick(model, target)
    if "mujoco" in peers:
        calls["MuJoCo"] = _mujoco_tick(model, target)
    return calls


def _own_tick(model: Model, target: Array) -> Callable[[], None]:
    system = model.compile()
    evaluator = system.evaluator()
    stepper = Stepper(system, step=STEP, integrator="euler_cromer")

    def tick() -> None:
        q, v = stepper.q, stepper.v
        stepper.step(evaluator.gravity_force(q) + KP * (target - q) - KD * v)

    return tick


def _pinocchio_tick(model: Model, target: Array) -> Callable[[], None]:
    pin: Any = importlib.import_module("pinocchio")
    twin = Pinocchio(model)
    q, v = np.zeros(JOINTS), np.zeros(JOINTS)

    def tick() -> None:
        nonlocal q, v
        forces = pin.computeGeneralizedGravity(twin.model, twin.data, q) + KP * (target - q)
        forces -= KD * v
        v = v + STEP * pin.aba(twin.model, twin.data, q, v, forces)
        q = pin.integrate(twin.model, q, STEP * v)

    return tick


def _mujoco_tick(model: Model, target: Array) -> Callable[[], None]:
    twin = Mujoco(model)
    mujoco, data = twin.mujoco, twin.data
    twin.model.opt.timestep = STEP
    mujoco.mj_forward(twin.model, data)

    def tick() -> None:
        data.qfrc_applied[:] = data.qfrc_bias + KP * (target - data.qpos) - KD * data.qvel
        mujoco.mj_step(twin.model, data)

    return tick


def steppers() -> dict[str, Stepper]:
    """Steppers whose single steps are timed, by name."""
    chain = turned_chain(JOINTS).compile()
    damped = [JointDamper(name, 5.0) for name in hinged(chain)]
    found = {"7 joints, RK4": Stepper(chain, step=STEP, integrator="rk4", loads=damped)}
    forearm = with_flexible_forearm()
    if forearm is not None:
        system = forearm.compile()
        damped = [JointDamper(name, 5.0) for name in hinged(system)]
        found["UR5 with a flexible forearm, generalized-alpha"] = Stepper(
            system, step=STEP, integrator="generalized_alpha", loads=damped, max_iterations=10
        )
    return found


def step_times(stepper: Stepper, n: int) -> Array:
    """Wall-clock time of each of n steps [s]; the garbage collector waits meanwhile.

    Parameters
    ----------
    stepper : Stepper
        At its start.
    n : int
        Number of steps.
    """
    forces, clock = np.zeros(stepper.system.n_v), time.perf_counter_ns
    found = np.zeros(n, dtype=np.int64)
    for _ in range(min(n, 1000)):
        stepper.step(forces)
    gc.disable()
    try:
        for k in range(n):
            forces[0] = 1e-3 * (k % 2)  # new forces in every step, as from a controller
            before = clock()
            stepper.step(forces)
            found[k] = clock() - before
    finally:
        gc.enable()
    return found * 1e-9
