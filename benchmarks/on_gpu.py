"""Batches and runs on a GPU: evaluations per second, steps per second, beside the CPU and frax.

`python -m benchmarks.on_gpu FILE.json` on a machine with a GPU of NVIDIA; the table of the page on
GPUs is `python -m benchmarks.on_gpu --page FILE.json`.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

import lissom as ls
from lissom.algorithms.tree.packing import pack
from lissom.library import flexible_chain, humanoid, order_n, rigid_chain
from lissom.library.order_n_run import order_n_start
from lissom.selftest.versions import machine

SIZES = (1, 32, 1024, 32768, 262144, 2097152)
REPEATS, SECONDS = 3, 0.4
ROBOTS = {"Kuka iiwa": "iiwa/iiwa14.urdf", "Unitree G1": "unitree_g1/g1_29dof_rev_1_0.urdf"}


def mechanisms() -> dict[str, ls.System]:
    """Systems by name; robots where frax, whose files they are from, is installed."""
    found = {
        "rigid chain, 7 joints": rigid_chain(7),
        "rigid chain, 30 joints": rigid_chain(30),
        "2 links of 4 modes, full": flexible_chain(2, 4, "full"),
        "10 links of 4 modes": flexible_chain(10, 4),
        "10 links of 10 modes": flexible_chain(10, 10),
        "humanoid, 29 joints": humanoid(29),
    }
    systems = {name: model.compile() for name, model in found.items()}
    try:
        import frax
    except ImportError:
        return systems
    folder = Path(frax.__file__).parent / "assets"
    for name, file in ROBOTS.items():
        robot = ls.read_urdf(folder / file, meshes=False, merge_fixed=True)
        systems[name] = robot.model.compile()
    return systems


def states(system: ls.System, count: int) -> tuple[Any, Any, Any]:
    """Random states and forces, moderate deflections."""
    rng = np.random.default_rng(0)
    few = min(count, 4096)
    q = np.tile(system.neutral().q, (few, 1))
    v = 0.1 * rng.normal(size=(few, system.n_v))
    for name, joint in zip(system.names, system.joints, strict=True):
        if not joint.has_quaternion:
            piece = system.layout.hinge_q(name)
            q[:, piece] += rng.normal(size=(few, piece.stop - piece.start))
        piece = system.layout.modal_q(name)
        q[:, piece] = 1e-4 * rng.normal(size=(few, piece.stop - piece.start))
    f = rng.normal(size=(few, system.n_v))
    times = -(-count // few)
    return tuple(np.tile(x, (times, 1))[:count] for x in (q, v, f))  # type: ignore[return-value]


def best(call: Callable[[], Any], done: Callable[[], Any]) -> float:
    """Shortest of some calls [s]."""
    call()
    done()
    times: list[float] = []
    start = time.perf_counter()
    while len(times) < REPEATS or time.perf_counter() - start < SECONDS:
        begun = time.perf_counter()
        call()
        done()
        times.append(time.perf_counter() - begun)
    return min(times)


def evaluations(systems: dict[str, ls.System]) -> list[dict[str, Any]]:
    """Forward dynamics over batch sizes: calls with arrays on the GPU, checks included."""
    import cupy as cp

    rows = []
    for name, system in systems.items():
        here, there = ls.batch(system), ls.batch(system, device="cuda")
        q, v, f = states(system, 4096)
        expected = here.forward_dynamics(q, v, f)
        found = there.forward_dynamics(q, v, f)
        error = float(np.abs(found - expected).max() / np.abs(expected).max())
        row = {
            "mechanism": name,
            "error": error,
            "bytes": 8 * len(pack(system, compact=True).start),
        }
        wait = cp.cuda.get_current_stream().synchronize
        for count in SIZES:
            given = [cp.asarray(x) for x in states(system, count)]
            row[str(count)] = count / best(partial(there.forward_dynamics, *given), wait)
            del given
        one, many = ls.batch(system, threads=1), states(system, 65536)
        row["one core"] = 4096 / best(partial(one.forward_dynamics, q, v, f), int)
        row["all cores"] = 65536 / best(partial(here.forward_dynamics, *many), int)
        print(json.dumps(row), flush=True)
        rows.append(row)
    return rows


def runs() -> list[dict[str, Any]]:
    """Steps per second of whole runs, on the GPU, on one core and on all."""
    platform = order_n(1).compile()
    start = order_n_start(platform)
    cases = [
        ("flexible arm, 2 links of 4 modes, full", flexible_chain(2, 4, "full").compile(), None),
        ("Order-N platform, loops", platform, start),
        ("humanoid, 29 joints", humanoid(29).compile(), None),
    ]
    rows = []
    for name, system, state in cases:
        for integrator, step in (("rk4", 1e-4), ("generalized_alpha", 1e-3)):
            rows.append(_runs(name, system, state, integrator, step))
            print(json.dumps(rows[-1]), flush=True)
    return rows


def _runs(name: str, system: ls.System, state: Any, integrator: str, step: float) -> dict[str, Any]:
    def rate(count: int, steps: int, **where: Any) -> float:
        given = [state] * count if state is not None else states(system, count)[:2]
        options: dict[str, Any] = {"step": step, "integrator": integrator}
        begun = time.perf_counter()
        span = steps * step
        found = ls.simulate_batch(
            system, given, duration=span, output_step=span, **options, **where
        )
        seconds = time.perf_counter() - begun
        assert (found.status == "finished").all(), found.message[0]
        return count * steps / seconds

    few = 16 if state is not None else 64
    rate(32, 2, device="cuda")
    many, steps = (2048, 100) if state is not None else (16384, 100)
    found = {
        "mechanism": name,
        "integrator": integrator,
        "runs": many,
        "GPU": max(rate(many, steps, device="cuda") for _ in range(2)),
        "one core": rate(few, steps, threads=1),
        "all cores": rate(16 * few, steps),
    }
    return found


def frax_rates() -> list[dict[str, Any]]:
    """Forward dynamics of frax on the same robots, where it runs."""
    try:
        import jax

        jax.config.update("jax_enable_x64", True)
        from frax.robots.kuka_iiwa import load_iiwa
        from frax.robots.unitree_g1 import load_fixed_root_g1
    except Exception as error:
        return [{"frax": f"did not run: {type(error).__name__}: {error}"}]
    rows = []
    for name, load in (("Kuka iiwa", load_iiwa), ("Unitree G1", load_fixed_root_g1)):
        try:
            robot = load()
            n = robot.num_joints
            rng, count = np.random.default_rng(0), 131072
            given = [jax.numpy.asarray(rng.normal(size=(count, n))) for _ in range(3)]
            call = jax.jit(jax.vmap(partial(robot.forward_dynamics, fext=None)))
            seconds = best(partial(_finished, call, given), int)
            rows.append({"mechanism": name, "frax": count / seconds, "size": count})
        except Exception as error:
            rows.append({"mechanism": name, "frax": f"did not run: {error}"[:300]})
        print(json.dumps(rows[-1]), flush=True)
    return rows


def mjx_rates() -> list[dict[str, Any]]:
    """Forward dynamics of MuJoCo's MJX on the same robots, without contacts, where it runs."""
    try:
        import frax
        import jax
        import mujoco
        from mujoco import mjx
    except Exception as error:
        return [{"MJX": f"did not run: {type(error).__name__}: {error}"}]
    jax.config.update("jax_enable_x64", True)
    rows, folder = [], Path(frax.__file__).parent / "assets"
    for name, file in ROBOTS.items():
        text = (folder / file).read_text()
        text = re.sub(r"<(visual|collision|mujoco)\b.*?</\1>", "", text, flags=re.DOTALL)
        model = mujoco.MjModel.from_xml_string(text)
        off = mujoco.mjtDisableBit
        model.opt.disableflags |= off.mjDSBL_CONSTRAINT | off.mjDSBL_CONTACT
        there = mjx.put_model(model)
        data = mjx.make_data(there)

        def one(q: Any, v: Any, f: Any, there: Any = there, data: Any = data) -> Any:
            return mjx.forward(there, data.replace(qpos=q, qvel=v, qfrc_applied=f)).qacc

        rng, count = np.random.default_rng(0), 131072
        given = [jax.numpy.asarray(rng.normal(size=(count, model.nv))) for _ in range(3)]
        seconds = best(partial(_finished, jax.jit(jax.vmap(one)), given), int)
        rows.append({"mechanism": name, "MJX": count / seconds, "size": count})
        print(json.dumps(rows[-1]), flush=True)
    return rows


