"""States of other systems, rotations that are none, and names that stand for something else."""

import inspect
import pickle
import warnings

import numpy as np
import pytest

import lissom as ls
from lissom.model import naming
from lissom.results import channels, quantities
from tests.samples.flexible_arms import flexible_body

MIRROR = np.diag([1.0, 1.0, -1.0])


def pair(joint="revolute", *, mass=1.0, carrier="upper", names=("upper", "lower")):
    """Two bodies with one coordinate each."""
    joints = {"revolute": ls.Revolute("y"), "prismatic": ls.Prismatic("x")}
    model = ls.Model("pair", gravity=(0, 0, -9.81))
    rod = ls.RigidBody(mass, (0, 0, -0.5), 0.1)
    model.add(rod, ls.Revolute("y"), name=names[0])
    model.add(rod, joints[joint], name=names[1], to=carrier and names[0], at=(0, 0, -1))
    return model.compile()


# States

HERE = pair()
OTHERS = {
    "joints": (pair("prismatic"), "its body 'lower' has a Prismatic joint on 'upper'"),
    "carriers": (pair(carrier=None), "its body 'lower' has a Revolute joint on the ground"),
    "names": (pair(names=("a", "b")), "its bodies are 'a', 'b', those of this system 'upper'"),
}
# What functions take beside the system and the state.
MORE = {
    "acceleration": ("lower",),
    "design_derivatives": ("gravity",),
    "frame_derivatives": ("lower",),
    "gradient": (lambda time, q, v: (0.0, 0 * q, 0 * v),),
    "inertial_regressor": (np.zeros(2),),
    "inverse_dynamics_derivatives": (np.zeros(2),),
    "reach": ({"lower": (0.0, 0.0, -1.0)},),
    "gibbs_function": (np.zeros(2),),
    "interface_load": ("lower",),
    "inverse_dynamics": (np.zeros(2),),
    "jacobian": ("lower",),
    "multiply_mass": (np.zeros(2),),
    "nodal_forward_dynamics": ({},),
    "nodal_inverse_dynamics": ({},),
    "nodal_operators": ({},),
    "pose": ("lower",),
    "section_loads": ("lower",),
    "solve_mass": (np.zeros(2),),
    "strain": ("lower",),
    "stress": ("lower",),
    "velocity": ("lower",),
}
TAKING = [
    name
    for name in ls.__all__
    if inspect.isfunction(f := getattr(ls, name)) and "state" in inspect.signature(f).parameters
]


def called(name, system, state):
    runs = {"simulate", "gradient", "sensitivity"}
    named = {"duration": 1.0} if name in runs else {}
    if name == "mode_sweep":  # its state is an option
        return ls.mode_sweep(system, [0.1, 0.2], state=state, joint="lower")
    named |= {"step": 0.1} if name in ("gradient", "sensitivity") else {}
    return getattr(ls, name)(system, state, *MORE.get(name, ()), **named)


@pytest.mark.parametrize("name", TAKING)
def test_functions_refuse_states_of_other_systems_of_the_same_size(name):
    assert len(TAKING) > 25
    for other, words in OTHERS.values():
        with pytest.raises(ls.StateError) as caught:
            called(name, HERE, other.state())
        assert words in str(caught.value) and "use system.state(...)" in str(caught.value)


def test_states_of_systems_with_the_same_meaning_are_taken():
    """Compiled again, from another process, with other parameters."""
    expected = ls.pose(HERE, HERE.state(lower=0.3), "lower").position
    for other in (pair(), pickle.loads(pickle.dumps(HERE)), pair(mass=2.0)):
        assert other.fingerprint == HERE.fingerprint
        assert np.array_equal(ls.pose(HERE, other.state(lower=0.3), "lower").position, expected)
    bent = [ls.Model("m"), ls.Model("m")]
    for model, n_mode in zip(bent, (1, 2), strict=True):
        model.add(flexible_body(1, n_mode=n_mode), ls.Revolute("y"), name="a")
    one, two = (model.compile() for model in bent)
    with pytest.raises(ls.StateError, match="joints or modes"):
        ls.energy(one, two.state())


# Rotations

WRONG = {
    "reflection": (MIRROR, "determinant is -1: it is a reflection"),
    "stretch": (1.1 * np.eye(3), "it stretches by 1.1 to 1.1"),
    "shear": (np.eye(3) + np.eye(3, k=1), "not orthonormal"),
    "NaN": (np.full((3, 3), np.nan), "finite"),
}


def arm():
    model = ls.Model("arm")
    model.add(ls.RigidBody.sphere(1.0, 0.1), ls.Free(), name="hub")
    return model


GIVEN = {
    "add": lambda R: arm().add(ls.RigidBody(1.0), ls.Fixed(), name="b", to="hub", rotation=R),
    "move": lambda R: arm().move("hub", to=None, rotation=R),
    "close a": lambda R: arm().close(ls.Fixed(), "hub", None, name="l", rotation_a=R),
    "join b": lambda R: arm().join(ls.Fixed(), "hub", None, name="l", rotation_b=R),
    "attach": lambda R: arm().attach(arm(), prefix="x", rotation=R),
    "turned": lambda R: flexible_body(1).turned(R),
    "box": lambda R: ls.solids.Box(size=(1, 1, 1), rotation=R),
    "mesh": lambda R: ls.solids.Mesh(np.zeros((3, 3)), [[0, 1, 2]], rotation=R),
}


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_only_proper_rotations_are_taken(given):
    for R, words in WRONG.values():
        with pytest.raises(ls.ModelError) as caught:
            given(R)
        assert words in str(caught.value) and "rotation" in str(caught.value)


