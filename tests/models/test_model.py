"""Models: building, names, compilation, printing, and what is refused."""

import copy
import pickle

import casadi
import numpy as np
import pytest
import sympy

import lissom as ls
from tests.samples.mechanisms import BOOM
from tests.samples.nodal_bodies import random_body as random_nodal_body

BALL = ls.RigidBody.sphere(mass=2.0, radius=0.3)


def arm():
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    hub = model.add(BALL, ls.Free(), name="hub")
    upper = model.add(BOOM, ls.Revolute("z"), to=hub, at=(0.3, 0, 0), name="upper")
    model.add(BOOM, ls.Revolute("y"), to=upper["tip"], name="lower")
    model.add(BALL, ls.Spherical(), to="lower.tip", name="hand")
    model.add(BALL, ls.Prismatic("x"), to="upper", node=10, name="slider")
    return model


def same_system(a, b):
    return (
        a.names == b.names
        and np.array_equal(a.parent, b.parent)
        and np.array_equal(a.parent_node, b.parent_node)
        and np.array_equal(a.frame_position, b.frame_position)
    )


def test_counts_and_layout():
    system = arm().compile()
    assert system.names == ("hub", "upper", "lower", "hand", "slider")
    assert (system.n_body, system.n_q, system.n_v) == (5, 7 + 4 + 4 + 4 + 1, 6 + 4 + 4 + 3 + 1)
    assert system.layout.modal_q("upper") == slice(7, 10)
    assert system.layout.hinge_q("upper") == slice(10, 11)
    assert system.layout.hinge_v("hand") == slice(14, 17)
    assert list(system.parent) == [-1, 0, 1, 2, 1]


def test_parts_may_be_added_in_any_order():
    model = ls.Model()
    model.add(BALL, ls.Revolute("x"), to="b", name="c")
    model.add(BALL, ls.Revolute("x"), to="a", name="b")
    model.add(BALL, ls.Revolute("x"), name="a")
    system = model.compile()
    assert system.names == ("a", "b", "c") and list(system.parent) == [-1, 0, 1]


def test_tree_print_shows_masses_joints_modes_frequencies_gravity():
    text = repr(arm().compile())
    lines = text.splitlines()
    assert "arm: 5 bodies" in lines[0] and "gravity (0, 0, -9.81)" in lines[1]
    assert "hub" in lines[2] and "free" in lines[2] and "2 kg" in lines[2]
    assert "revolute z" in lines[3] and "3 modes" in lines[3] and "Hz" in lines[3]
    assert any("at tip" in line for line in lines) and any("at node 10" in line for line in lines)


def test_tree_print_of_one_body():
    assert "m: 1 body, 2 kg" in repr(chain_of(ls.Free()).compile())


def test_state_by_name():
    system = arm().compile()
    state = system.state(upper=0.3, **{"upper.modes": [1, 2, 3], "lower.rates": -1, "slider": 0.2})
    assert state["upper"] == 0.3 and state["slider"] == 0.2 and state["lower.rates"] == -1
    assert np.array_equal(state["upper.modes"], [1, 2, 3])
    assert np.array_equal(state["hub"], [1, 0, 0, 0, 0, 0, 0])
    assert not np.any(state["hand.rates"]) and len(state["lower.mode_rates"]) == 3
    assert np.array_equal(system.neutral().q, system.state().q)


def test_state_does_not_change():
    state = arm().compile().state(upper=0.3)
    with pytest.raises(ValueError):
        state.q[0] = 1
    with pytest.raises(AttributeError, match="replace"):
        state.q = 1
    other = state.replace(v=np.ones(18))
    assert np.all(other.v == 1) and np.array_equal(other.q, state.q) and not np.any(state.v)


def test_systems_and_states_pickle_and_copy():
    system = arm().compile()
    state = system.state(upper=0.3, v=np.linspace(0, 1, 18))
    vdot = ls.forward_dynamics(system, state)
    for twin in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
        assert np.array_equal(ls.forward_dynamics(twin.system, twin), vdot)
        assert np.array_equal(ls.forward_dynamics(system, twin), vdot)