def _finished(call: Callable[..., Any], given: list[Any]) -> None:
    call(*given).block_until_ready()


def copy_rate() -> float:
    """Bytes read and written per second by a copy on the GPU."""
    import cupy as cp

    x = cp.zeros(1 << 28)
    y = cp.empty_like(x)
    seconds = best(lambda: cp.copyto(y, x), cp.cuda.get_current_stream().synchronize)
    return 2 * x.nbytes / seconds


def main() -> None:
    """Measure, or write the page's table."""
    if sys.argv[1] == "--page":
        print(page(json.loads(Path(sys.argv[2]).read_text())))
        return
    import cupy as cp

    found: dict[str, Any] = {"made": machine() | _gpu(cp)}
    steps = {
        "copy": copy_rate,
        "evaluations": lambda: evaluations(mechanisms()),
        "runs": runs,
        "frax": frax_rates,
        "MJX": mjx_rates,
    }
    for name, measure in steps.items():
        found[name] = measure()
        Path(sys.argv[1]).write_text(json.dumps(found, indent=1))


def _gpu(cp: Any) -> dict[str, str]:
    names = ("cupy-cuda12x", "cupy-cuda13x", "jax", "frax", "mujoco")
    return {
        "GPU": cp.cuda.runtime.getDeviceProperties(0)["name"].decode(),
        "driver": str(cp.cuda.runtime.driverGetVersion()),
        "cores": str(os.cpu_count()),
        "packages of the GPU": ", ".join(f"{x} {_version(x)}" for x in names if _version(x)),
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def page(found: dict[str, Any]) -> str:
    """Tables of a measurement in Markdown."""
    head = ["mechanism", *(f"{x:,}" for x in SIZES), "one core", "all cores", "error"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in found["evaluations"]:
        rates = [row[str(x)] for x in SIZES] + [row["one core"], row["all cores"]]
        cells = [row["mechanism"], *(f"{x / 1e6:.3g}" for x in rates), f"{row['error']:.0e}"]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "| runs | integrator | GPU | one core | all cores | GPU over all cores |"]
    lines.append("|---|---|---|---|---|---|")
    for row in found["runs"]:
        rates = [row["GPU"], row["one core"], row["all cores"]]
        cells = [row["mechanism"], row["integrator"], *(f"{x / 1e3:,.3g}" for x in rates)]
        cells.append(f"{row['GPU'] / row['all cores']:.3g}")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
