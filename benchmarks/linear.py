"""Modes, linear models and equilibria of chains of flexible links, beside their arithmetic."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import eig

import lissom as ls

from .depth import Depth
from .drawing import Records, new_panels
from .result import Requirement, Result, Table
from .timing import Progress, best_times

MODES = 4
SIZES = {"quick": (5, 10), "normal": (5, 10, 20), "full": (5, 10, 20, 40)}
CALLS = ("equilibrium", "linearize", "modes", "eigenvalues", "derivatives")
DOUBLED = {"linearize": 3.0, "equilibrium": 3.5}  # times as long for twice as many links, at most
BESIDE = 12.0  # modes of ten links, in solutions of their eigenvalues
HEADER = ("links", "speeds", *CALLS, "modes over eigenvalues")

ABOUT = f"""A chain of links with {MODES} modes each, springs in its joints, a spring and a force on
nodes, about its equilibrium. *linearize* has one input and five outputs, *eigenvalues* are those of
its A with their vectors, *derivatives* those of forward dynamics. Process time of one call."""

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# (call, links) -> seconds
Times = dict[tuple[str, int], float]


def chain(n: int) -> tuple[ls.System, list[ls.Load]]:
    """Chain of n links, and its loads.

    Parameters
    ----------
    n : int
        Number of links.
    """
    beam = ls.beam(3.0 / n, ls.Tube(radius=0.03, thickness=0.002), ls.ALUMINIUM, modes=MODES)
    model = ls.Model("chain", gravity=(0, 0, -9.81))
    for i in range(n):
        place = {"to": f"link{i - 1}.tip"} if i else {}
        model.add(beam, ls.Revolute("y"), name=f"link{i}", **place)
    loads: list[ls.Load] = [ls.JointSpring(f"link{i}", 2000.0, damping=1.0) for i in range(n)]
    loads.append(ls.NodeSpring(f"link{n // 2}.tip", (1.5, 0, -0.5), stiffness=100.0))
    loads.append(ls.NodeForce(f"link{n - 1}.tip", (0, 0, -1.0)))
    return model.compile(), loads


def run(depth: Depth, progress: Progress) -> Result:
    """Times of equilibria, linear models and modes.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with the current activity.
    """
    sizes, times, speeds = SIZES[depth.name], Times(), dict[int, int]()
    for k, n in enumerate(sizes):
        progress(f"{n} links", k, len(sizes))
        calls, speeds[n] = _calls(n)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            times |= {(name, n): x for name, x in best_times(calls, depth).items()}
    rows = tuple(
        (
            n,
            speeds[n],
            *(1e3 * times[name, n] for name in CALLS),
            times["modes", n] / times["eigenvalues", n],
        )
        for n in sizes
    )
    return Result(
        name="linear",
        title="Linear models and modes",
        about=ABOUT,
        tables=(Table("Chains of flexible links [ms]", HEADER, rows),),
        requirements=tuple(_requirements(times, sizes)),
        records=tuple(
            {"call": name, "links": n, "seconds": seconds} for (name, n), seconds in times.items()
        ),
    )


def draw_linear(records: Records) -> Figure:
    """Time of each call against the number of links.

    Parameters
    ----------
    records : sequence of mapping
        Records of the result.
    """
    figure, ((panel,),) = new_panels(1, 1, (5.0, 3.2))
    for name, marker in zip(CALLS, "os^Dv", strict=True):
        rows = sorted((r for r in records if r["call"] == name), key=lambda r: r["links"])
        links, times = [r["links"] for r in rows], [1e3 * r["seconds"] for r in rows]
        panel.loglog(links, times, f"{marker}-", label=name)
    panel.set(xlabel="links", ylabel="ms")
    panel.legend(fontsize=7)
    return figure


def _calls(n: int) -> tuple[dict[str, Callable[[], object]], int]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        system, loads = chain(n)
        rest = ls.equilibrium(system, loads=loads)
    tip = f"link{n - 1}.tip"
    outputs = [f"{tip}.{name}" for name in ("position", "acceleration", "deflection")]
    outputs += ["link0", "link0.modes"]

    def model() -> ls.LinearModel:
        return ls.linearize(system, rest, loads=loads, inputs=["link0"], outputs=outputs)

    A = model().A
    evaluator, none = system.evaluator(), np.zeros(system.n_v)
    q, v = rest.q.copy(), rest.v.copy()
    return {
        "equilibrium": lambda: ls.equilibrium(system, loads=loads),
        "linearize": model,
        "modes": lambda: ls.modes(system, rest, loads=loads),
        "eigenvalues": lambda: eig(A),
        "derivatives": lambda: evaluator.forward_dynamics_derivatives(q, v, none),
    }, system.n_v


def _requirements(times: Times, sizes: tuple[int, ...]) -> list[Requirement]:
    found = []
    for name, bound in DOUBLED.items():
        ratio = times[name, 10] / times[name, 5]
        where = "10 links over 5"
        if 20 in sizes:
            ratio, where = times[name, 20] / times[name, 10], "20 links over 10"
        text = f"{name}: twice as many flexible links take"
        found.append(Requirement(f"linear, {name}", text, "at most", bound, ratio, where, unit="×"))
    ratio = times["modes", 10] / times["eigenvalues", 10]
    text = "modes of ten flexible links over their eigenvalues"
    found.append(
        Requirement("linear, modes", text, "at most", BESIDE, ratio, "10 links, 50 speeds", "×")
    )
    return found
