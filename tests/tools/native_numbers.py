"""Numbers from every kernel that Python calls; as a program it writes them to a file.

    python -m tests.tools.native_numbers FILE.npz [KERNEL ...]

The environment says which compiled code is used (`lissom.kernels.native`).
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import lissom as ls
from lissom.algorithms.tree import engine
from lissom.algorithms.tree.design import design_rows, inertial_products
from lissom.algorithms.tree.design_parameters import resolve_parameters
from lissom.kernels.contact.pairs import pair_number
from lissom.kernels.quantities import CENTER, FRAME, JACOBIAN, MASS, POSE
from lissom.kernels.run.contact_forces import CLOSEST_POINTS, WITNESS_SIZE
from tests.samples.kernel_cases import random_case

ROOT = Path(__file__).resolve().parents[2]
SEEDS = range(4)


def four_bar() -> tuple[ls.System, ls.State]:
    """Linkage with a loop."""
    model = ls.Model("four-bar", gravity=(0, -9.81, 0))
    link = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    model.add(link, ls.Revolute("z"), name="crank")
    model.add(link, ls.Revolute("z"), to="crank", at=(1, 0, 0), name="coupler")
    model.add(link, ls.Revolute("z"), at=(2, 0, 0), name="rocker")
    ends = {"at_a": (1, 0, 0), "at_b": (1, 0, 0)}
    model.close(ls.Revolute("z"), "coupler", "rocker", **ends, name="pin")
    system = model.compile()
    return system, ls.assemble(system, system.state(crank=1.0, coupler=-0.6, rocker=1.8))


def last_path(system: ls.System) -> np.ndarray:
    """Constants of the last body's frame."""
    return engine.path_constants(system, system.place(system.names[-1]))


def triangle(system: ls.System, q: np.ndarray) -> np.ndarray:
    """One triangle of the mass matrix, by the kernel for timing."""
    engine.mass_matrix_loop(system, q, 2)
    return np.tril(engine.workspace(system).mass[: system.n_v])


# Each from a system, coordinates, speeds and forces or accelerations
ALGEBRA = {
    "prepare": lambda s, q, v, x: engine.Workspace(s, engine.packed_constants(s)).scratch,
    "forward_rows": engine.forward_dynamics,
    "composite_rows": partial(engine.forward_dynamics, composite=True),
    "inverse_rows": engine.inverse_dynamics,
    "mass_rows": lambda s, q, v, x: engine.value(s, MASS, q),
    "mass_triangles": lambda s, q, v, x: triangle(s, q),
    "totals_rows": lambda s, q, v, x: engine.totals_rows(s, q[None], v[None], np.ones(3)),
    "center_rows": lambda s, q, v, x: engine.value(
        s, CENTER, q, place=np.array([0.1, 0.2, 0.3, 4])
    ),
    "frame_rows": lambda s, q, v, x: engine.value(
        s, FRAME, q, v, x, engine.node_constants(s, s.n_body - 1, 0)
    ),
    "pose_rows": lambda s, q, v, x: engine.value(s, POSE, q, place=last_path(s)),
    "jacobian_rows": lambda s, q, v, x: engine.value(s, JACOBIAN, q, place=last_path(s)),
    "joint_forces_rows": engine.joint_forces,
    "inverse_derivative_rows": lambda s, q, v, x: engine.inverse_derivatives(s, q, v, x)[1],
    "forward_derivative_rows": lambda s, q, v, x: engine.forward_derivatives(s, q, v, x)[1],
    "frame_columns": lambda s, q, v, x: np.concatenate(
        [a.ravel() for a in engine.frame_columns(s, [(s.n_body - 1, 0)], q, v, x)]
    ),
    "design_derivative_rows": lambda s, q, v, x: np.concatenate(
        [
            a.ravel()
            for a in design_rows(s, resolve_parameters(s, ["gravity"]), q[None], v[None], x[None])
        ]
    ),
    "inertial_products": lambda s, q, v, x: inertial_products(
        s, q[None], v[None], x[None], np.ones((1, s.n_v))
    ),
    "multiply_blocks": lambda s, q, v, x: ls.operators(s, (q, v)).mass @ x,
}


def algebra(symbol: str) -> dict[str, np.ndarray]:
    """Numbers of one kernel on several mechanisms."""
    found = {}
    for seed in SEEDS:
        system, state, rng = random_case(seed)
        given = state.q.copy(), state.v.copy(), rng.standard_normal(system.n_v)
        found[f"{symbol} {seed}"] = ALGEBRA[symbol](system, *given)
    return found


def closure() -> dict[str, np.ndarray]:
    """Gaps of loops, open and closed."""
    system, state = four_bar()
    Q = np.stack([state.q, state.q + 0.1])
    return {"closure_rows": engine.closure_rows(system, Q, np.ones((2, system.n_v)))}


