"""Rigid mechanisms in Drake beside lissom, Pinocchio and MuJoCo, in one run.

`pip install drake`, then `python -m benchmarks.with_drake FILE.json` measures on one thread, and
`python -m benchmarks.with_drake --page FILE.json` prints the tables of the page of comparisons.
"""

from __future__ import annotations

import functools
import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import lissom as ls
from lissom.library import humanoid, rigid_chain, turned_chain
from lissom.model import Model

from .cases import Case, moving_case
from .depth import FULL
from .peers.drake import Drake, DrakeTree
from .peers.result import PeerRun, differences
from .peers.runs import RIGID_TIP, STEP, rigid_peers, rigid_start
from .peers.twins import Call, Mujoco, Pinocchio, check_twin, disagreement
from .provenance import provenance
from .simulation.own_runs import best_runs, body_points, own_run
from .timing import best_times

MECHANISMS: dict[str, Model] = {
    "chain, 7 joints": rigid_chain(7),
    "turned chain, 7 joints": turned_chain(7),
    "humanoid, 30 joints": humanoid(30),
    "chain, 30 joints": rigid_chain(30),
    "chain, 100 joints": rigid_chain(100),
}
QUANTITIES = ("forward dynamics", "inverse dynamics", "mass matrix")
TREES = (7, 30)
METHODS = ("runge_kutta3", "runge_kutta5")
ROUNDS, DURATION = 6, 1.0  # [s]


def own_calls(case: Case) -> dict[str, Call]:
    """Calls of an evaluator with arrays, as Drake's plant takes them."""
    q, v, f = case.state.q.copy(), case.state.v.copy(), case.forces
    evaluator = case.system.evaluator()
    return {
        "forward dynamics": functools.partial(evaluator.forward_dynamics, q, v, f),
        "inverse dynamics": functools.partial(evaluator.inverse_dynamics, q, v, f),
        "mass matrix": functools.partial(evaluator.mass_matrix, q),
    }


def calls() -> list[dict[str, Any]]:
    """Microseconds of one call from Python, and the largest difference of the results."""
    rows = []
    for name, model in MECHANISMS.items():
        case = moving_case(model, 4)
        twin = Drake(model)
        check_twin(case, twin)
        timed: dict[tuple[str, str], Call] = {
            ("lissom", what): call for what, call in own_calls(case).items()
        }
        for peer in (twin, Pinocchio(model), Mujoco(model)):
            for (what, form), (call, size) in peer.calls(case).items():
                if size == 1 and form in ("call", "call, local"):
                    timed[peer.name, what] = call
        best = best_times(timed, FULL)
        for what in QUANTITIES:
            times = {who: 1e6 * s for (who, kind), s in best.items() if kind == what}
            rows.append({"mechanism": name, "quantity": what, **times})
        for row in rows[-len(QUANTITIES) :]:
            row["difference"] = disagreement(case, twin)
        print(json.dumps(rows[-3:]), flush=True)
    return rows


def simulations() -> list[dict[str, Any]]:
    """Milliseconds of a simulated second, and the distance of the tip from an accurate run."""
    rows = []
    for n in TREES:
        model, state = rigid_start(n)
        system = model.compile()
        tip = (system.names[-1], RIGID_TIP)
        start = functools.partial(
            own_run, system, body_points(system, [tip]), state, duration=DURATION
        )
        exact = start(integrator="dop853", rtol=1e-12, output_step=0.01)
        assert isinstance(exact, PeerRun)
        runs: dict[str, Any] = {
            "lissom, rk4": functools.partial(
                start, name="lissom, rk4", integrator="rk4", step=STEP, output_step=0.01
            )
        }
        for method in METHODS:
            tree = DrakeTree(model, state, tip, method)
            runs[tree.name] = functools.partial(tree.run, DURATION, STEP)
        peer = rigid_peers(n)["MuJoCo"]
        if peer is not None:
            runs["MuJoCo, rk4"] = functools.partial(peer.run, DURATION, STEP)
        for who, found in best_runs(runs, ROUNDS).items():
            error = differences(found, exact)["tip"]
            rows.append({"joints": n, "who": who, "ms": 1e3 * found.cost, "error": error})
            print(json.dumps(rows[-1]), flush=True)
    return rows


def page(found: dict[str, Any]) -> str:
    """Tables of a measurement in Markdown."""
    peers = ("Drake", "Pinocchio", "MuJoCo")
    lines = ["| one call from Python [µs] | lissom | " + " | ".join(peers) + " | differ by |"]
    lines.append("|---" * 6 + "|")
    for row in found["calls"]:
        times = [f"{row[who]:.3g}" if who in row else "–" for who in ("lissom", *peers)]
        name = f"{row['quantity']}, {row['mechanism']}"
        lines.append("| " + " | ".join([name, *times, f"{row['difference']:.0e}"]) + " |")
    lines += ["", "| joints | who | a simulated second [ms] | error of the tip [m] |"]
    lines.append("|---|---|---|---|")
    for row in found["simulations"]:
        lines.append(f"| {row['joints']} | {row['who']} | {row['ms']:.3g} | {row['error']:.0e} |")
    return "\n".join(lines)


def main() -> None:
    """Measure into a file, or print the tables of one."""
    *options, file = sys.argv[1:]
    if options == ["--page"]:
        print(page(json.loads(Path(file).read_text(encoding="utf-8"))))
        return
    facts = provenance() | {"drake": version("drake"), "lissom": ls.__version__}
    found = {"provenance": facts, "calls": calls(), "simulations": simulations()}
    Path(file).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