def test_replace_puts_another_body_in_place():
    model = arm()
    model.replace("hand", ls.RigidBody.sphere(mass=5.0, radius=0.3))
    assert np.isclose(model.compile().bodies[3].mass, 5.0)
    model.replace("lower", BALL)
    with pytest.raises(ls.ModelError, match=r"'hand'.*'tip'.*rigid"):
        model.compile()


def test_remove_needs_consent_for_what_is_carried():
    model = arm()
    with pytest.raises(ls.ModelError, match=r"carries 'lower', 'slider', 'hand'.*outboard=True"):
        model.remove("upper")
    model.remove("hand")
    model.remove("upper", outboard=True)
    assert model.compile().names == ("hub",)


def test_attach_copies_a_model_with_a_prefix():
    limb = ls.Model("limb")
    limb.add(BOOM, ls.Revolute("y"), at=(0, 0.1, 0), name="boom")
    limb.add(BALL, ls.Revolute("y"), to="boom.tip", name="foot")
    model = ls.Model("walker")
    body = model.add(BALL, ls.Free(), name="body")
    left = model.attach(limb, to=body, prefix="left_")
    model.attach(limb, to="left_boom.tip", prefix="more_")
    system = model.compile()
    assert [str(p) for p in left] == ["left_boom", "left_foot"]
    assert system.names == ("body", "left_boom", "left_foot", "more_boom", "more_foot")
    assert list(system.parent) == [-1, 0, 1, 1, 3]
    with pytest.raises(ls.ModelError, match=r"'left_boom' already"):
        model.attach(limb, to="body", prefix="left_")


@pytest.mark.filterwarnings("ignore:overflow")
def test_what_no_number_can_hold_is_refused():
    far = ls.RigidBody(1e9, (1e153, 0, 0), 1.0)
    with pytest.raises(ls.ModelError, match=r"body 'b': its inertia.*too large.*smaller"):
        hinged(far).compile()


def test_nodal_bodies_are_bodies():
    body = random_nodal_body(1)[0]
    model = ls.Model()
    model.add(body, ls.Free(), name="boom")
    assert model.compile().bodies[0].n_mode == body.n_freedom


def test_level_of_compile_overrides_the_bodies():
    assert {b.level for b in arm().compile(level="linear").bodies if b.n_mode} == {"linear"}


def test_massless_links_between_joints():
    """Two revolute joints through a massless body are a universal joint."""
    link = ls.RigidBody(0.0)
    body = ls.RigidBody(2.0, com=(0.1, 0.2, 0.3), inertia=(1, 2, 2.5))
    chain = ls.Model(gravity=(0, 0, -9.81))
    chain.add(link, ls.Revolute("x"), name="cross")
    chain.add(body, ls.Revolute("y"), to="cross", name="body")
    whole = ls.Model(gravity=(0, 0, -9.81))
    whole.add(body, ls.Universal("x", "y"), name="body")
    a, b = chain.compile(), whole.compile()
    q, v, T = [0.3, -0.7], [1.1, 0.4], [0.2, -0.5]
    expected = ls.forward_dynamics(b, b.state(q, v), T)
    assert np.allclose(ls.forward_dynamics(a, a.state(q, v), T), expected, rtol=1e-13)


def test_a_frame_without_mass_may_be_fixed():
    model = ls.Model()
    model.add(BALL, ls.Revolute("x"), name="ball")
    model.add(ls.RigidBody(0.0), ls.Fixed(), to="ball", at=(1, 0, 0), name="tool")
    system = model.compile()
    assert np.allclose(ls.pose(system, system.neutral(), "tool").position, [1, 0, 0])


def test_a_slightly_rounded_rotation_is_made_exact():
    R = np.round(np.array([[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1]]) @ np.eye(3), 7)
    R[0, 0] += 1e-8
    model = ls.Model()
    model.add(BALL, ls.Revolute("x"), rotation=R, name="ball")
    R = model.compile().frame_rotation[0]
    assert np.allclose(R.T @ R, np.eye(3), atol=1e-15)


def chain_of(joint, body=BALL, **where):
    model = ls.Model("m")
    model.add(body, joint, name="a", **where)
    return model


