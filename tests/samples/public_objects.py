"""At least one object of every class of the API pages, for tests of what they print."""

from __future__ import annotations

import importlib
import math
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
import sympy

import lissom as ls
from lissom.bodies.residual import ResidualCompliance
from lissom.sim.events.gap import GapPoints
from lissom.viz.view.following import live
from tests.samples.nodal_bodies import Bar, frame_element

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
SWEEP = """
[sweep]
samples = 2
[sweep.parameters]
"parts.payload.body.mass" = { kind = "uniform", low = "3 kg", high = "4 kg" }
"""
BIG = 120  # nodes, coordinates or entries of what is large


def documented_classes() -> dict[str, type]:
    """Classes of the pages of the API by the name that these use."""
    pages = [ROOT / "docs" / "api.md", *sorted((ROOT / "docs" / "api").glob("*.md"))]
    text = "\n".join(page.read_text("utf-8") for page in pages)
    names = re.findall(r"autoclass:: (\S+)", text)
    return {name.removeprefix("lissom."): _found(name) for name in names}


def _found(name: str) -> type:
    parts = name.split(".")
    for k in range(len(parts) - 1, 0, -1):
        try:
            thing: Any = importlib.import_module(".".join(parts[:k]))
        except ImportError:
            continue
        for part in parts[k:]:
            thing = getattr(thing, part)
        return thing
    raise AssertionError(name)


def mechanism() -> ls.Model:
    """Crane: rigid and flexible bodies, a rod, a loop, a coupling and a frame."""
    model = ls.Model("crane", gravity=(0, 0, -9.81))
    box = ls.RigidBody.box(8.0, (0.2, 0.2, 0.4), com=(0, 0, 0.2))
    tube = ls.Tube(radius=0.03, thickness=0.003)
    model.add(box, ls.Revolute("z"), name="column")
    model.add(ls.beam(2.0, tube, ls.STEEL, modes=4), ls.Revolute("y"), to="column", name="boom")
    model.add(ls.RigidBody.sphere(2.0, 0.1), ls.Spherical(), to="boom.tip", name="load")
    model.add(ls.rod(1.0, ls.Circle(0.01), ls.STEEL), ls.Fixed(), to="load", name="rope")
    model.add(box, ls.Prismatic("x"), name="drawer")
    model.add(box, ls.Prismatic("x"), at=(0, 1, 0), name="carriage")
    model.close(ls.Cylindrical("x"), "drawer", None, name="guide")
    model.couple({"column": 1.0, "carriage": -2.0}, name="gear")
    model.frame("hook", on="load", at=(0, 0, -0.1))
    return model


def public_objects(folder: Path) -> Iterator[Any]:
    """At least one object of every class of the pages of the API, small ones and large ones.

    Parameters
    ----------
    folder : Path
        Empty folder for files.
    """
    model = mechanism()
    system = model.compile()
    state = system.neutral()
    tree = ls.library.flexible_chain(2, modes=3).compile()
    rest = tree.neutral()
    yield from (model, ls.Part("boom", "tip"), system, state, system.layout)
    yield from _described(model, system)
    yield from _bodies(system)
    yield from _joints()
    yield from _structures()
    yield from _dynamics(system, state, tree, rest)
    yield from _nodal()
    yield from _readings(tree, rest)
    yield from _loads()
    yield from _contacts()
    yield from _runs(system, tree, rest, folder)
    yield from _linear(tree, rest)
    yield from _files(folder)
    yield from _equations()


def _described(model: ls.Model, system: ls.System) -> Iterator[Any]:
    yield from (system.loops[0], system.loops[0].a, system.couplings[0], system.frames[0])
    yield from list(model._parts.values())[:2]
    yield from (*model._loops.values(), *model._couplings.values(), *model._frames.values())


def _bodies(system: ls.System) -> Iterator[Any]:
    solids, mesh = ls.solids, np.arange(3 * BIG).reshape(BIG, 3)
    yield ls.RigidBody(2.0, com=(0.1, 0, 0), inertia=(1, 2, 3), solids=solids.Box((1, 1, 1)))
    yield ls.RigidBody.cylinder(1.0, radius=0.1, length=1.0)
    boom = ls.beam(2.0, ls.Tube(radius=0.03, thickness=0.003), ls.STEEL, modes=4)
    yield from (boom, boom.report(), system.bodies[0], system.bodies[1], system.bodies[3])
    rod = ls.rod(1.0, ls.Circle(0.01), ls.STEEL)
    yield from (rod, rod.tables, system.bodies[3].rod)
    shapes = {1: np.ones((BIG, BIG))}
    yield ls.SecondOrder(np.ones((BIG, BIG, 3)), np.ones((BIG, BIG, 3, 3)), shapes)
    yield from (solids.Box((1, 2, 3), color="#123456"), solids.Cylinder(0.1, 1.0), solids.Sphere(1))
    yield solids.Mesh(np.random.default_rng(0).random((BIG, 3)), mesh % BIG)
    yield from (*boom.solids, solids.Surface(mesh % 7, range(7)))


