"""Calls of the public functions with arguments that are often wrong."""

from __future__ import annotations

import os
import random
import warnings

import numpy as np
import sympy

import lissom as ls
from tests.samples.couplings import geared_rotors
from tests.samples.mechanisms import BOOM

JUNK = [
    *(None, "x", "tip", 0, 1, -1, 2.5, np.nan, np.inf, True, 1j, b"x", 10**400, object()),
    *([], [1], [1, 2], [1, 2, 3], [[1]], (1, 2, 3), [1j, 0, 0], [None, 1, 2], ["a", "b", "c"]),
    *(range(3), {}, {"a": 1}, {"hub": 1}, {"upper.tip": np.ones(6)}),
    *(np.eye(3), np.eye(6), np.zeros((3, 3)), np.zeros((2, 3)), np.ones(6), np.full(3, np.nan)),
    *(np.zeros((0, 3)), np.ones((4, 6, 2)), np.array([1, 2, 3], dtype=object)),
    *(np.ones(20), np.zeros(18), "upper", "upper.tip", "nope", ls.Free, ls.Free(), len),
]
BALL = ls.RigidBody.sphere(2.0, 0.3)
ROD = ls.rod(1.0, ls.Circle(0.01), ls.STEEL, bending=1, torsion=0, stations=3, elements=2)


def arm():
    model = ls.Model("arm")
    model.add(BALL, ls.Free(), name="hub")
    model.add(BOOM, ls.Revolute("z"), to="hub", name="upper")
    model.add(BOOM, ls.Revolute("y"), to="upper.tip", name="lower")
    model.add(BALL, ls.Spherical(), to="lower.tip", name="hand")
    return model


def whip():
    model = ls.Model("whip")
    model.add(ROD, ls.Fixed(), name="whip")
    return model


def rigid_pair():
    model = ls.Model("pair")
    model.add(BALL, ls.Free(), name="hub")
    model.add(BALL, ls.Revolute("z"), to="hub", name="arm")
    return model


def compiled_with_one_more(pick):
    model = arm()
    to, node = pick("upper", "upper.tip"), pick(None)
    model.add(BOOM, ls.Revolute("x"), name="more", to=to, node=node)
    return model.compile(level=pick(None))


def looped(kind):
    model = arm()
    getattr(model, kind)(ls.Revolute("x"), "hub", "hand", name="j")
    return model


def compiled_with_a_joint(pick, kind):
    model = arm()
    model.add(BALL, pick(None, ls.Free()), name="ball")
    getattr(model, kind)(
        pick(ls.Revolute("x")),
        pick("hub", "upper.tip", None),
        pick("hand", "ball"),
        at_a=pick((0, 0, 0)),
        at_b=pick((0, 0, 1)),
        rotation_a=pick(None),
        rotation_b=pick(None, np.diag([1, -1, -1])),
        name=pick("j"),
    )
    return model.compile()


def compiled_with_a_coupling(pick):
    model = arm()
    ratios = pick({"upper": pick(1.0), "lower": pick(-1.0, 2)}, {"hand": 1.0}, {"upper": pick()})
    model.couple(ratios, offset=pick(0.0, 1), name=pick("gear"))
    return model.compile()


def ring():
    """A rod and a boom whose ends meet on the ground."""
    model = ls.Model("ring", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.rod(1.0, 2.0, com=(1, 0, 0)), ls.Revolute("y"), name="hub")
    model.add(BOOM, ls.Revolute("y"), to="hub", at=(2, 0, 0), name="upper")
    model.close(ls.Revolute("y"), None, "upper.tip", at_a=(2, 0, 0), name="pin")
    return model.compile()


def symbolic_pendulum(mass=sympy.Symbol("m", positive=True)):  # noqa: B008, a symbol is constant
    model = ls.Model("pendulum", gravity=(0, 0, -sympy.Symbol("g")))
    model.add(ls.RigidBody(mass, (1, 0, 0)), ls.Revolute("y"), name="rod")
    return model


