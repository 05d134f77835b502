"""What the pages say that lissom does not do: when it was tried, and how it shows.

Each entry has the day, the places (page: words of the claim, see `tests/tools/claims.py`) and a
function that fails as soon as the claim is no longer true.  A new claim needs an entry; a claim
that is gone takes its entry with it.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import lissom as ls
from tests.samples.limited import arm, disk, linkage, own_joint, sled
from tests.tools.claims import ROOT


@dataclass(frozen=True)
class Entry:
    """A claim: function that shows it, day, and words by page."""

    check: Callable[[], Any]
    day: str
    places: Mapping[str, str]


REGISTER: list[Entry] = []


def claim(day: str, **places: str) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Enter a function; pages are keys, with two underscores for a folder."""

    def entered(check: Callable[[], Any]) -> Callable[[], Any]:
        named = {f"{key.replace('__', '/')}.md": words for key, words in places.items()}
        REGISTER.append(Entry(check, day, named))
        return check

    return entered


def no_public_name(pattern: str) -> None:
    """Check that no public name, parameter or key of model files has such a word."""
    names = set(ls.__all__)
    for name in ls.__all__:
        thing = getattr(ls, name)
        fields = inspect.isclass(thing) and hasattr(thing, "__dataclass_fields__")
        if inspect.isfunction(thing) or fields:
            names |= set(inspect.signature(thing).parameters)
    files = (ROOT / "docs/model_files.md").read_text(encoding="utf-8")
    names |= set(re.findall(r"`(\w+)`", files))
    assert [x for x in names if re.search(pattern, x, re.IGNORECASE)] == []


def refused(call: Callable[[], Any], words: str = "") -> None:
    """Check that a call raises an error of lissom that says so."""
    with pytest.raises(ls.LissomError, match=words):
        call()


@claim(
    "2026-11-19",
    README="No impacts and no contact that opens",
    comparison="No contact that opens",
    conventions="No contact that opens, and no impact",
    coming_from__mujoco="There is no contact here",
    coming_from__pinocchio="there is no collision detection",
    meshes="there is no contact",
)
def bodies_pass_through_each_other() -> None:
    """A box falls through another as it falls through nothing."""
    model = ls.Model("boxes", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Free(), name="falling", at=(0, 0, 2))
    model.add(ls.RigidBody.box(9.0, (3, 3, 1)), ls.Fixed(), name="ground")
    run = ls.simulate(model.compile(), duration=1.0)
    assert abs(run["falling.position"][-1, 2] - (2 - 9.81 / 2)) < 1e-6


@claim("2026-11-19", conventions="Contact that opens and closes, and impact between bodies")
def contacts_cannot_open() -> None:
    """A contact that rolls pulls the wheel down where it should lift off."""
    system = disk()
    refused(lambda: ls.simulate(system, duration=0.1, events=[_at(ls.Release("floor"))]), "floor")


@claim("2026-11-19", conventions="No fluids, no heat")
def nothing_is_named_after_fluids_and_heat() -> None:
    """Neither functions nor parameters."""
    no_public_name(r"fluid|buoy|hydro|aero|viscos|temperature|thermal|heat")


@claim("2026-11-19", conventions="Fluids, heat, control hardware")
def forces_are_computed_outside() -> None:
    """`forces` and `external` are there for what is not."""
    assert "forces" in inspect.signature(ls.simulate).parameters
    assert "external" in inspect.signature(ls.forward_dynamics).parameters
    no_public_name(r"hardware|ethercat|real_?time_io")


@claim("2026-11-19", coming_from__mujoco="MJCF is not read", coming_from__simscape_adams=".mnf")
def formats_of_others_are_refused() -> None:
    """MJCF and modal neutral files."""
    with TemporaryDirectory() as folder:
        for name, text in (("arm.xml", "<mujoco/>"), ("arm.mnf", "MNF")):
            path = Path(folder) / name
            path.write_text(text)
            refused(lambda path=path: ls.load(path))
            refused(lambda path=path: ls.load_body(path))