def _contacts() -> Iterator[Any]:
    shapes, angles = ls.shapes, np.linspace(0, 2 * np.pi, 12, endpoint=False)
    ball, wall = shapes.Sphere(0.1), shapes.HalfSpace(at=(0, 0, -1))
    yield from (ball, wall, shapes.Capsule(0.1, 0.4), shapes.Box((1, 2, 3), rounding=0.1))
    yield from (shapes.Cylinder(0.1, 1.0, rim=0.01), shapes.Shell(1.0), shapes.Bore(0.1))
    yield shapes.Curve(np.column_stack([np.cos(angles), 2 * np.sin(angles)]))
    yield shapes.HeightField(np.arange(5.0), np.arange(6.0), np.ones((5, 6)))
    yield shapes.Face([(0, 0), (1, 0), (0, 1)])
    law, friction = ls.Hertz(material=ls.STEEL, restitution=0.8), ls.Friction(0.3, 0.2)
    yield from (law, friction, ls.LinearContact(1e5), ls.Impact(1e8, 1.5, 1e3, 1e-4))
    yield from (ls.LineContact(0.1, material=ls.STEEL), ls.TableContact([0, 1, 2], [0, 1, 3]))
    yield from (ls.PressureField(1e9), ls.RigidImpact(0.8, 0.1))
    model = ls.Model("ball", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.sphere(1.0, 0.1), ls.Prismatic("z"), name="ball")
    model.add_shape(ball, on="ball", name="shell")
    system = model.compile()
    yield from (*model.shapes.values(), *system.shapes, ls.Gap("shell", wall))
    yield ls.Contact("shell", wall, law, friction)
    yield ls.Contacts(["shell", wall], law=law)
    strike = ls.Event(ls.Gap("shell", wall), ls.RigidImpact(0.5))
    run = ls.simulate(system, duration=0.5, events=[strike], progress=False)
    yield from (run.events[0], run.events[0].impulses[0])
    touched = ls.simulate(system, duration=0.5, loads=[ls.Contact("shell", wall, law)])
    yield touched.events[0].touch
    yield from (ResidualCompliance((4,), np.eye(3)), GapPoints([], 0, ("ball", "floor")))


def _joints() -> Iterator[Any]:
    yield from (ls.Fixed(), ls.Revolute("z"), ls.Prismatic((0, 3, 4)), ls.Screw("x", 0.01))
    yield from (ls.Cylindrical("y"), ls.Universal("x", "y"), ls.Spherical(), ls.Planar("z"))
    yield from (ls.Free(), ls.SimpleJoint(np.eye(6)[:, 3:5]), ls.CompoundJoint([np.eye(6)[2]]))
    yield from (ls.Turn(0, np.eye(3)[2]), ls.Slide(1, np.eye(3)[0]), ls.Twist(0, np.eye(6)[0]))
    yield from (ls.Rolling(0.3, axis=(0, 1, 0)), ls.RollingBall(0.1), ls.Skate((1, 0, 0)))
    yield ls.Skate((1, 0, 0)).touch(np.eye(3), np.zeros(3), np.zeros(6))


def _structures() -> Iterator[Any]:
    tube = ls.Tube(radius=0.03, thickness=0.003)
    yield from (tube, ls.Circle(0.01), ls.Rectangle(0.02, 0.01), ls.STEEL)
    yield from (ls.ISection(width=0.1, height=0.2, flange=0.01, web=0.006), tube.stress_points())
    yield ls.GeneralSection(1e-3, 2e-7, 1e-7, 5e-8)
    yield from (ls.Member(0, 1, tube, ls.STEEL), ls.Patch(ls.regions.plane("x", 0.0)))
    ends = {"root": ls.Interface([0, 0, 0], [0]), "tip": ls.Interface([1, 0, 0], [BIG - 1])}
    places, freedoms = np.zeros((BIG, 3)), np.arange(6 * BIG).reshape(BIG, 6)
    places[:, 0] = np.linspace(0, 1, BIG)
    unit = scipy.sparse.identity(6 * BIG, format="csr")
    yield ls.Structure("frame", places, freedoms, unit, unit, ends)
    yield from ends.values()