def loads() -> dict[str, np.ndarray]:
    """Forces of a spring between nodes and their derivatives."""
    system = ls.library.flexible_chain(3, 2).compile()
    state = system.state(v=np.linspace(-0.5, 0.5, system.n_v))
    spring = ls.NodeSpring(system.names[-1], system.names[0], 30.0, length=0.1, damping=2.0)
    found = ls.load_derivatives(system, state, [spring])
    return {"load_derivatives": np.stack([found.forces, *found.q, *found.v])}


def adjoint() -> dict[str, np.ndarray]:
    """Gradient of a run of a free body with a flexible link."""
    model = ls.Model("floating")
    model.add(ls.RigidBody.box(2.0, (1, 2, 3)), ls.Free(), name="base")
    link = next(iter(ls.library.flexible_chain(1, 2).parts.values())).body
    model.add(link, ls.Revolute("y"), to="base", name="link")
    system = model.compile()
    state = system.state(v=np.linspace(-0.5, 0.5, system.n_v))

    def ends(time, q, v):
        by_q, by_v = np.zeros_like(q), np.zeros_like(v)
        by_q[-1], by_v[-1] = 1.0, 2.0
        return q[-1].sum() + 2 * v[-1].sum(), by_q, by_v

    found = ls.gradient(system, state, ends, duration=2e-3, step=1e-4)
    return {"adjoint_steps": found.state}


def advance() -> dict[str, np.ndarray]:
    """The end of runs of a loop and of flexible links."""
    system, state = four_bar()
    links = ls.library.flexible_chain(3, 2).compile()
    ends = {
        "loop": (system, state, {"integrator": "rk4", "step": 1e-3}),
        "explicit": (links, links.neutral(), {"integrator": "dop853", "rtol": 1e-6}),
        "implicit": (links, links.neutral(), {"integrator": "generalized_alpha", "step": 1e-3}),
    }
    found = {}
    for name, (mechanism, start, settings) in ends.items():
        run = ls.simulate(mechanism, start, duration=0.02, progress=False, **settings)
        found[f"advance {name}"] = np.concatenate([run.q[-1], run.v[-1]])
    return found


def advance_all() -> dict[str, np.ndarray]:
    """The end of runs with every load and every integrator."""
    from tests.samples.simulation_cases import KINDS, run

    found = {}
    for kind in KINDS:
        result = run(kind, duration=0.05)
        found[f"advance {kind}"] = np.concatenate([result.q[-1], result.v[-1], result.force[-1]])
    return found


def closest() -> dict[str, np.ndarray]:
    """Closest points of pairs of shapes, in random poses."""
    rng, found = np.random.default_rng(0), {}
    kinds = (ls.shapes.Sphere(0.2), ls.shapes.Capsule(0.1, 0.5), ls.shapes.Box((1, 0.8, 0.6)))
    for a in kinds[:2]:
        for b in (*kinds, ls.shapes.HalfSpace()):
            number = pair_number(a.kind, b.kind)
            if number is None or number[1]:
                continue
            table = np.concatenate([a.numbers, b.numbers])
            attitudes = Rotation.random(2, rng=rng).as_matrix().reshape(2, 9)
            poses = np.column_stack([attitudes, rng.normal(size=(2, 3))]).ravel()
            out = np.zeros(WITNESS_SIZE)
            CLOSEST_POINTS.load()(number[0], table, 0, len(a.numbers), poses, out)
            found[f"{a.kind} {b.kind}"] = out
    return found


NUMBERS = {symbol: partial(algebra, symbol) for symbol in ALGEBRA} | {
    "closest_points": closest,
    "closure_rows": closure,
    "load_derivatives": loads,
    "adjoint_steps": adjoint,
    "advance": advance,
}
LONG = NUMBERS | {"advance_all": advance_all}


def numbers(*symbols: str) -> dict[str, np.ndarray]:
    """Numbers of the kernels named, here."""
    return {key: x for symbol in symbols for key, x in LONG[symbol]().items()}


def numbers_of(file: Path, *symbols: str, **environment: str) -> dict[str, np.ndarray]:
    """Numbers of the kernels named, in a process with an environment of its own."""
    subprocess.run(
        [sys.executable, "-m", "tests.tools.native_numbers", str(file), *symbols],
        cwd=ROOT,
        env=os.environ | environment,
        check=True,
    )
    with np.load(file) as found:
        return dict(found)


def differences(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> dict[str, float]:
    """Largest difference of each array over its largest number."""
    assert a.keys() == b.keys()
    return {
        key: float(np.max(np.abs(a[key] - b[key]), initial=0.0) / np.max(np.abs(a[key]), initial=1))
        for key in a
    }


if __name__ == "__main__":
    np.savez(sys.argv[1], **numbers(*sys.argv[2:]))