@claim(
    "2026-11-19",
    conventions="Small deformations",
    comparison="shells and solids of Exudyn and Chrono have no counterpart here",
)
def modes_are_linear_and_rods_are_not() -> None:
    """A hundred times the force bends a beam a hundred times as far, and a rod less."""
    far = []
    for make in (ls.beam, ls.rod):
        model = ls.Model("cantilever")
        body = make(1.0, ls.Circle(0.005), ls.STEEL)
        model.add(body, ls.Fixed(), name="arm")
        system, tip = model.compile(), []
        for force in (0.01, 1.0):
            load = ls.NodeForce("arm.tip", force=(0, 0, 30 * force))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ls.SimulationWarning)
                state = ls.equilibrium(system, loads=[load])
            tip.append(ls.pose(system, state, "arm.tip").position[2])
        far.append(tip[1] / tip[0])
    assert abs(far[0] - 100) < 1e-3 and far[1] < 99


@claim("2026-11-19", conventions="Geometric stiffening only where it is asked for")
def spin_raises_frequencies_at_level_stiffened_alone() -> None:
    """First frequency of flapping of a spinning beam."""
    values = {}
    for level in ("linear", "full", "stiffened"):
        for spin in (0.0, 30.0):
            model = ls.Model("blade")
            body = ls.beam(1.0, ls.Rectangle(0.05, 0.002), ls.STEEL, bending=(0, 3), level=level)
            model.add(body, ls.Revolute("z"), name="blade")
            system = model.compile()
            turning = system.state(**{"blade.rates": spin})
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                state = ls.trim(system, turning, held=["blade"]).state
                values[level, spin] = ls.modes(system, state, held=["blade"]).frequencies[0]
    for level in ("linear", "full"):
        assert values[level, 30.0] < 1.02 * values[level, 0.0]
    assert values["stiffened", 30.0] > 1.5 * values["stiffened", 0.0]


@claim("2026-11-19", conventions="No meshing and no solver for whole structures")
def nothing_makes_meshes() -> None:
    """Meshes come from files."""
    no_public_name(r"mesher|remesh|make_mesh|triangulate|tetrahedralize")


@claim("2026-11-19", comparison="No interactive simulator")
def runs_are_watched_and_not_touched() -> None:
    """Nothing of the live view pushes bodies."""
    no_public_name(r"interactive|mouse|perturb|pull_with")


@claim(
    "2026-11-19",
    conventions="No trajectory optimisation",
    comparison="No solver for optimal control",
)
def nothing_optimises_motions() -> None:
    """Gradients are there; who takes steps along them is SciPy."""
    no_public_name(r"optimi[sz]|collocation|shooting|\bmpc|ilqr|\bddp")
    assert callable(ls.gradient)


@claim("2026-11-19", conventions="No plasticity, no hysteresis, no thermal or piezoelectric modes")
def materials_are_linear() -> None:
    """Four numbers make a material."""
    no_public_name(r"plastic(?!s\b)|yield_stress|hystere|piezo|creep")
    names = set(inspect.signature(ls.Material).parameters)
    assert names == {"name", "youngs_modulus", "density", "poisson_ratio"}


@claim("2026-11-19", conventions="Gravity is constant, or of centres that stand still")
def gravity_is_constant_or_of_centres_that_stand_still() -> None:
    """A centre beside a constant gravity is refused, and so is one that moves."""
    refused(lambda: ls.simulate(sled(), duration=0.1, loads=[ls.CentralGravity(4e14)]))
    refused(lambda: ls.CentralGravity(4e14, center=lambda t: (4e8 * t, 0, 0)))


def _at(action: Any, time: float = 0.05) -> ls.Event:
    """Event at an instant."""
    return ls.Event(lambda t, _: t - time, action)


@claim(
    "2026-11-19",
    conventions="they cannot be opened or closed during a run",
    loops="Loops that open and close during a run",
)
def loops_do_not_open() -> None:
    """No action of an event takes a loop; couplings have constant ratios."""
    system, state = linkage()
    for action in (ls.Release("pin"), ls.Lock("pin")):
        refused(lambda x=action: ls.simulate(system, state, duration=0.1, events=[_at(x)]), "pin")
    model = ls.Model("cam")
    for name in ("a", "b"):
        model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Revolute("z"), name=name)
    refused(lambda: model.couple({"a": lambda q: q**2, "b": -1.0}, name="cam"))


@claim("2026-11-19", conventions="Loops stay closed** during a run")
def loops_stay_closed() -> None:
    """The gap of a linkage after a second."""
    system, state = linkage()
    run = ls.simulate(system, state, duration=1.0)
    assert np.abs(run["closure"]).max() < 1e-8