def cyclic():
    model = ls.Model()
    model.add(BALL, ls.Revolute("x"), to="c", name="a")
    model.add(BALL, ls.Revolute("x"), to="a", name="b")
    model.add(BALL, ls.Revolute("x"), to="b", name="c")
    return model


def twice(name):
    model = chain_of(ls.Revolute("x"))
    model.add(BALL, ls.Revolute("x"), name=name)
    return model


def craft_on_a_massless_link():
    """A free joint passes no force on, so that the link does not feel the flexible craft."""
    section = ls.Tube(radius=0.03, thickness=0.002)
    shapes = {"bending": 1, "torsion": 0, "stretch": 0}
    model = ls.Model("craft")
    model.add(ls.RigidBody(0.0), ls.Revolute("y"), name="link", at=(0.3, 0, 0))
    model.add(ls.beam(1.0, section, ls.ALUMINIUM, **shapes), ls.Free(), name="craft", to="link")
    return model


def hinged(body, joint=None):
    model = chain_of(ls.Revolute("x"))
    model.add(body, joint or ls.Revolute("x"), to="a", name="b")
    return model


def on_boom(**where):
    model = chain_of(ls.Revolute("z"), BOOM)
    model.add(BALL, ls.Revolute("x"), name="b", **where)
    return model


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: ls.Model("m"), ["'m'", "no bodies"]),
        (lambda: chain_of(ls.Revolute("x"), to="hob"), ["'a'", "'hob'", "not in the model"]),
        (lambda: on_boom(to="aa"), ["'aa'", "did you mean 'a'"]),
        (lambda: twice("a"), ["'a' already"]),
        (lambda: twice("a.b"), ["'a.b'", "dot"]),
        (lambda: twice(""), ["name", "text"]),
        (cyclic, ["a -> c -> b -> a", "cycle"]),
        (lambda: chain_of(ls.Revolute("x"), to="a"), ["a -> a", "cycle"]),
        (lambda: chain_of("revolute"), ["'a'", "expected a joint", "'revolute'"]),
        (lambda: chain_of(ls.Free), ["'a'", "expected a joint", "Free(...)"]),
        (lambda: chain_of(ls.Free(), body=3), ["'a'", "RigidBody, FlexibleBody, NodalBody or Rod"]),
        (lambda: chain_of(ls.Free(), at=(1, 2)), ["'a'", "at", "three real numbers"]),
        (lambda: chain_of(ls.Free(), at=(1, 2, np.nan)), ["'a'", "at", "finite"]),
        (lambda: chain_of(ls.Free(), rotation=np.eye(2)), ["'a'", "rotation", "(3, 3)"]),
        (lambda: chain_of(ls.Free(), rotation=2 * np.eye(3)), ["'a'", "not a rotation"]),
        (lambda: chain_of(ls.Free(), rotation=-np.eye(3)), ["'a'", "not a rotation"]),
        (lambda: chain_of(ls.Free(), rotation=np.full((3, 3), np.nan)), ["'a'", "finite"]),
        (lambda: chain_of(ls.Free(), to=3), ["'a'", "to is 3"]),
        (lambda: chain_of(ls.Free(), node="tip"), ["'a'", "'tip'", "to="]),
        (
            lambda: on_boom(to="a.top"),
            ["'b'", "'top'", "'a'", "does not exist", "did you mean 'tip'"],
        ),
        (lambda: on_boom(to="a", node=9999), ["'b'", "9999", "0 to"]),
        (lambda: on_boom(to="a.tip", node=3), ["'b'", "'a.tip'", "3"]),
        (lambda: hinged(BALL).attach(chain_of(ls.Fixed())), ["'a' already"]),
        (lambda: hinged(ls.RigidBody(0.0)), ["'b'", "revolute x", "no inertia", "mass"]),
        (lambda: hinged(ls.RigidBody.rod(1.0, 2.0)), ["'b'", "revolute x", "no inertia"]),
        (craft_on_a_massless_link, ["'link'", "revolute y", "no inertia", "in any configuration"]),
        (lambda: hinged(ls.RigidBody(1.0), ls.Spherical()), ["'b'", "spherical", "no inertia"]),
        (lambda: ls.Model("m", gravity=(0, 9.81)), ["'m'", "gravity", "three real numbers"]),
        (lambda: ls.Model("m", gravity=(0, 0, np.inf)), ["'m'", "gravity", "finite"]),
        (lambda: hinged(BALL).replace("c", BALL), ["'c'", "known: 'a', 'b'"]),
        (lambda: hinged(BALL).remove("c"), ["'c'"]),
    ],
)
def test_bad_models_say_what_is_wrong(make, words):
    with pytest.raises(ls.ModelError) as error:
        make().compile()
    for word in words:
        assert word in str(error.value)