def test_rotations_but_for_rounding_are_made_exact():
    turn = ls.Revolute((1, 2, 2)).pose(np.array([0.7]))[0]
    rough = turn + 1e-9
    for R in (arm(), flexible_body(1).turned(rough), ls.solids.Box(size=(1, 1, 1), rotation=rough)):
        if isinstance(R, ls.Model):
            R.add(ls.RigidBody(1.0), ls.Fixed(), name="b", rotation=rough)
            R = R.parts["b"].rotation
        elif isinstance(R, ls.FlexibleBody):
            r = flexible_body(1).positions
            assert np.abs(R.positions @ R.positions.T - r @ r.T).max() < 1e-14
            continue
        else:
            R = R.rotation
        assert np.abs(R.T @ R - np.eye(3)).max() < 1e-15
        assert np.abs(R - turn).max() < 1e-8


# Names


def test_the_names_of_quantities_are_known_where_names_are_checked():
    whole = {"time", *quantities.STORED, *(n for n in quantities.SUMS if "." not in n)}
    assert set(naming.OF_WHOLE) == whole
    assert set(naming.OF_LOOPS) == set(channels.CLOSURE)
    assert set(naming.OF_BODIES) == {*quantities.NODE, *quantities.BODY}


@pytest.mark.parametrize("name", naming.OF_VECTORS)
def test_bodies_are_not_called_as_the_vectors_of_a_state(name):
    with pytest.raises(ls.ModelError, match=f"body name '{name}' is reserved.*another name"):
        arm().add(ls.RigidBody(1.0), ls.Fixed(), name=name)


@pytest.mark.parametrize("name", sorted({*naming.OF_WHOLE} - {*naming.OF_VECTORS}))
def test_a_body_that_has_the_name_of_a_quantity_is_warned_of(name):
    model = arm()
    model.add(ls.RigidBody(1.0, (0.1, 0, 0), 0.1), ls.Revolute("y"), name=name)
    with pytest.warns(ls.ModelWarning, match=f'"{name}.coordinates" for the body') as said:
        model.compile()
    assert len(said) == 1 and said[0].filename == __file__


def test_names_of_nodes_loops_and_couplings_are_warned_of():
    model = ls.Model("m")
    rod = ls.RigidBody(1.0, (0.1, 0, 0), 0.1)
    bar = flexible_body(1)
    bar = ls.FlexibleBody(bar.positions, bar.masses, bar.shapes, bar.stiffness, names={"load": 4})
    model.add(bar, ls.Revolute("y"), name="bar")
    for name in ("closure", "b"):
        model.add(rod, ls.Revolute("y"), name=name)
    with warnings.catch_warnings():  # "closure" is a quantity of systems with loops only
        warnings.simplefilter("ignore", ls.ModelWarning)
        assert len(naming.shadowing_warnings(model.compile())) == 1
    model.close(ls.Spherical(), "b", None, name="momentum")
    model.couple({"b": 1.0, "closure": 1.0}, name="force")
    with pytest.warns(ls.ModelWarning) as said:
        model.compile()
    text = "\n".join(str(one.message) for one in said)
    for words in (
        "node 'load' of body 'bar' has the name of a quantity",
        "body 'closure' has the name",
        "loop 'momentum' has the name",
        "coupling 'force' has the name",
    ):
        assert words in text


def test_usual_names_are_not_warned_of():
    for name in ("energy", "mass", "link1", "tip", "position"):
        model = arm()
        model.add(ls.RigidBody(1.0, (0.1, 0, 0), 0.1), ls.Revolute("y"), name=name)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.compile()


def test_a_body_may_be_called_self():
    model = ls.Model("m")
    model.add(ls.RigidBody(1.0, (0.1, 0, 0), 0.1), ls.Revolute("y"), name="self")
    assert model.compile().state(self=0.3)["self"] == 0.3


def test_a_node_is_not_called_by_the_number_of_another():
    bar = flexible_body(1)
    arrays = (bar.positions, bar.masses, bar.shapes, bar.stiffness)
    with pytest.raises(ls.ModelError, match="name '2' of node 1 is the number of"):
        ls.FlexibleBody(*arrays, names={"2": 1})
    assert ls.FlexibleBody(*arrays, names={"2": 2, "1012": 1}).names == {"2": 2, "1012": 1}


def test_a_coupling_is_not_called_as_a_frame_that_compile_makes():
    """A joint of `join` beside the body's frame gets the frame "body@join"."""
    model = ls.Model("bar")
    rod = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    model.add(rod, ls.Revolute("y"), name="a")
    model.add(rod, None, name="b")
    model.join(ls.Revolute("y"), None, "b", at_b=(0, 0, 1), name="pin")
    assert "b@pin" in model.compile().names
    model.couple({"a": 1.0}, name="b@pin")
    with pytest.raises(ls.ModelError, match="'b@pin' is needed for a massless body or a loop"):
        model.compile()