def _dynamics(system: ls.System, state: ls.State, tree: ls.System, rest: ls.State) -> Iterator[Any]:
    yield ls.forward_dynamics_derivatives(tree, rest)
    yield ls.inverse_dynamics_derivatives(tree, rest, np.zeros(tree.n_v))
    yield ls.frame_derivatives(tree, rest, "link1.tip", np.zeros(tree.n_v))
    yield from (ls.Evaluator(tree), ls.DesignParameter("length", math.sqrt, 0.8))
    rigid = ls.library.rigid_chain(8).compile()
    yield ls.inertial_regressor(rigid, rigid.neutral(), np.zeros(rigid.n_v))
    yield ls.design_derivatives(tree, rest, ["gravity", "link1.stiffness"])
    push = ls.Actuator("link1", ls.Table([0, 0.005, 0.01], [0, 1, 0]))
    run = {"duration": 0.01, "step": 0.005, "parameters": "gravity", "controls": [push]}
    yield ls.sensitivity(tree, rest, **run)
    yield ls.gradient(tree, rest, _last_speed, **run)
    loads = [ls.JointSpring("link1", 3.0)]
    yield ls.load_derivatives(tree, rest, loads)
    closure = ls.closure(system, state)
    yield from (closure, closure["guide"], closure["gear"], closure.independent)
    target = ls.Target(position=(1.0, 0.5, 0.2), rotation=np.eye(3))
    yield from (target, ls.reach(rigid, None, {"link7": ls.Target(position=(4.0, 0.5, 0.1))}))
    yield from (ls.pose(tree, rest, "link1.tip"), ls.energy(tree, rest))
    op = ls.operators(tree, rest)
    yield from (op, op.mass)


def _last_speed(time: Any, q: Any, v: Any) -> Any:
    by_v = np.zeros_like(v)
    by_v[-1, 0] = 1.0
    return v[-1, 0], np.zeros_like(q), by_v


def _nodal() -> Iterator[Any]:
    bar, n = Bar(), 6
    K, M = np.zeros((6 * n, 6 * n)), np.full(n, 0.2)
    for k in range(n - 1):
        at = slice(6 * k, 6 * k + 12)
        K[at, at] += frame_element(bar, 0.4)[0]
    places = np.zeros((n, 3))
    places[:, 0] = 0.4 * np.arange(n)
    inertias = np.full((n, 3, 3), 1e-3 * np.eye(3))
    body = ls.NodalBody(places, M, K, node_inertias=inertias, names={"tip": n - 1})
    model = ls.Model("boom")
    model.add(body.to_modal(), ls.Revolute("y"), name="boom")
    system = model.compile()
    state, given = system.neutral(), {"boom": body}
    found = ls.nodal_forward_dynamics(system, state, given)
    joint, freedoms = found.accelerations["boom"].joint, found.accelerations["boom"].freedoms
    need = ls.nodal_inverse_dynamics(
        system, state, given, {"boom": joint}, freedoms={"boom": freedoms}
    )
    yield from (body, found, need["boom"], ls.nodal_operators(system, state, given))
    yield from (ls.operators(system, state).nodal_terms("boom"), *found.gains.values())


def _readings(tree: ls.System, rest: ls.State) -> Iterator[Any]:
    problem = ls.optimal_control_dual(tree, rest)
    solution = ls.solve_lq(problem)
    yield from (problem, solution, ls.constraint_forces(problem, solution))
    yield ls.filter_and_smoother(tree, rest)


def _loads() -> Iterator[Any]:
    table = ls.Table(np.linspace(0, 1, BIG), np.zeros((BIG, 3)))
    yield from (table, ls.Table([0, 1], [0, 5], "smooth"))
    yield ls.WithDerivatives(math.sin, math.cos)
    yield from (ls.Actuator("arm", table), ls.Actuator("arm", math.sin, limit=np.float64(3)))
    yield from (ls.JointSpring("arm", 20.0, damping=0.1), ls.JointDamper("arm", np.array([1.0, 2])))
    yield from (ls.JointFriction("arm", 3.0), ls.Servo("arm", 0.3, kp=4.0, kd=np.float64(0.4)))
    yield ls.JointStop("arm", -1.0, 1.0, stiffness=1e4)
    yield from (ls.NodeForce("arm.tip", (0, 0, np.float64(1))), ls.NodeSpring("a", "b.tip", 50.0))
    yield ls.NodeSpring("a", (0, 0, 1), 50.0, length=0.4)
    yield from (ls.CentralGravity(3.986e14), ls.GravityGradient(1.1e-3))
    yield from (ls.Rotor("arm", 0.1, 300.0), ls.Motion("arm", velocity=2.0))
    yield ls.Controller(math.sin, 0.01, memory=np.zeros(BIG))
    drive = {"ratio": 100.0, "rotor_inertia": 1e-4, "stiffness": 1e4}
    yield ls.flexible_drive(ls.library.rigid_chain(2), "link1", **drive)
    yield from (
        ls.Event("arm", value=np.float64(0.5)),
        ls.Event(math.sin, ls.Lock("arm"), once=True),
    )
    yield from (ls.Stop(), ls.Lock("arm"), ls.Release("arm"), ls.Switch("spring", on=True))
    for kind in (ls.EulerCromer, ls.RungeKutta4, ls.DormandPrince5, ls.DormandPrince8):
        yield from (kind(), *([kind().tableau] if kind().tableau else []))
    yield from (ls.Rosenbrock3(), ls.Rosenbrock3().tableau, ls.LinearlyImplicitEuler())
    yield from (ls.GeneralizedAlpha(), ls.Baumgarte(100.0, 20.0))
    yield from (ls.Uniform(0, 1), ls.Normal(5.0, np.float64(0.1)), ls.LogNormal(2.0, 0.1))
    yield from (ls.Triangular(0, 1, 3), ls.Choice(range(BIG)), ls.Choice(["a", "b"], [1, 2]))