def test_stiffened_is_refused_at_compile_without_a_second_order():
    model = ls.Model("clamped")
    boom = ls.beam(2.0, ls.Circle(0.02), ls.STEEL, modes=3, shapes="clamped")
    model.add(boom, ls.Revolute("z"), name="boom")
    with pytest.raises(ls.ModelError, match=r"body 'boom'.*stiffened.*SecondOrder.*full.*linear"):
        model.compile(level="stiffened")
    assert {body.level for body in arm().compile(level="stiffened").bodies[1:3]} == {"stiffened"}


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda s: s.state(uper=0.1), ["'uper'", "did you mean 'upper'"]),
        (lambda s: s.state(upper=(0.1, 0.2)), ["'upper'", "1 number,"]),
        (lambda s: s.state(upper="far"), ["'upper'", "numbers"]),
        (lambda s: s.state(**{"upper.mode": [1, 2, 3]}), ["'upper.mode'", "'modes'"]),
        (lambda s: s.state(np.zeros(3)), ["q", "(3,)", "(20,)"]),
        (lambda s: s.state(v=np.zeros(3)), ["v", "(3,)", "(18,)"]),
        (lambda s: s.state(v=np.full(18, np.nan)), ["v[0]", "nan", "finite"]),
        (lambda s: s.state(np.zeros(20)), ["quaternion", "'hub'", "q[0:4]", "normalise"]),
        (lambda s: s.state(hand=(0.5, 0.5, 0.5, 0.6)), ["quaternion", "'hand'", "1.05"]),
        (lambda s: s.neutral()["hant"], ["'hant'", "did you mean 'hand'"]),
        (lambda s: ls.pose(s, s.neutral(), "upper.top"), ["'upper'", "'top'", "'tip'"]),
        (lambda s: ls.pose(s, s.neutral(), "hub.tip"), ["'hub'", "'tip'"]),
        (lambda s: ls.velocity(s, s.neutral(), "hub", axes="hub"), ["axes", "'hub'", '"world"']),
        (lambda s: ls.forward_dynamics(s, s.neutral(), np.zeros(3)), ["forces", "(3,)", "(18,)"]),
        (
            lambda s: ls.forward_dynamics(s, s.neutral(), np.full(18, np.inf)),
            ["forces[0]", "finite"],
        ),
        (lambda s: ls.forward_dynamics(s, s.neutral(), {"uppr": 1}), ["'uppr'", "'upper'"]),
        (
            lambda s: ls.forward_dynamics(s, s.neutral(), {"upper": (1, 2)}),
            ["'upper'", "1 number,"],
        ),
        (lambda s: ls.forward_dynamics(s, s.neutral(), method="fast"), ["'fast'", "'auto'"]),
        (
            lambda s: ls.forward_dynamics(s, s.neutral(), external={"hub": 3}),
            ["'hub'", "six numbers"],
        ),
        (lambda s: ls.forward_dynamics(s, s.neutral(), external=[1]), ["external", "mapping"]),
        (
            lambda s: ls.forward_dynamics(s, s.neutral(), external={"hub": np.full(6, np.nan)}),
            ["'hub'", "finite"],
        ),
        (lambda s: ls.forward_dynamics(s, s.neutral(), out=np.zeros(3)), ["out", "(3,)"]),
        (
            lambda s: ls.forward_dynamics(s, s.neutral(), armature=-np.ones(18)),
            ["armature", "negative"],
        ),
        (lambda s: ls.forward_dynamics(s, s.neutral(), armature={"upper": np.eye(2)}), ["'upper'"]),
        (lambda s: ls.forward_dynamics(arm(), s.neutral()), ["Model", "compile"]),
        (lambda s: ls.forward_dynamics(s, np.zeros(20)), ["State", "system.state"]),
        (lambda s: ls.qdot(s, np.zeros(20)), ["State", "system.state"]),
        (lambda s: ls.gravity_force(arm(), s.neutral()), ["Model", "compile"]),
        (lambda s: ls.bias_force(s, None), ["State", "system.state"]),
        (lambda s: ls.energy(arm(), s.neutral()), ["Model", "compile"]),
        (lambda s: ls.center_of_mass(arm(), s.neutral()), ["Model", "compile"]),
        (lambda s: ls.operators(s, None), ["State", "system.state"]),
        (lambda s: ls.mass_matrix(s, chain_of(ls.Free()).compile().neutral()), ["other bodies"]),
        (lambda s: ls.inverse_dynamics(s, s.neutral(), np.ones(2)), ["acceleration"]),
        (lambda s: ls.momentum(s, s.neutral(), about=(1, 2)), ["about", "three numbers"]),
    ],
)
def test_bad_states_and_arguments_say_what_is_wrong(make, words):
    with pytest.raises(ls.StateError) as error:
        make(arm().compile())
    for word in words:
        assert word in str(error.value)