@claim("2026-11-19", conventions="One processor for one run")
def one_run_has_no_threads() -> None:
    """`simulate_batch` has them."""
    assert "threads" not in inspect.signature(ls.simulate).parameters
    assert "threads" in inspect.signature(ls.simulate_batch).parameters


@claim(
    "2026-11-19",
    conventions="Formulas of rods",
    rods="Symbolic equations refuse rods",
)
def rods_and_some_loops_have_no_formulas() -> None:
    """`symbolic.derive` of a rod, and of a loop with a compound joint."""
    model = ls.Model("rod")
    model.add(ls.rod(1.0, ls.Circle(0.01), ls.STEEL), ls.Fixed(), name="rod")
    refused(lambda: ls.symbolic.derive(model), "rod")
    joint = ls.CompoundJoint([*np.eye(6)[:3]])
    looped, _ = linkage(joint, compiled=False)
    refused(lambda: ls.symbolic.derive(looped))


@claim("2026-11-19", conventions="`energy` does not count springs, `momentum` not rotors")
def loads_are_not_part_of_the_mechanism() -> None:
    """None of these functions takes loads."""
    for function in (ls.energy, ls.momentum, ls.mass_matrix):
        assert "loads" not in inspect.signature(function).parameters


@claim("2026-11-19", conventions="Derivatives of users' functions of the state are differences")
def functions_that_jump_hold_up_iterations() -> None:
    """A function that nearly jumps holds up generalized-α, which is told with its name."""

    def steep(t: float, state: Any) -> float:
        return -20.0 * np.tanh(1e6 * (state["arm.rates"][0] + 10 * state["arm"][0]))

    relay = ls.Actuator("arm", steep, name="relay")
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # so that it ends the run
        with pytest.raises(ls.SimulationWarning, match="slowed down by relay"):
            ls.simulate(arm(), duration=2.0, loads=[relay], integrator="generalized_alpha")