def _runs(system: ls.System, tree: ls.System, rest: ls.State, folder: Path) -> Iterator[Any]:
    run = ls.simulate(tree, rest, duration=0.02, step=0.01, loads=[ls.JointSpring("link1", 1.0)])
    yield from (run, run.channels(), run.channels("link1.position"))
    yield from run.channels("link1.position").values()
    model = ls.Model("latch")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Prismatic("x"), name="bolt")
    bolt = model.compile()
    caught = ls.Event("bolt", ls.Lock("bolt"), value=1e-3)
    latch = ls.simulate(bolt, bolt.state(v=[1.0]), duration=0.01, events=[caught])
    yield from (latch.events[0], latch.events[0].impulses[0])
    yield ls.Stepper(tree, rest, step=0.01)
    rows = np.tile(rest.q, (3, 1)), np.tile(rest.v, (3, 1))
    yield from (ls.Batch(tree), ls.Batch(tree).energy(*rows))
    yield ls.simulate_batch(tree, rows, duration=0.02, step=0.01)
    yield from (run.show(frames=2), run.view(browser=False))
    yield live(folder / "live.nc", browser=False)
    latch = ls.Event(lambda t, _: t - 0.005, ls.Lock("link1"), name="latch")
    latched = ls.simulate(tree, rest, duration=0.02, step=0.01, events=[latch])
    yield from (*latched.events, *latched.events[0].impulses)
    found = run.envelope("link1.section_moment")
    yield from (found, *found)


def _linear(tree: ls.System, rest: ls.State) -> Iterator[Any]:
    model = ls.linearize(tree, rest)
    yield from (model, model.gramians(), ls.modes(tree, rest), ls.trim(tree, rest))
    yield ls.mode_sweep(lambda _: ls.modes(tree, rest), [0.0, 1.0])


def _files(folder: Path) -> Iterator[Any]:
    yield ls.read_urdf(ROOT / "examples" / "six_axis.urdf")
    yield ls.load_run(ROOT / "examples" / "arm.toml")
    bad = folder / "bad.toml"
    bad.write_text("lissom = 2\nname = 3\n", "utf-8")
    yield from ls.check_file(bad)
    study = folder / "study.toml"
    study.write_text((ROOT / "examples" / "arm.toml").read_text("utf-8") + SWEEP, "utf-8")
    yield ls.load_sweep(study)
    yield ls.read_bulk(DATA / "nastran" / "frame.bdf")
    with zipfile.ZipFile(DATA / "calculix" / "bracket.zip") as packed:
        packed.extractall(folder)
    yield from (ls.read_inp(folder / "bracket.inp"), ls.read_frd(folder / "held.frd"))


def _equations() -> Iterator[Any]:
    m, length = sympy.symbols("m l", positive=True)
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(m, com=(length, 0, 0)), ls.Revolute("y"), name="rod")
    model.add(ls.RigidBody(m, com=(length, 0, 0)), ls.Revolute("y"), name="bar")
    model.couple({"rod": 1.0, "bar": -2.0}, name="gear")
    found = ls.symbolic.derive(model)
    rules = found.constraints
    yield from (found, rules, rules.augmented, rules.projected, found.staged("mass"))
    yield from (found.operators, found.lambdify(values={m: 1.0, length: 1.0}))
    free = ls.Model("pendulum", gravity=(0, 0, -9.81))
    free.add(ls.RigidBody(m, com=(length, 0, 0)), ls.Revolute("y"), name="rod")
    yield ls.symbolic.derive(free).linearize()