def test_singular_configuration_names_the_body():
    """A massless gimbal is regular in general and singular where its axes line up."""
    model = ls.Model()
    model.add(ls.RigidBody(0.0), ls.Revolute("x"), name="outer")
    model.add(ls.RigidBody(0.0), ls.Revolute("y"), to="outer", name="inner")
    model.add(BALL, ls.Revolute("x"), to="inner", name="ball")
    system = model.compile()
    assert np.all(np.isfinite(ls.forward_dynamics(system, system.state(inner=0.5))))
    for method in ("articulated", "composite"):
        with pytest.raises(ls.SingularError, match=r"'outer'.*revolute x.*no inertia"):
            ls.forward_dynamics(system, system.neutral(), method=method)


def test_singular_coordinates_name_the_body():
    model = chain_of(ls.SimpleJoint(np.eye(6)[:, :3]))
    system = model.compile()
    state = system.state(a=(0, np.pi / 2, 0), v=[1, 1, 1])
    with pytest.raises(ls.SingularError, match=r"'a'.*singular.*Spherical"):
        ls.qdot(system, state)


D = sympy.Symbol("d")


@pytest.mark.parametrize(
    "make, values, words",
    [
        (lambda: chain_of(ls.Free(), at=(D, 0, 0)), {}, ["'a': no value for d", "values="]),
        (lambda: chain_of(ls.Free(), at=(D, 0, 0)), {D: np.inf}, ["'a'", "at", "finite"]),
        (lambda: chain_of(ls.Free(), rotation=D * np.eye(3)), {D: 2}, ["'a': rotation is not"]),
        (lambda: ls.Model("m", gravity=(0, 0, D)), {D: np.inf}, ["no bodies"]),
        (lambda: chain_of(ls.Screw("x", casadi.SX.sym("h"))), {}, ["'a': no value for h"]),
        (lambda: chain_of(ls.Free(), at=(casadi.SX.sym("h"), 0, 0)), {}, ["'a': no value for h"]),
        (lambda: chain_of(ls.Revolute((D, 0, 0))), {D: 0}, ["'a': no value"]),
        (lambda: chain_of(ls.Free(), ls.RigidBody(D)), {D: -1}, ["'a'", "mass", "negative"]),
    ],
)
def test_values_for_symbols_are_checked(make, values, words):
    with pytest.raises(ls.ModelError) as error:
        make().compile(values=values)
    for word in words:
        assert word in str(error.value)
    assert str(error.value).count("body 'a'") <= 1


def test_symbols_become_numbers():
    model = ls.Model("m", gravity=(0, 0, -D))
    model.add(ls.RigidBody(D, inertia=D), ls.Screw((1, D, 0), D), at=(D, 0, 0), name="a")
    system = model.compile(values={D: 2})
    assert system.bodies[0].mass == 2 and system.joints[0].pitch == 2
    assert np.allclose(system.joints[0].axis, np.array([1, 2, 0]) / np.sqrt(5))
    assert np.array_equal(system.gravity, [0, 0, -2]) and system.frame_position[0, 0] == 2