@claim("2026-11-19", conventions='With `step=`, `"auto"` does not see the stiffness of springs')
def auto_with_a_step_does_not_see_springs_between_nodes() -> None:
    """It chooses explicit steps, which a spring on the joint of the same stiffness forbids."""
    stiff, chosen = 1e8, []
    for load in (ls.NodeSpring("sled", None, stiff), ls.JointSpring("sled", stiff)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = ls.simulate(sled(), duration=0.01, step=1e-3, loads=[load])
        chosen.append(run.statistics["chosen"])
    assert chosen[0] != chosen[1] and "generalized-alpha" in chosen[1]


@claim("2026-11-19", conventions="Generalized-α and linearly implicit Euler keep neither")
def generalized_alpha_loses_energy() -> None:
    """An oscillator over a hundred periods, at a twentieth of the period a step."""
    spring = ls.JointSpring("sled", (2 * np.pi) ** 2)
    run = ls.simulate(
        sled(), sled().state(sled=1.0), duration=100.0, step=0.05, loads=[spring],
        integrator="generalized_alpha", rtol=0.5,
    )  # fmt: skip
    total = run.energy.kinetic + run.energy.springs
    assert total[-1] < 0.99 * total[0]


@claim("2026-11-19", conventions="With a fixed step an event that passes zero twice within it")
def fixed_steps_pass_over_events() -> None:
    """Two passes in 0.2 s within a step of one second, and within adaptive ones."""
    event = ls.Event(lambda t, _: (t - 5.3) ** 2 - 1e-2, ())
    fixed = ls.simulate(sled(), duration=10.0, step=1.0, integrator="rk4", events=[event])
    assert len(fixed.events) == 0
    assert len(ls.simulate(sled(), duration=10.0, events=[event]).events) == 2


@claim("2026-11-19", conventions="A step is refused or divided when it fails")
def runs_that_creep_end() -> None:
    """A run of many short steps, with smaller limits of what is many."""
    spring, start = ls.JointSpring("sled", 1.0), sled().state(sled=0.5)
    options = {"duration": 300.0, "integrator": "dopri5", "rtol": 1e-12, "output_step": 100.0}
    stall = "lissom.sim.run.runner"
    with patch(f"{stall}.STALL_STEPS", 20), patch(f"{stall}.TOO_MANY_STEPS", 1000):
        with pytest.warns(ls.SimulationWarning, match="too small to reach the end"):
            run = ls.simulate(sled(), start, loads=[spring], **options)
    assert run.status == "stalled"


@claim(
    "2026-11-19",
    conventions="The joint that closes a loop has no coordinates in the state",
    loops="A loop's joint has no coordinates in the state",
)
def joints_of_loops_take_no_motions() -> None:
    """Given motions, servos, rotors, locks and events on the joint of a loop."""
    system, state = linkage()
    for load in (
        ls.Motion("pin", position=0.0),
        ls.Servo("pin", 0.0, kp=1.0, kd=0.0),
        ls.Rotor("pin", inertia=1.0, speed=1.0),
    ):
        refused(lambda x=load: ls.simulate(system, state, duration=0.1, loads=[x]), "pin")
    for event in (ls.Event("pin", ls.Stop()), _at(ls.Lock("pin"))):
        refused(lambda x=event: ls.simulate(system, state, duration=0.1, events=[x]), "pin")
    refused(lambda: system.state(pin=1.0), "pin")


@claim("2026-11-19", conventions="Positions in which the equations of closure lose rank")
def a_flat_parallelogram_has_no_one_branch() -> None:
    """Its closure has one rank less than elsewhere."""
    ranks = []
    for angle in (0.0, 1.0):
        model = ls.Model("parallelogram")
        body = ls.RigidBody(1.0, (0.5, 0, 0), (0.1, 0.1, 0.1))
        model.add(body, ls.Revolute("y"), name="a")
        model.add(body, ls.Revolute("y"), to="a", at=(1, 0, 0), name="b")
        model.add(body, ls.Revolute("y"), name="c", at=(1, 0, 0))
        model.close(ls.Revolute("y"), "b", "c", name="pin", at_a=(1, 0, 0), at_b=(1, 0, 0))
        system = model.compile()
        jacobian = ls.closure(system, system.state(a=angle, b=-angle, c=angle)).jacobian
        ranks.append(np.linalg.matrix_rank(jacobian, tol=1e-9))
    assert ranks[0] < ranks[1]


@claim(
    "2026-11-19",
    conventions="`inverse_dynamics_batch` and `nodal_forward_dynamics` refuse loops",
    loops="functions that know trees only refuse them",
)
def some_functions_know_trees_only() -> None:
    """And those named with them are about the tree."""
    system, state = linkage()
    rows = state.q[None], state.v[None], np.zeros((1, system.n_v))
    refused(lambda: ls.inverse_dynamics_batch(system, *rows), "trees only")
    values = ls.batch(system).inverse_dynamics(*rows, actuated=["crank"])
    assert values.shape == (1, system.n_v)
    refused(lambda: ls.nodal_forward_dynamics(system, state, {}), "loop|trees")
    tree, _ = linkage(None)
    assert np.allclose(ls.mass_matrix(system, state), ls.mass_matrix(tree, (state.q, state.v)))


@claim(
    "2026-11-19",
    conventions="The closure is for real numbers",
    loops="Symbols and complex numbers: the closure needs real ones",
)
def closure_takes_real_numbers() -> None:
    """Complex steps and symbols in coordinates."""
    import sympy

    system, state = linkage()
    for first in (state.q[0] + 1e-20j, sympy.Symbol("x")):
        moved = system.state([first, *state.q[1:]])
        refused(lambda x=moved: ls.closure(system, x), "real")
        refused(lambda x=moved: ls.forward_dynamics(system, x), "real")


@claim("2026-11-19", loops="Contacts between curved surfaces, wheels with a round edge")
def contacts_are_three() -> None:
    """Disk, ball and skate, on a plane."""
    kinds = {x.__name__ for x in ls.ClosedContact.__subclasses__()}
    kinds |= {y.__name__ for x in ls.ClosedContact.__subclasses__() for y in x.__subclasses__()}
    assert {x for x in kinds if not x.startswith("_")} == {"Rolling", "RollingBall", "Skate"}


@claim("2026-11-19", loops="Couplings with backlash, elasticity or friction of their own")
def couplings_are_rigid() -> None:
    """Ratios, an offset and a name are all of a coupling."""
    names = set(inspect.signature(ls.Model.couple).parameters)
    assert names == {"self", "ratios", "offset", "name"}


@claim("2026-11-19", conventions="have a singular configuration, like every three-angle")
def three_angles_are_singular() -> None:
    """The second of three turns at a right angle."""
    joint = ls.SimpleJoint(np.eye(6)[:3].T)
    model = ls.Model("angles")
    model.add(ls.RigidBody.box(1.0, (1, 2, 3)), joint, name="body")
    system = model.compile()
    sizes = []
    for angle in (0.3, np.pi / 2 - 1e-4):
        rate = ls.qdot(system, system.state([0.2, angle, 0.1], [1.0, 1.0, 1.0]))
        sizes.append(np.abs(rate).max())
    assert sizes[1] > 1e3 * sizes[0]


@claim("2026-11-19", conventions="refuses one whose norm is off by more than 1e-3")
def quaternions_far_from_unit_length_are_refused() -> None:
    """And those near are taken."""
    model = ls.Model("ball")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Spherical(), name="ball")
    system = model.compile()
    system.state(ball=[1.0005, 0, 0, 0])
    refused(lambda: system.state(ball=[1.002, 0, 0, 0]))


