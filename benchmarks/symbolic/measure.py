"""Symbolic equations of motion: derivation compared with SymPy, execution with the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy

from ..depth import Depth
from ..result import Result
from ..timing import Progress
from .c import FLAGS, c_compiler, compiler_version
from .cases import KINDS, Mechanism, arm, chain
from .derivations import derivation_records, growth_records, ten_record, written_record
from .programs import mechanisms, program_records
from .tables import (
    growth_table,
    large_table,
    operations_table,
    program_tables,
    requirements,
    seconds_table,
)


@dataclass(frozen=True)
class Plan:
    """Extent of the derivations and compilations.

    Parameters
    ----------
    links : mapping of str to tuple of int
        Links of the chains that SymPy derives, by method.
    enough : float
        CPU time after which a mechanism is not derived again in the same way [s].
    basic : bool
        Whether SymPy also shortens with its slower option.
    arm : bool
        Whether the arm is derived and its program run too.
    ten : int
        Links of the chain that lissom alone derives.
    kinds : tuple of str
        Kinds of the chains whose forward dynamics is counted.
    bodies : tuple of int
        Numbers of bodies of these chains; the last is written as C.
    joints : tuple of int
        Numbers of joints of the chains whose programs are run.
    numba : int
        Largest number of speeds for which Numba compiles programs.
    """

    links: Mapping[str, tuple[int, ...]]
    enough: float
    basic: bool
    arm: bool
    ten: int
    kinds: tuple[str, ...]
    bodies: tuple[int, ...]
    joints: tuple[int, ...]
    numba: int


PLANS = {
    "quick": Plan(
        links={"Kane": (2, 3), "Lagrange": (2,)},
        enough=0.05,
        basic=False,
        arm=False,
        ten=4,
        kinds=KINDS,
        bodies=(2, 4),
        joints=(2,),
        numba=2,
    ),
    "normal": Plan(
        links={"Kane": (2, 3, 4), "Lagrange": (2, 3)},
        enough=0.1,
        basic=False,
        arm=True,
        ten=10,
        kinds=KINDS[:1],
        bodies=(10, 20, 30),
        joints=(3, 7),
        numba=3,
    ),
    "full": Plan(
        links={"Kane": (2, 3, 4, 5), "Lagrange": (2, 3, 4)},
        enough=2.0,
        basic=True,
        arm=True,
        ten=10,
        kinds=KINDS,
        bodies=(10, 20, 30),
        joints=(3, 7, 30),
        numba=30,
    ),
}

ABOUT = """Equations of motion as formulas, in three comparisons.

*Deriving*: chains of revolute joints about z and y in turn, with symbols for masses, places of
joints and centres of mass, principal inertias and gravity; in a *general* chain these places are
anywhere in a link (three symbols each), in a *straight* one on its x-axis (one symbol). And the
arm of Kwatny & Blankenship with its six freedoms, with the paper's numbers. lissom derives mass
matrix and bias and gives them as a list of assignments (`derive(model).staged("mass", "bias")`).
SymPy {sympy} derives the same with `KanesMethod` and `LagrangesMethod`, whose speeds are the rates
of the coordinates here as they are in lissom, and shortens them with `sympy.cse`; its times include
both. Operations are counted by one function for all, over assignments and results, one triangle of
the mass matrix. All of them are evaluated at a random state and shown to give the same numbers
before they are compared. Each starts with empty caches of SymPy, after a first derivation that is
not counted.

*Large chains*: general and straight ones that are too long for SymPy. Formulas for forward dynamics
are the recursion over the bodies, so that they grow linearly.

*Programs*: forward dynamics, inverse dynamics and mass matrix of mechanisms with numbers, as
generated programs and by the engine, which needs no generated program. Times are microseconds per
state: of the generated C in a C loop over many states ({compiler}), of the generated function
for Numba in a compiled loop, of the generated functions for NumPy and CasADi (its virtual machine)
with all states in one call, and of the engine in a batch and in a call from Python. A generated
program writes the whole mass matrix, the engine's batch one triangle. Differences are relative to
the largest entry of a state's result by the engine, over the batch; the arm's accelerations lose
digits where two axes of its wrist nearly coincide."""


def run(depth: Depth, progress: Progress) -> Result:
    """Cost of deriving equations, and of running the generated programs.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with the current activity.
    """
    plan, compiler = PLANS[depth.name], c_compiler()
    tell = _Teller(progress, _steps(plan))
    records = derivation_records(_derived(plan), enough=plan.enough, basic=plan.basic, tell=tell)
    tell(f"{plan.ten} links")
    records.append(ten_record(plan.ten))
    records += growth_records([chain(n, kind) for kind in plan.kinds for n in plan.bodies], tell)
    tell(f"C program of {plan.bodies[-1]} bodies")
    records.append(written_record(plan.bodies[-1]))
    models = mechanisms(plan.joints, with_arm=plan.arm)
    kept = (*records, *program_records(models, plan.numba, depth, tell))
    tell("symbolic equations")
    missing = "" if compiler else "No C compiler (cc) was found, so C was not measured."
    version = compiler_version(compiler) if compiler else "no C compiler was found"
    return Result(
        name="symbolic",
        title="Symbolic equations",
        about=ABOUT.format(
            sympy=sympy.__version__, compiler=f"`{' '.join(('cc', *FLAGS))}`, {version}"
        ),
        tables=(
            seconds_table(kept),
            operations_table(kept),
            large_table(kept),
            growth_table(kept),
            *program_tables(kept, missing),
        ),
        requirements=requirements(kept),
        records=kept,
    )


def _derived(plan: Plan) -> list[tuple[Mechanism, list[str]]]:
    """Mechanisms, and the ways by which they are derived."""
    sizes = sorted({n for numbers in plan.links.values() for n in numbers})
    found = [
        (chain(n, kind), ["lissom", *(way for way in plan.links if n in plan.links[way])])
        for kind in KINDS
        for n in sizes
    ]
    return [*found, (arm(), ["lissom", "Kane"])] if plan.arm else found


def _steps(plan: Plan) -> int:
    programs = 2 * (len(plan.joints) + plan.arm)
    return len(_derived(plan)) + 1 + len(plan.kinds) * len(plan.bodies) + 1 + programs


class _Teller:
    """Function that reports progress by one step per call."""

    def __init__(self, progress: Progress, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0

    def __call__(self, what: str) -> None:
        self.progress(what, min(self.done, self.total), self.total)
        self.done += 1