SYSTEM = arm().compile()
RING = ring()
GEARED = geared_rotors()
CLOSED = ls.assemble(RING, RING.state(hub=-1.0, upper=2.0))
REST = SYSTEM.neutral()
EVALUATOR = SYSTEM.evaluator()
RIGID = rigid_pair().compile()
POINT = ls.shapes.Sphere(0.0)
EQUATIONS = ls.symbolic.derive(symbolic_pendulum())
RUN = ls.simulate(RIGID, duration=1e-3, step=1e-4)
WHIPPED = ls.simulate(whip().compile(), duration=1e-3, step=5e-4, integrator="rk4")
STEPPER = ls.Stepper(RIGID, step=1e-4, integrator="rk4")
NODES = (np.zeros((4, 3)), np.ones(4), np.ones((4, 6, 2)))


def entered(*loads, events=()):
    """The shortest run with these, which resolves and checks them."""
    return ls.simulate(RIGID, duration=1e-4, step=1e-4, loads=loads, events=events)


# Each takes pick(*good): one of the good values or junk.
CALLS = {
    "RigidBody": lambda pick: ls.RigidBody(pick(1.0), pick((0, 0, 0)), pick(1.0)),
    "RigidBody.box": lambda pick: ls.RigidBody.box(pick(1.0), pick((1, 1, 1)), pick((0, 0, 0))),
    "RigidBody.cylinder": lambda pick: ls.RigidBody.cylinder(pick(1), pick(1), pick(1), pick("x")),
    "RigidBody.sphere": lambda pick: ls.RigidBody.sphere(pick(1.0), pick(1.0)),
    "RigidBody.rod": lambda pick: ls.RigidBody.rod(pick(1.0), pick(1.0)),
    "RigidBody.from_points": lambda pick: ls.RigidBody.from_points(
        pick(np.eye(3)), pick([1, 1, 1])
    ),
    "FlexibleBody": lambda pick: ls.FlexibleBody(
        *(pick(x) for x in NODES),
        pick(np.eye(2)),
        pick(0.1),
        node_inertias=pick(None),
        node_offsets=pick(None),
        inboard=pick(0),
        names=pick({}),
        level=pick("full"),
    ),
    "NodalBody": lambda pick: ls.NodalBody(pick(np.zeros((2, 3))), pick([1, 1]), pick(np.eye(12))),
    "NodalBody by name": lambda pick: ls.NodalBody(
        np.eye(3), np.ones(3), np.zeros((18, 18)), inboard=pick(0), names=pick({"tip": 2})
    ),
    "nodal_forward_dynamics": lambda pick: ls.nodal_forward_dynamics(
        pick(RIGID),
        pick(RIGID.neutral()),
        pick({}),
        pick(None),
        external=pick(None),
        nodal_forces=pick(None, {"hub": [[1] * 6]}),
    ),
    "beam": lambda pick: ls.beam(pick(1), pick(ls.Circle(0.1)), pick(ls.STEEL), modes=pick(4)),
    "rod": lambda pick: ls.rod(
        pick(1),
        pick(ls.Circle(0.1), (ls.Circle(0.1), ls.Circle(0.05))),
        pick(ls.STEEL),
        bending=pick(1, (1, 0)),
        torsion=pick(0, 1),
        stretch=pick(1),
        shear=pick(0, (0, 1)),
        curvature=pick((0, 0, 0)),
        shear_factor=pick(0.8),
        damping=pick(0.01),
        nodes=pick({}),
        elements=pick(2),
        stations=pick(3),
    ),
    "Rod": lambda pick: ls.Rod(
        pick(1), pick(np.ones(6)), pick(1), pick(np.ones(3)), solids=pick(()), stations=pick(6)
    ),
    "Rod.normalised": lambda pick: ROD.normalised(pick(None, "exact")),
    "Tube": lambda pick: ls.Tube(pick(1.0), pick(0.1)),
    "Rectangle": lambda pick: ls.Rectangle(pick(1.0), pick(0.1)),
    "ISection": lambda pick: ls.ISection(pick(1.0), pick(1.0), pick(0.1), pick(0.1)),
    "Material": lambda pick: ls.Material(pick("m"), pick(1e9), pick(1e3), pick(0.3)),
    "Revolute": lambda pick: ls.Revolute(pick("x")),
    "Screw": lambda pick: ls.Screw(pick("x"), pick(0.1)),
    "Universal": lambda pick: ls.Universal(pick("x"), pick("y")),
    "Planar": lambda pick: ls.Planar(pick("x")),
    "SimpleJoint": lambda pick: ls.SimpleJoint(pick(np.eye(6))),
    "CompoundJoint": lambda pick: ls.CompoundJoint(pick([np.eye(6)[0]])),
    "Model": lambda pick: ls.Model("m", gravity=pick((0, 0, 0))),
    "Model.add": lambda pick: arm().add(
        pick(BOOM),
        pick(ls.Free()),
        name=pick("a"),
        to=pick("hub", None),
        node=pick(None),
        at=pick((0, 0, 0)),
        rotation=pick(None),
    ),
    "Model.compile": compiled_with_one_more,
    "Model.close": lambda pick: compiled_with_a_joint(pick, "close"),
    "Model.join": lambda pick: compiled_with_a_joint(pick, "join"),
    "Model.couple": compiled_with_a_coupling,
    "coupling_forces": lambda pick: ls.coupling_forces(
        pick(GEARED, SYSTEM), pick(GEARED.neutral()), pick(None), external=pick(None)
    ),
    "Model.remove of a loop": lambda pick: looped("close").remove(pick("j"), outboard=pick(True)),
    "Model.attach of loops": lambda pick: looped("join").attach(
        pick(looped("close")), to=pick("hub", None), prefix=pick("a_")
    ),
    "Model.replace": lambda pick: arm().replace(pick("upper"), pick(BOOM)),
    "Model.remove": lambda pick: arm().remove(pick("upper")),
    "Model.attach": lambda pick: arm().attach(pick(arm()), to=pick("hub"), prefix=pick("a_")),
    "forward_dynamics_batch": lambda pick: ls.forward_dynamics_batch(
        pick(SYSTEM),
        pick(REST.q[None]),
        pick(REST.v[None]),
        pick(None),
        threads=pick(1),
        out=pick(None),
    ),
    "inverse_dynamics_batch": lambda pick: ls.inverse_dynamics_batch(
        pick(SYSTEM), pick(REST.q[None]), pick(REST.v[None]), pick(REST.v[None]), threads=pick(1)
    ),
    "multiply_mass": lambda pick: ls.multiply_mass(pick(SYSTEM), pick(REST), pick(REST.v)),
    "solve_mass": lambda pick: ls.solve_mass(
        pick(SYSTEM), pick(REST), pick(REST.v), armature=pick(None)
    ),
    "System.state": lambda pick: SYSTEM.state(pick(REST.q), pick(REST.v)),
    "System.state of a hub": lambda pick: SYSTEM.state(hub=pick([1, 0, 0, 0, 0, 0, 0])),
    "System.state of modes": lambda pick: SYSTEM.state(**{"upper.modes": pick([0, 0, 0])}),
    "System.state of nothing": lambda pick: SYSTEM.state(**{"upper.mode": pick([0, 0, 0])}),
    "State[]": lambda pick: REST[pick("upper")],
    "forward_dynamics": lambda pick: ls.forward_dynamics(
        pick(SYSTEM),
        pick(REST),
        pick(None),
        external=pick(None),
        method=pick("auto", "composite"),
        armature=pick(None),
    ),
    "inverse_dynamics": lambda pick: ls.inverse_dynamics(SYSTEM, REST, pick(), external=pick(None)),
    "Evaluator.forward_dynamics": lambda pick: EVALUATOR.forward_dynamics(
        pick(REST.q.copy()),
        pick(REST.v.copy()),
        pick(None, REST.v.copy()),
        external=pick(None),
        armature=pick(None),
        out=pick(None, REST.v.copy()),
    ),
    "Evaluator.inverse_dynamics": lambda pick: EVALUATOR.inverse_dynamics(
        pick(REST.q.copy()), pick(REST.v.copy()), pick(REST.v.copy()), out=pick(None)
    ),
    "Evaluator.mass_matrix": lambda pick: EVALUATOR.mass_matrix(
        pick(REST.q.copy()), out=pick(None)
    ),
    "Evaluator.velocity": lambda pick: EVALUATOR.velocity(
        pick(REST.q.copy()),
        pick(REST.v.copy()),
        pick("upper.tip"),
        at=pick(None),
        axes=pick("world", "body"),
        out=pick(None),
    ),
    "Evaluator.jacobian": lambda pick: EVALUATOR.jacobian(
        pick(REST.q.copy()), pick("upper"), axes=pick("world"), out=pick(None)
    ),
    "Evaluator": lambda pick: [
        ls.Evaluator(pick(SYSTEM)).energy(pick(REST.q.copy()), pick(REST.v.copy())),
        EVALUATOR.pose(pick(REST.q.copy()), pick("hub"), at=pick(None)),
    ],
    "joint_forces": lambda pick: ls.joint_forces(SYSTEM, REST, pick(None), forces=pick(None)),
    "assemble": lambda pick: ls.assemble(
        pick(RING, SYSTEM), pick(None, CLOSED), held=pick((), ["hub"]), velocity=pick(True, False)
    ),
    "closure": lambda pick: repr(ls.closure(pick(RING, SYSTEM), pick(CLOSED))),
    "closure[]": lambda pick: ls.closure(RING, CLOSED)[pick("pin")],
    "inverse_dynamics with loops": lambda pick: ls.inverse_dynamics(
        pick(RING), pick(CLOSED), pick(CLOSED.v), actuated=pick(["hub"])
    ),
    "joint_forces with loops": lambda pick: ls.joint_forces(
        RING, pick(CLOSED), pick(None, CLOSED.v), forces=pick(None), actuated=pick(None, ["hub"])
    ),
    "equilibrium with loops": lambda pick: ls.equilibrium(
        RING, pick(None, CLOSED), time=pick(0.0), loads=pick(()), held=pick((), ["hub"])
    ),
    "pose": lambda pick: ls.pose(SYSTEM, pick(REST), pick("upper")),
    "velocity": lambda pick: ls.velocity(SYSTEM, REST, pick("upper"), axes=pick("world")),
    "acceleration": lambda pick: ls.acceleration(SYSTEM, REST, pick("upper"), pick(None)),
    "jacobian": lambda pick: ls.jacobian(SYSTEM, REST, pick("upper"), axes=pick("body")),
    "momentum": lambda pick: ls.momentum(SYSTEM, pick(REST), about=pick((0, 0, 0))),
    "operators": lambda pick: ls.operators(SYSTEM, REST).Phi @ pick(),
    "operators.jacobian": lambda pick: ls.operators(SYSTEM, REST).jacobian(
        pick("hub"), axes=pick("world")
    ),
    "LQProblem": lambda pick: ls.LQProblem(pick(), pick(), pick(), pick(), pick()),
    "solve_lq": lambda pick: ls.solve_lq(pick()),
    "optimal_control_dual": lambda pick: ls.optimal_control_dual(SYSTEM, pick(REST), pick(None)),
    "gibbs_function": lambda pick: ls.gibbs_function(pick(SYSTEM), pick(REST), pick(), pick(None)),
    "Model.frame": lambda pick: arm().frame(
        pick("a"),
        on=pick("hub", None),
        node=pick(None),
        at=pick((0, 0, 0)),
        rotation=pick(None, {"rpy": (1, 2, 3)}),
    ),
    "Model.frame in words": lambda pick: arm().frame(
        "a",
        rotation=pick(
            {"axis": pick("z"), "angle": pick(0.5)},
            {"rpy": pick((1, 2, 3))},
            {"quaternion": pick((1, 0, 0, 0))},
        ),
    ),
    "points of frames": lambda pick: [
        function(SYSTEM, REST, pick("hub"), at=pick((0, 0, 0), None))
        for function in (ls.pose, ls.velocity, ls.jacobian)
    ],
    "Model.move": lambda pick: arm().move(pick("lower"), to=pick("hub"), node=pick(None)),
    "Table": lambda pick: ls.Table(pick([0, 1]), pick([1, 2]), kind=pick("linear", "smooth")),
    "Actuator": lambda pick: entered(
        ls.Actuator(
            pick("arm"),
            pick(1.0),
            ratio=pick(2.0),
            rotor_inertia=pick(0.1),
            limit=pick(5.0),
            name=pick(""),
        )
    ),
    "JointSpring": lambda pick: entered(
        ls.JointSpring(pick("arm", "hub"), pick(1.0), rest=pick(0.0), damping=pick(0.1))
    ),
    "JointDamper": lambda pick: entered(ls.JointDamper(pick("arm"), pick(1.0))),
    "JointFriction": lambda pick: entered(
        ls.JointFriction(pick("arm"), pick(1.0), speed=pick(0.01))
    ),
    "JointStop": lambda pick: entered(
        ls.JointStop(pick("arm"), pick(-1.0), pick(1.0), stiffness=pick(1e3), damping=pick(0.1))
    ),
    "NodeForce": lambda pick: entered(
        ls.NodeForce(pick("arm"), pick((0, 0, 1)), pick((0, 0, 1)), axes=pick("world"))
    ),
    "NodeSpring": lambda pick: entered(
        ls.NodeSpring(
            pick("arm"), pick("hub", (0, 0, 1)), pick(1.0), damping=pick(0.1), length=pick(0.1)
        )
    ),
    "Motion": lambda pick: entered(ls.Motion(pick("arm"), pick(1.0, np.sin), spacing=pick(0.01))),
    "Motion by rates": lambda pick: entered(
        ls.Motion(pick("arm"), velocity=pick(None, 1.0), acceleration=pick(None))
    ),
    "Controller": lambda pick: entered(
        ls.Controller(pick(lambda t, state: {"arm": 1.0}), pick(0.01), memory=pick(()))
    ),
    "Event": lambda pick: entered(
        events=ls.Event(
            pick("arm", lambda t, state: 1.0),
            pick(ls.Stop(), ls.Lock("arm"), [ls.Release("arm")]),
            value=pick(1.0),
            rate=pick(False),
            direction=pick(1),
            once=pick(True),
            name=pick("e"),
        )
    ),
    "Lock": lambda pick: entered(events=ls.Event("arm", ls.Lock(pick("arm")))),
    "Gap": lambda pick: entered(
        events=ls.Event(ls.Gap(pick(RIGID.shape("arm", POINT)), pick(ls.shapes.HalfSpace())))
    ),
    "RigidImpact": lambda pick: entered(
        events=ls.Event(
            ls.Gap(RIGID.shape("arm", POINT), ls.shapes.HalfSpace()),
            ls.RigidImpact(
                pick(0.8), pick(0.1), law=pick("stronge", "poisson"), order=pick(None, 1.0)
            ),
        )
    ),
    "Release": lambda pick: entered(events=ls.Event("arm", ls.Release(pick("arm")))),
    "Switch": lambda pick: entered(
        ls.JointDamper("arm", 1.0, name="brake"),
        events=ls.Event("arm", ls.Switch(pick("brake"), pick(True))),
    ),
    "GeneralizedAlpha": lambda pick: ls.GeneralizedAlpha(pick(0.8), pick(1e-8)),
    "simulate": lambda pick: ls.simulate(
        pick(RIGID),
        pick(None, RIGID.neutral()),
        duration=pick(1e-3),
        start=pick(0.0),
        step=pick(1e-4),
        integrator=pick("rk4", ls.EulerCromer()),
        rtol=pick(1e-6),
        atol=pick(None),
        output_step=pick(None, 1e-4),
        file=None,
    ),
    "simulate with loads": lambda pick: ls.simulate(
        RIGID,
        duration=1e-3,
        step=1e-4,
        forces=pick(None, {"arm": 1.0}),
        loads=pick((), [ls.JointDamper("arm", 1.0)]),
        events=pick(()),
        resume=pick(None),
        time_limit=pick(10.0),
    ),
    "Stepper": lambda pick: ls.Stepper(
        pick(RIGID),
        pick(None, RIGID.neutral()),
        step=pick(1e-4),
        integrator=pick("rk4", "generalized_alpha"),
        loads=pick((), [ls.JointDamper("arm", 1.0)]),
        events=pick(()),
        start=pick(0.0),
        rtol=pick(1e-6),
        drift=pick("projection"),
        method=pick("auto"),
        max_iterations=pick(None, 3),
    ).step(pick(None)),
    "Stepper.step": lambda pick: STEPPER.step(pick(None, {"arm": 1.0})),
    "Stepper.reset": lambda pick: STEPPER.reset(pick(None, RIGID.neutral()), pick(None, 1.0)),
    "Stepper[]": lambda pick: STEPPER[pick("arm.angle")],
    "equilibrium": lambda pick: ls.equilibrium(
        pick(RIGID),
        pick(None, RIGID.neutral()),
        time=pick(0.0),
        forces=pick(None),
        loads=pick(()),
        held=pick((), ["arm"]),
    ),
    "flexible_drive": lambda pick: ls.flexible_drive(
        pick(rigid_pair()),
        pick("arm"),
        stiffness=pick(1e3),
        damping=pick(0.1),
        ratio=pick(10.0),
        rotor_inertia=pick(1e-4),
        name=pick("", "motor"),
    ),
    "load": lambda pick: ls.load(pick()),
    "read_urdf": lambda pick: ls.read_urdf(
        pick(), base=pick("fixed"), gravity=pick((0, 0, -9.81)), unphysical=pick("error")
    ),
    "load_run": lambda pick: ls.load_run(pick()),
    "check_file": lambda pick: ls.check_file(pick(), functions=pick(False)),
    "Model.save": lambda pick: arm().save(pick()),
    "Trajectory": lambda pick: ls.Trajectory(pick(RIGID), pick(RUN.store), pick(None)),
    "Trajectory[]": lambda pick: RUN[pick("arm.angle", "energy.total")],
    "Trajectory.channels": lambda pick: RUN.channels(pick("arm")),
    "Trajectory.state": lambda pick: RUN.state(pick(5e-4)),
    "Trajectory.sample": lambda pick: RUN.sample(pick([0, 5e-4])),
    "Trajectory.momentum": lambda pick: RUN.momentum(pick((0, 0, 0))),
    "Trajectory.along": lambda pick: WHIPPED.along(
        pick("whip"), pick("strain", "section_moment"), pick(0.1, [0.1, 0.2])
    ),
    "Trajectory.save": lambda pick: RUN.save(pick()),
    "Trajectory.load": lambda pick: ls.Trajectory.load(pick()),
    "Trajectory.to_pandas": lambda pick: RUN.to_pandas(pick("arm.angle")),
    "Trajectory.to_xarray": lambda pick: RUN.to_xarray(pick("arm.angle")),
    "Trajectory.plot": lambda pick: RUN.plot(
        pick("arm.angle", ["hub.position", "arm.position"]),
        file=pick(None),
        title=pick(None),
        size=pick(None, (4, 3)),
        events=pick(True),
    ),
    "viz.draw": lambda pick: ls.viz.draw(
        pick(SYSTEM, RING),
        pick(None, REST, CLOSED),
        file=pick(None),
        names=pick(None),
        frames=pick(False),
        view=pick(None, "3d"),
        title=pick(None),
        size=pick(None),
    ),
    "viz.plot_modes": lambda pick: ls.viz.plot_modes(
        pick(SYSTEM, BOOM), pick(None, "upper"), modes=pick(None, [0]), size=pick(None)
    ),
    "Trajectory.to_html": lambda pick: RUN.to_html(pick(), title=pick(None)),
    "Trajectory.to_gif": lambda pick: RUN.to_gif(
        pick("x.png"), frames=pick(2), duration=pick(1.0), size=pick((90, 60)), trails=pick(None)
    ),
    "Trajectory.show": lambda pick: RUN.show(
        width=pick("100%"),
        height=pick(300),
        frames=pick(5),
        title=pick(None, "title"),
        trails=pick(["arm"], ()),
        theme=pick("dark"),
        scale=pick(2.0),
        reactions=pick(None, True),
    ),
    "viz.live": lambda pick: ls.viz.live(
        pick("x.csv"),
        browser=False,
        frames=pick(5),
        title=pick(None, "title"),
        trails=pick(None, ["arm"]),
        theme=pick("dark"),
        scale=pick(2.0),
        reactions=pick(None, False),
    ),
    "viz.page_of": lambda pick: ls.viz.page_of(
        pick(SYSTEM), pick(REST, RIGID.neutral()), title=pick(None), theme=pick("light")
    ),
    "filter_and_smoother": lambda pick: ls.filter_and_smoother(SYSTEM, REST, pick(None)),
    "symbolic.derive": lambda pick: ls.symbolic.derive(
        pick(arm(), rigid_pair(), looped("close"), symbolic_pendulum()),
        level=pick("linear", "full"),
        form=pick("poincare", "lagrange"),
        coordinates=pick(None, "x"),
        speeds=pick(None, "u"),
    ),
    "symbolic.derive of a parameter": lambda pick: ls.symbolic.derive(symbolic_pendulum(pick())),
    "Equations.pose": lambda pick: EQUATIONS.pose(pick("rod"), at=pick((0, 0, 1))),
    "Equations.jacobian": lambda pick: EQUATIONS.jacobian(pick("rod"), axes=pick("world")),
    "Equations.joint_configuration": lambda pick: EQUATIONS.joint_configuration(pick("rod")),
    "Equations.dependence": lambda pick: EQUATIONS.dependence(pick("mass")),
    "Equations.linearize": lambda pick: EQUATIONS.linearize(
        pick(None, {"q_rod": 0}, {"q_rod": pick(0)})
    ),
    "Equations.staged": lambda pick: EQUATIONS.staged(pick("mass", "bias"), values=pick(None)),
    "Equations.lambdify": lambda pick: EQUATIONS.lambdify(
        values=pick({"m": 1, "g": 9.81}, {"m": 1, "g": pick(9.81)}),
        backend=pick("numpy"),
        frames=pick(None, ["rod"]),
        functions=pick(None, ["mass", "pose_rod"]),
    ),
    "Equations.python_source": lambda pick: EQUATIONS.python_source(
        values=pick(None), backend=pick("numba", "casadi"), frames=pick(None)
    ),
    "Equations.to_casadi": lambda pick: EQUATIONS.to_casadi(values=pick(None), frames=pick(None)),
    "Equations.to_c": lambda pick: EQUATIONS.to_c(os.devnull, real=pick("double"), name=pick(None)),
    "Equations.to_python": lambda pick: EQUATIONS.to_python(os.devnull, backend=pick()),
    "Equations.latex": lambda pick: EQUATIONS.latex(values=pick(None, {"m": pick(1)})),
    "symbolic.joint_configuration": lambda pick: ls.symbolic.joint_configuration(
        pick(np.eye(6)[:, :1], [np.eye(6)[0], np.eye(6)[1]]), pick("a", ["a", "b"])
    ),
    "symbolic.joint_kinematics": lambda pick: ls.symbolic.joint_kinematics(
        pick(np.eye(6)[:, :2]), pick("a b"), least_squares=pick(True)
    ),
    "symbolic.joint_map": lambda pick: ls.symbolic.joint_map(pick(np.eye(6)[3]), pick("a")),
}


def outcomes_of_mistakes(name, n):
    """What came of so many random calls: each was accepted, or refused with an error of ours."""
    luck = random.Random(name)

    def pick(*good):
        return luck.choice(good) if good and luck.random() < 0.6 else luck.choice(JUNK)

    outcomes = set()
    for _ in range(n):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                CALLS[name](pick)
                outcomes.add("accepted")
            except ls.LissomError as error:
                assert len(str(error)) > 10
                outcomes.add("refused")
    return outcomes