@claim("2026-11-19", conventions="not the ones that the shapes were given in")
def modal_coordinates_are_normalised() -> None:
    """Shapes of twice the size are the same body."""
    shapes = np.zeros((2, 6, 1))
    shapes[1, 5, 0] = 1.0
    values = []
    for factor in (1.0, 2.0):
        body = ls.FlexibleBody(
            np.array([[0.0, 0, 0], [1, 0, 0]]), np.array([0.0, 2.0]), factor * shapes,
            np.array([factor**2 * 50.0]),
        )  # fmt: skip
        model = ls.Model("spring")
        model.add(body, ls.Fixed(), name="arm")
        system = model.compile()
        values.append(ls.mass_matrix(system, system.neutral()))
    assert np.allclose(values, 1.0)


@claim("2026-11-19", finite_element_files="whose elements are not read")
def elements_of_nastran_are_not_read() -> None:
    """Cards of elements are listed as unused."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "solid.bdf"
        grids = "".join(f"GRID,{k + 1},,{k % 2}.,{k // 2 % 2}.,{k // 4}.\n" for k in range(8))
        path.write_text(f"{grids}CTETRA,1,1,1,2,3,5\nENDDATA\n")
        assert any("CTETRA" in x for x in ls.read_bulk(path).unused)


@claim("2026-11-19", linear="has no steady motion")
def linkages_that_turn_have_no_steady_motion() -> None:
    """`trim` of a crank and rocker."""
    system, _ = linkage()
    drive = ls.Motion("crank", velocity=3.0)
    refused(lambda: ls.trim(system, loads=[drive]))


@claim(
    "2026-11-19",
    linear="Contacts (rolling, skates) have no derivatives, and joints of your own only on trees",
    theory__derivatives="Contacts (rolling, skates) are refused by name",
)
def contacts_have_no_derivatives() -> None:
    """`linearize` and the derivatives of forward dynamics."""
    system = disk()
    refused(lambda: ls.linearize(system, system.neutral()), "floor|contact|Rolling")
    refused(lambda: ls.forward_dynamics_derivatives(system, system.neutral()), "floor|Rolling")


@claim("2026-11-19", theory__derivatives="Joints of your own classes are differentiated")
def own_joints_have_derivatives_on_trees_alone() -> None:
    """The same joint in a tree and in a loop."""
    tree, start = linkage(None, crank=own_joint())
    ls.forward_dynamics_derivatives(tree, start)
    system, state = linkage(crank=own_joint())
    refused(lambda: ls.forward_dynamics_derivatives(system, state), "crank")


@claim("2026-11-19", linear="of one instant, too: blades on a tower that bends")
def equations_that_turn_with_a_rotor_are_told() -> None:
    """A blade on a lag hinge around a hub on a spring: `modes` warns."""
    model = ls.Model("rotor")
    model.add(ls.RigidBody.box(6.0, (1, 1, 1)), ls.Prismatic("x"), name="tower")
    model.add(ls.RigidBody.box(3.0, (1, 1, 1)), ls.Revolute("z"), to="tower", name="rotor")
    blade = ls.RigidBody.rod(1.0, 2.0, com=(1.0, 0, 0))
    for k, name in enumerate(("one", "two")):
        turn = {"axis": "z", "angle": np.pi * k}
        root = ((-1.0) ** k * 0.3, 0, 0)
        model.add(blade, ls.Revolute("z"), to="rotor", at=root, rotation=turn, name=name)
    system = model.compile()
    loads = [ls.JointSpring(name, 100.0) for name in ("tower", "one", "two")]
    state = system.state(**{"rotor.rates": 2.0})
    with pytest.warns(ls.SimulationWarning, match="the equations change"):
        ls.modes(system, state, loads=loads, held=["rotor"])


@claim("2026-11-19", linear="About a motion that is not steady, the model is that of one instant")
def models_of_instants_are_told() -> None:
    """`modes` in a state that accelerates warns."""
    system = arm()
    with pytest.warns(ls.SimulationWarning, match="no equilibrium and no steady motion"):
        ls.modes(system, system.state(arm=0.3))


@claim("2026-11-19", loops="A state with open loops is refused by everything")
def open_loops_are_refused() -> None:
    """Functions that need them closed."""
    system, _ = linkage()
    for call in (
        lambda: ls.forward_dynamics(system, system.neutral()),
        lambda: ls.simulate(system, system.neutral(), duration=0.1),
        lambda: ls.linearize(system, system.neutral()),
    ):
        refused(call, "pin")


@claim("2026-11-19", rods="Explicit steps must resolve the highest frequency")
def explicit_steps_of_rods_are_short() -> None:
    """Steps of 10 ms end an explicit run of a soft rod, and carry an implicit one."""
    model = ls.Model("rod", gravity=(0, 0, -9.81))
    model.add(ls.rod(1.0, ls.Circle(0.01), ls.STEEL), ls.Fixed(), name="rod")
    system, status = model.compile(), []
    for integrator in ("rk4", "generalized_alpha"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = ls.simulate(system, duration=0.2, step=0.01, integrator=integrator)
        status.append(run.status)
    assert status[0] != "finished" and status[1] == "finished"


@claim("2026-11-19", sensitivities="There is no formula for that here")
def lengths_are_differentiated_by_differences() -> None:
    """No parameter is the length of a link."""
    refused(lambda: ls.design_derivatives(arm(), arm().neutral(), ["arm.length"]), "arm.length")


@claim(
    "2026-11-19",
    sensitivities="generalized-α, contacts and given motions with loops are refused",
)
def sensitivities_with_loops_are_explicit() -> None:
    """Generalized-α, contacts, given motions."""
    system, state = linkage()
    short = {"duration": 0.01, "step": 1e-3, "parameters": "crank.mass"}
    refused(lambda: ls.sensitivity(system, state, integrator="generalized_alpha", **short), "loops")
    drive = [ls.Motion("crank", position=ls.Table([0, 1], [state.q[0]] * 2, "smooth"))]
    refused(lambda: ls.sensitivity(system, state, loads=drive, **short))
    rolling = disk()
    refused(
        lambda: ls.sensitivity(rolling, rolling.neutral(), **short | {"parameters": "disk.mass"})
    )


@claim("2026-11-19", sensitivities="have no formula for their derivatives here")
def open_states_have_no_derivatives() -> None:
    """Beside closed positions there is an error, not a number."""
    system, state = linkage()
    beside = system.state(state.q + np.array([1e-3, 0, 0]))
    refused(lambda: ls.forward_dynamics_derivatives(system, beside), "pin")


@claim("2026-11-19", **{"sensitivities": "places of joints and lengths would open the loops"})
def places_would_open_loops() -> None:
    """The place of a joint in a linkage."""
    system, state = linkage()
    refused(
        lambda: ls.sensitivity(system, state, duration=0.01, step=1e-3, parameters="rod.at"), "rod"
    )


@claim("2026-11-19", simulation="Implicit steps have no derivatives of `Rotor`")
def wheels_have_no_derivatives_of_the_users() -> None:
    """A wheel takes no function with derivatives."""
    with_slopes = ls.WithDerivatives(lambda t, s: [0.0], lambda t, s: (np.zeros(1), np.zeros(1)))
    refused(
        lambda: ls.simulate(sled(), duration=0.1, loads=[ls.Rotor("sled", 1.0, torque=with_slopes)])
    )
