"""`python -m tests.verify_gpu`: batches and runs on a GPU against the CPU; needs one of NVIDIA.

Arrays of CuPy, and of PyTorch and JAX where they are installed; variants; all methods, with loads;
loops; events; functions that Numba compiles.
"""

from __future__ import annotations

import warnings

import numba
import numpy as np

import lissom as ls
from lissom.library import humanoid, order_n
from lissom.library.order_n_run import order_n_start

OPTIONS = {"duration": 0.2, "output_step": 0.05}


def arm(mass=1.0, level="linear"):
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    section = ls.Rectangle(0.02, 0.01)
    link = ls.beam(1.0, section, ls.ALUMINIUM, bending=2, torsion=0, stretch=0, level=level)
    model.add(link, ls.Revolute("y"), name="link")
    hand = ls.RigidBody(mass, com=(0.1, 0, 0.02), inertia=(0.01, 0.02, 0.03))
    model.add(hand, ls.Universal("x", "z"), to="link.tip", name="hand")
    return model.compile()


def states(system, k):
    rng = np.random.default_rng(0)
    q = rng.normal(size=(k, system.n_q))
    for name in system.names:
        q[:, system.layout.modal_q(name)] *= 1e-3
    return q, 0.1 * rng.normal(size=(k, system.n_v)), rng.normal(size=(k, system.n_v))


def apart(a, b):
    return float(np.nanmax(np.abs(a - b)) / np.nanmax(np.abs(a)))


def answers(batch, where, q, v, x):
    attitude, place = batch.pose(q, where)
    return [
        batch.forward_dynamics(q, v, x),
        batch.inverse_dynamics(q, v, x),
        batch.mass_matrix(q),
        attitude,
        place,
        batch.jacobian(q, where),
        *batch.energy(q, v),
    ]


def evaluations():
    """Largest difference over mechanisms, levels and variants."""
    worst = 0.0
    systems = [arm(level=x) for x in ("linear", "full", "stiffened")] + [humanoid(29).compile()]
    for system in [*systems, [arm(m) for m in np.linspace(0.5, 2.0, 300)]]:
        one = system[0] if isinstance(system, list) else system
        given = states(one, 300)
        where = one.names[-1]
        here = answers(ls.batch(system), where, *given)
        there = answers(ls.batch(system, device="cuda"), where, *given)
        worst = max(worst, *map(apart, here, there))
    return worst


def libraries():
    """Names of the libraries whose arrays come back as they went."""
    import cupy as cp

    system, found = arm(), ["CuPy"]
    given = states(system, 300)
    expected = ls.batch(system).forward_dynamics(*given)
    there = ls.batch(system, device="cuda")
    result = there.forward_dynamics(*map(cp.asarray, given))
    assert isinstance(result, cp.ndarray) and apart(expected, result.get()) < 1e-12
    try:
        import torch
    except ImportError:
        pass
    else:
        with torch.cuda.stream(torch.cuda.Stream()):
            tensors = [torch.asarray(x).cuda() for x in given]
            result = there.forward_dynamics(*tensors)
        assert result.is_cuda and apart(expected, result.cpu().numpy()) < 1e-12
        found.append("PyTorch")
    try:
        import jax
    except ImportError:
        return found
    jax.config.update("jax_enable_x64", True)
    result = there.forward_dynamics(*map(jax.numpy.asarray, given))
    assert isinstance(result, jax.Array) and apart(expected, np.asarray(result)) < 1e-12
    return [*found, "JAX"]


@numba.njit
def push(time, q, v, out):
    out[0] = np.sin(3.0 * time) - 2.0 * v[0]


def runs():
    """Largest difference of runs; their counts must agree."""
    system, platform = arm(), order_n(1).compile()
    q, v, _ = states(system, 300)
    loads = [
        ls.JointSpring("hand", stiffness=3.0, damping=0.1),
        ls.Servo("link", 0.3, kp=20.0, kd=2.0, ki=1.0),
        ls.NodeForce("link.tip", force=(0, 0, 1.0)),
        ls.Actuator("hand", ls.Table([0.0, 0.01, 0.3], [[0.0, 0.0], [0.2, 0.1], [0.0, 0.3]])),
    ]
    methods = [
        {"integrator": "rk4", "step": 1e-3},
        {"integrator": "euler_cromer", "step": 1e-3},
        {"integrator": "generalized_alpha", "step": 1e-3},
        {"integrator": "dopri5"},
    ]
    cases = [(system, (q, v), {**OPTIONS, "loads": loads, **x}) for x in methods]
    cases.append((system, (q, v), {**OPTIONS, **methods[0], "forces": push}))
    cases.append(
        (system, (q, v), {**OPTIONS, **methods[0], "events": [ls.Event("link", value=1.0)]})
    )
    few = [order_n_start(platform)] * 40
    cases += [(platform, few, {"duration": 0.02, **x}) for x in methods[:3:2]]
    worst = 0.0
    for what, start, options in cases:
        here = ls.simulate_batch(what, start, **options)
        there = ls.simulate_batch(what, start, device="cuda", **options)
        assert list(here.status) == list(there.status)
        for name in ("steps", "evaluations", "iterations"):
            assert np.array_equal(here.statistics[name], there.statistics[name]), (name, options)
        names = ("q", "v", "acceleration")
        worst = max(worst, *(apart(here.part(x), there.part(x)) for x in names))
    return worst, len(cases)


def main():
    warnings.simplefilter("ignore", ls.SimulationWarning)
    from lissom.batches.device import cuda

    difference = evaluations()
    known = libraries()
    worst, count = runs()
    assert difference < 1e-10 and worst < 1e-10
    print(
        f"{cuda().name}: evaluations within {difference:.0e} of the CPU, {count} cases of runs "
        f"within {worst:.0e}, with the same counts; arrays of {', '.join(known)}"
    )


if __name__ == "__main__":
    main()
