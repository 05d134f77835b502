"""A mechanism with all that can act on it at once, for the tests of files and of early ends.

Run as a program it makes the files of runs that were killed (`main`).
"""

from __future__ import annotations

import os
import signal
import sys
import time
from functools import cache

import numpy as np
from numba import njit

import lissom as ls
from tests.tools.children import fork

KINDS = {
    "rk4": {"integrator": "rk4", "step": 2e-3},
    "euler_cromer": {"integrator": "euler_cromer", "step": 1e-3, "output_step": 3e-3},
    "implicit_euler": {"integrator": "linearly_implicit_euler", "step": 2e-3},
    "alpha": {"integrator": "generalized_alpha", "step": 4e-3},
    "dopri5": {"integrator": "dopri5", "rtol": 1e-6},
    "dop853": {"integrator": "dop853", "rtol": 1e-8, "output_step": 1e-3},
    "alpha_adaptive": {"integrator": "generalized_alpha", "rtol": 1e-4},
    "rosenbrock": {"integrator": "rosenbrock", "step": 4e-3},
    "auto": {"rtol": 1e-6},
}
DURATION = 0.42


class Integral:
    """Plain controller that remembers: it holds the boom's angle with an integral term."""

    def __init__(self):
        self.sum, self.calls = 0.0, 0

    def update(self, t, state):
        self.sum += 0.01 * float(state["boom"][0] - 0.2)
        self.calls += 1
        return {"boom": -3.0 * self.sum - 0.5 * float(state["boom.rates"][0]), "hub": np.zeros(6)}

    def get_state(self):
        return {"sum": self.sum, "calls": np.array([self.calls])}

    def set_state(self, saved):
        self.sum, self.calls = saved["sum"], int(saved["calls"][0])


@cache
def mechanism() -> ls.System:
    model = ls.Model("everything", gravity=(0.3, 0, -1.0))
    boom = ls.beam(
        1.5, ls.Rectangle(width=0.02, height=0.01), ls.ALUMINIUM, bending=1, torsion=0, stretch=0
    )
    brick = ls.RigidBody.box(0.4, (0.3, 0.2, 0.1))
    turn = ls.CompoundJoint([np.eye(6)[0], np.eye(6)[1]])
    model.add(ls.RigidBody.box(8.0, (1, 0.8, 0.6)), ls.Free(), name="hub")
    model.add(boom, ls.Revolute("z"), to="hub", at=(0.5, 0, 0), name="boom")
    model.add(brick, ls.Spherical(), to="boom.tip", name="hand")
    model.add(brick, ls.Prismatic("x"), to="hub", at=(0, 0.5, 0), name="slide")
    model.add(brick, ls.Revolute("y"), to="slide", at=(0, 0.3, 0), name="hinge")
    model.add(brick, ls.Revolute("x"), to="hub", at=(0, -0.5, 0), name="wheel")
    model.add(brick, turn, to="hub", at=(0, 0, 0.5), name="dish")
    return model.compile()


def initial() -> ls.State:
    system = mechanism()
    speeds = {"hinge.rates": 3.0, "boom.rates": -0.4, "dish.rates": [0.5, -0.8]}
    return system.state(boom=0.1, hinge=-0.5, **{**speeds, "hand.rates": [0.3, 0.2, -0.5]})


@cache
def compiled_parts():
    """A controller with memory and an event, both compiled."""

    @njit
    def filtered(t, q, v, memory, out):
        memory[0] += 0.2 * (v[6] - memory[0])
        memory[1] += 1.0
        out[6] = -0.1 * memory[0]
        out[7] = 0.01 * np.sin(memory[1])

    @njit
    def late(t, q, v):
        return t - 0.31

    return filtered, late


def arguments(*, slow: float = 0.0) -> dict:
    """Forces, loads and events of all kinds; `slow`: seconds that a plain function sleeps."""
    filtered, late = compiled_parts()
    pause = [slow]  # in a list: it decides nothing, and a run is resumed without it

    def push(t, state):
        if pause[0]:
            time.sleep(pause[0])
        return 0.2 * np.cos(5 * t) - 0.1 * float(state["slide"][0])

    times = [0.0, 0.1, 0.23, 0.4, 0.55]
    turn = ls.Table([0.0, 0.1, 0.23, 0.4, 0.6, 0.7], [0.0, 0.1, 0.3, 0.2, 0.04, 0.0], kind="smooth")
    loads = [
        ls.Motion("wheel", turn),
        ls.Actuator("slide", push, name="push"),
        ls.Actuator("boom", ls.Table(times, [0.0, 0.5, -0.5, 0.3, 0.0]), rotor_inertia=0.01),
        ls.JointSpring("hinge", 4.0, damping=0.02, name="spring"),
        ls.JointSpring("hand", 1.0),
        ls.JointFriction("slide", 0.3, speed=0.05),
        ls.JointStop("hinge", -2.0, 0.4, stiffness=300.0, damping=0.2, name="stop"),
        ls.NodeForce("boom.tip", ls.Table(times, np.eye(5)[:, :3], kind="steps")),
        ls.NodeSpring("hand", (0, 0, 0.5), 2.0, damping=0.1, length=0.3),
        ls.Controller(Integral(), 0.0123, name="integral"),
        ls.Controller(filtered, 0.007, memory=[0.1, 0.0], name="filter"),
    ]
    events = [
        ls.Event("hinge", ls.Switch("stop"), value=-0.2, name="worn"),
        ls.Event(late, [ls.Lock("hinge"), ls.Switch("push", False)], name="late"),
        ls.Event(lambda t, s: np.sin(40 * t - 1.0), ls.Switch("spring", True), name="often"),
        ls.Event("slide", ls.Release("hinge"), value=0.01, once=True, name="far"),
    ]
    return {"loads": loads, "events": events}


def run(kind: str, *, slow: float = 0.0, **more) -> ls.Trajectory:
    options = {"duration": DURATION, "progress": False, **KINDS[kind], **more}
    system, given = mechanism(), arguments(slow=slow)
    start = ls.assemble(system, initial(), loads=given["loads"])
    return ls.simulate(system, start, **given, **options)


def contents(trajectory: ls.Trajectory) -> dict:
    """All that two runs must have in common, with every number as its bits."""
    store = trajectory.store
    counts = {k: x for k, x in trajectory.statistics.items() if k != "seconds"}
    fields = ("time", "q", "v", "acceleration", "force", "wrench")
    return {
        "status": trajectory.status,
        "events": [(float(t), name) for t, name in trajectory.meta["events"]],
        "statistics": counts,
        **{field: store.read(field).tobytes() for field in fields},
    }


def main(folder: str, seed: str, slow: str, times: str, *kinds: str) -> None:
    """Runs of all or some kinds to files, so many each, every one killed at a random moment.

    Each is a fork of this process, which has loaded the kernels: most of its life is the run.
    """
    from lissom.sim.run import record, runner

    record.PERIOD, runner.SLICE = 0.003, 0.003  # the journal grows every few milliseconds
    rng = np.random.default_rng(int(seed))
    run("rk4", duration=0.01)
    for kind in kinds or KINDS:
        begun = time.monotonic()
        run(kind, slow=float(slow), file=f"{folder}/{kind}.nc")
        whole = time.monotonic() - begun
        for k in range(int(times)):
            pid = fork()
            if pid == 0:
                run(kind, slow=float(slow), file=f"{folder}/{kind}-{k}.nc")
                os._exit(0)
            while not os.path.exists(f"{folder}/{kind}-{k}.nc.part"):
                time.sleep(1e-4)
            time.sleep(rng.uniform(0.0, 1.0) * whole)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
