"""Mistakes with symbolic equations end in one of our errors, with the part and the remedy."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager

import numpy as np
import pytest
import sympy
from scipy.spatial.transform import Rotation

import lissom as ls
from lissom.symbolic import derive, joint_configuration, joint_kinematics, joint_map
from tests.references.peers import peer

m, l, g = sympy.symbols("m l g", positive=True)  # noqa: E741
VALUES = {m: 1.0, l: 2.0, g: 9.81}


def pendulum(mass=m, length=l, gravity=g, joint=None, name="rod"):
    model = ls.Model("pendulum", gravity=(0, 0, -gravity))
    model.add(ls.RigidBody(mass, com=(length, 0, 0)), joint or ls.Revolute("y"), name=name)
    return model


def pair(first="upper", second="lower"):
    model = ls.Model("pair")
    bar = ls.RigidBody(1.0, (1, 0, 0), 1.0)
    model.add(bar, ls.Revolute("y"), name=first)
    model.add(bar, ls.Revolute("y"), to=first, at=(2, 0, 0), name=second)
    return model


@contextmanager
def refused(error, *words):
    """The block ends in this error, whose message has all the words in this order."""
    with pytest.raises(error) as caught:
        yield
    assert type(caught.value) is error
    message = str(caught.value)
    assert re.search(".*".join(re.escape(word) for word in words), message), message
    assert "\n" not in message


# Names


def test_parameter_called_like_a_coordinate():
    words = ("'q_rod'", "coordinate", "rename the parameter", "coordinates=")
    with refused(ls.SymbolicError, *words):
        derive(pendulum(sympy.Symbol("q_rod")))
    with refused(ls.SymbolicError, "'m'", "rename"):
        derive(pendulum(), coordinates="m")
    own = sympy.Symbol("q_rod", real=True)  # the very symbol of the coordinate
    with refused(ls.SymbolicError, *words):
        derive(pendulum(own))
    assert derive(pendulum(own), coordinates="angle").parameters == (g, l, own)


def test_parameter_called_like_a_speed():
    with refused(ls.SymbolicError, "'v_rod'", "speed"):
        derive(pendulum(sympy.Symbol("v_rod")))


def test_coordinate_called_like_a_speed():
    with refused(ls.SymbolicError, "'a'", "a speed", "speeds="):
        derive(pair(), coordinates="a b", speeds="u a")


def test_two_different_symbols_with_the_same_name():
    model = pendulum(sympy.Symbol("x"), sympy.Symbol("x", positive=True))
    with refused(ls.SymbolicError, "'rod'", "'x'", "a parameter", "rename"):
        derive(model)


def test_coordinates_given_twice():
    with refused(ls.SymbolicError, "coordinates", "duplicate names a;", "different names"):
        derive(pair(), coordinates=["a", "a"])


def test_bodies_whose_coordinates_would_have_the_same_name():
    model = pair("arm 1", "arm-1")
    with refused(ls.SymbolicError, "duplicate names q_arm_1;", "coordinates="):
        derive(model)
    assert len(derive(model, coordinates="a b", speeds="u v").coordinates) == 2


@pytest.mark.parametrize(
    ("given", "words"),
    (
        ("a", ("coordinates: 1 names", "has 2: q_upper, q_lower", "one for each")),
        ("a b c", ("coordinates: 3 names", "has 2", "one for each")),
        ([1, 2], ("coordinates", "1 is not a name", "SymPy symbols")),
        (["a", ""], ("coordinates", "'' is not a name")),
        (5, ("coordinates is 5", "give names")),
    ),
)
def test_coordinates_that_do_not_fit(given, words):
    with refused(ls.SymbolicError, *words):
        derive(pair(), coordinates=given)
    speeds = tuple(word.replace("coordinates", "speeds").replace("q_", "v_") for word in words)
    with refused(ls.SymbolicError, *speeds):
        derive(pair(), speeds=given)


def test_parameters_called_like_the_inputs_of_a_program_are_told_apart():
    force = sympy.Symbol("f[0]", positive=True)
    functions = derive(pendulum(force)).lambdify(values={force: 2.0, l: 1.0, g: 10.0})
    np.testing.assert_allclose(functions.forward_dynamics([0.0], [0.0], [6.0]), [13.0])


# Values


def test_symbol_without_a_value():
    with refused(ls.SymbolicError, "no number for g, l", "values="):
        derive(pendulum()).lambdify(values={m: 1.0})
    with refused(ls.ModelError, "g", "values="):
        pendulum().compile(values={m: 1.0, l: 1.0})


@pytest.mark.parametrize(
    ("values", "words"),
    (
        ({"mm": 1.0}, ("values", "no parameter 'mm'", "did you mean 'm'?")),
        ({"q_rod": 1.0}, ("values", "no parameter 'q_rod'", "known: 'g', 'l', 'm'")),
        ({m: np.nan}, ("values", "m is nan", "finite number")),
        ({m: np.inf}, ("values", "m is inf", "finite number")),
        ({m: 10**400}, ("values", "m is 1000", "expected a number")),
        ({m: 1j}, ("values", "m is 1j", "expected a number")),
        ({m: "heavy"}, ("values", "m is 'heavy'", "expected a number")),
        ({m: l}, ("values", "m is l", "expected a number")),
        ([1.0], ("values is [1.0]", "dictionary")),
    ),
)
def test_values_that_are_no_numbers_of_parameters(values, words, tmp_path):
    equations = derive(pendulum())
    for call in (
        lambda: equations.lambdify(values=values),
        lambda: equations.to_c(tmp_path, values=values),
        lambda: equations.to_python(tmp_path / "x.py", values=values),
        lambda: equations.to_casadi(values=values),
        lambda: equations.staged("mass", values=values),
        lambda: equations.latex(values=values),
    ):
        with refused(ls.SymbolicError, *words):
            call()
    assert list(tmp_path.iterdir()) == []


def test_values_that_take_the_inertia_away(tmp_path):
    with refused(ls.SymbolicError, "values", "forward_dynamics divides by zero", "functions="):
        derive(pendulum()).to_c(tmp_path, values={m: 0})
    equations = derive(pendulum())
    assert equations.lambdify(values=VALUES | {m: 0}, functions=["bias"]).bias([0.3], [1.0]) == 0


# Files


def test_file_in_the_place_of_the_folder(tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("mine")
    words = (str(taken), "a file, not a folder", "correct the path")
    equations = derive(pendulum())
    with refused(ls.ResultError, *words):
        equations.to_c(taken)
    with refused(ls.ResultError, *words):
        equations.to_c(taken / "deep")
    with refused(ls.ResultError, *words):
        equations.to_python(taken / "rod.py")
    assert taken.read_text() == "mine"


def test_folder_in_the_place_of_the_file(tmp_path):
    with refused(ls.ResultError, str(tmp_path), "it is a folder", "name of a file"):
        derive(pendulum()).to_python(tmp_path)


def test_things_that_are_no_paths():
    with refused(ls.ResultError, "folder is 5", "give a path"):
        derive(pendulum()).to_c(5)
    with refused(ls.ResultError, "path is None", "give"):
        derive(pendulum()).to_python(None)


def test_errors_of_files_are_errors_of_the_system_too(tmp_path):
    with pytest.raises(OSError):
        derive(pendulum()).to_python(tmp_path)


# Names in C


@pytest.mark.parametrize("word", ("double", "class", "INFINITY", "_Bool", "xor"))
def test_reserved_word_of_c_as_a_parameter(word, tmp_path):
    equations = derive(pendulum(sympy.Symbol(word, positive=True)))

    with refused(
        ls.SymbolicError, f"parameter '{word}'", "reserved word in C", "rename", "values="
    ):
        equations.to_c(tmp_path)
    assert list(tmp_path.iterdir()) == []
    equations.to_c(tmp_path, values={word: 1.0})
    equations.to_python(tmp_path / "x.py")


@pytest.mark.parametrize("word", ("größe", "\\mu", "m'", "2m", "a b"))
def test_parameter_that_is_no_name_in_c(word, tmp_path):
    equations = derive(pendulum(sympy.Symbol(word, positive=True)))

    words = (repr(word), "is not a valid name in C", "rename", "values=")
    with refused(ls.SymbolicError, *words):
        equations.to_c(tmp_path)
    assert equations.lambdify(values=VALUES_WITHOUT_MASS | {word: 1.0}).mass([0.0]) == 4.0


VALUES_WITHOUT_MASS = {l: 2.0, g: 9.81}


def test_frames_whose_functions_would_have_the_same_name(tmp_path):
    equations = derive(pair("tip 1", "tip+1"), coordinates="a b", speeds="u v")

    with refused(ls.SymbolicError, "'tip 1' and 'tip+1'", "same name", "frames="):
        equations.to_c(tmp_path, frames=["tip 1", "tip+1"])


# Choices


@pytest.mark.parametrize(
    ("call", "error", "words"),
    (
        (lambda: derive(pendulum(), level="exact"), ls.ModelError, ("'exact'", '"stiffened"')),
        (lambda: derive(pendulum(), level=3), ls.ModelError, ("level is 3", '"linear"')),
        (lambda: derive(pendulum(), form="hamilton"), ls.SymbolicError, ("form", '"lagrange"')),
        (lambda: derive(pendulum(), form=None), ls.SymbolicError, ("form is None", '"poincare"')),
        (
            lambda: derive(pendulum()).lambdify(values=VALUES, backend="torch"),
            ls.SymbolicError,
            ("backend is 'torch'", '"numpy", "numba" or "jax"'),
        ),
        (
            lambda: derive(pendulum()).python_source(backend=["numpy"]),
            ls.SymbolicError,
            ("backend is ['numpy']", '"numpy", "numba", "jax" or "casadi"'),
        ),
        (
            lambda: derive(pendulum()).to_c("unwritten", real="half"),
            ls.SymbolicError,
            ("real is 'half'", '"double" or "float"'),
        ),
        (
            lambda: derive(pendulum()).jacobian("rod", axes="own"),
            ls.SymbolicError,
            ("axes is 'own'", '"world" or "body"'),
        ),
        (
            lambda: derive(pendulum()).lambdify(values=VALUES, functions=["masss"]),
            ls.SymbolicError,
            ("no function 'masss'", "did you mean 'mass'?"),
        ),
        (
            lambda: derive(pendulum()).staged("pose"),
            ls.SymbolicError,
            ("no function 'pose'", "did you mean 'pose_rod'?"),
        ),
        (
            lambda: derive(pendulum()).dependence("inertia"),
            ls.SymbolicError,
            ("no 'inertia'", "known: 'mass'"),
        ),
    ),
)
def test_choices_that_do_not_exist(call, error, words):
    with refused(error, *words):
        call()


# Models


def test_derive_of_something_else_than_a_model():
    with refused(ls.SymbolicError, "a Model", "not System"):
        derive(pair().compile())
    with refused(ls.SymbolicError, "a Model", "not NoneType"):
        derive(None)


@pytest.mark.parametrize("kind", ("close", "join"))
def test_model_with_loops(kind):
    model = pair()
    getattr(model, kind)(
        ls.Revolute("y"), None, "lower", at_a=(2, 0, 0), at_b=(2, 0, 0), name="pin"
    )
    assert derive(model).constraints.sources == ("pin", "pin")


def test_loop_of_a_joint_without_coordinates_in_closed_form():
    model, unit = pair(), np.eye(6)
    model.close(ls.CompoundJoint([unit[0], unit[1]]), None, "lower", name="pin")
    with refused(ls.SymbolicError, "loop 'pin'", "compound", "close the loop at another joint"):
        derive(model)


def test_model_without_bodies():
    with refused(ls.ModelError, "'void'", "no bodies", "model.add"):
        derive(ls.Model("void"))


def test_model_that_cannot_move():
    equations = derive(pendulum(joint=ls.Fixed()))
    with refused(ls.SymbolicError, "'pendulum'", "cannot move", "joint"):
        equations.to_casadi()
    assert equations.pose("rod") == sympy.eye(4) and equations.mass.shape == (0, 0)


@pytest.mark.parametrize(
    "mass", (sympy.gamma(m), m**l, sympy.Function("f")(l), sympy.asinh(m), sympy.floor(m))
)
def test_parameter_with_a_function_that_is_not_supported(mass):
    words = ("body 'rod'", f"parameter {mass}", "use a symbol instead", "sin, cos, tan, ")
    with refused(ls.SymbolicError, *words):
        derive(pendulum(mass))


@pytest.mark.parametrize("mass", (sympy.zoo, sympy.oo, sympy.nan, sympy.I))
def test_parameter_that_is_no_finite_real_number(mass):
    words = ("body 'rod'", f"parameter {mass}", "finite real number")
    with refused(ls.SymbolicError, *words):
        derive(pendulum(mass))


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_casadi_symbol_as_a_parameter():
    mass = peer("casadi").SX.sym("m")
    words = ("body 'rod'", "SX(m)", "SymPy", "to_casadi")
    with refused(ls.SymbolicError, *words):
        derive(pendulum(mass))


def test_casadi_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "casadi", None)

    with refused(ls.SymbolicError, "CasADi is not installed", "pip install"):
        derive(pendulum()).to_casadi()


def bending(couple):
    shapes = np.zeros((3, 6, 2))
    shapes[:, 4, 0], shapes[:, 5, 1] = (0, 0.3, 1), (0, 0.3, 1)
    shapes[:, 4, 1] = couple * shapes[:, 4, 0]
    positions = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    model = ls.Model("boom")
    body = ls.FlexibleBody(positions, [m, m, m], shapes, np.diag([10.0, 20.0]))
    model.add(body, ls.Revolute("z"), name="boom")
    return model


def test_flexible_body_with_symbols_and_coupled_modes():
    words = ("body 'boom'", "symbols", "modes are coupled", "give numbers", "diagonal stiffness")
    with refused(ls.ModelError, *words):
        derive(bending(0.5))
    assert derive(bending(0)).mass.shape == (3, 3)


def test_operators_of_a_flexible_body():
    with refused(ls.SymbolicError, "'boom' can bend", "lissom.operators"):
        _ = derive(bending(0)).operators


def test_lagrange_s_equations_of_a_quaternion():
    with refused(ls.SymbolicError, "body 'rod'", "spherical", "quaternion", "CompoundJoint"):
        derive(pendulum(joint=ls.Spherical()), form="lagrange")


# Inertia


def test_body_without_inertia_has_no_forward_dynamics():
    model = pair()
    model.add(ls.RigidBody(0), ls.Revolute("z"), to="upper", name="pointer")
    model.add(ls.RigidBody(m, (1, 0, 0)), ls.Revolute("z"), to="lower", name="hand")
    equations = derive(model)
    words = ("body 'pointer'", "moves no inertia", "give the body mass", "functions=")
    with refused(ls.SymbolicError, *words):
        equations.lambdify(values={m: 1.0})
    with refused(ls.SymbolicError, *words):
        equations.staged("forward_dynamics")
    with refused(ls.SymbolicError, "is singular", "mass and inertia"):
        _ = derive(pendulum(0)).linearize().A
    assert equations.lambdify(values={m: 1.0}, functions=["mass"]).mass(np.zeros(4)).shape == (4, 4)


def test_inertia_that_is_nothing_but_rounding_is_none():
    R = Rotation.from_rotvec([0.3, 0.5, 0.7]).as_matrix()
    inertia = R @ np.diag([0.0, 1.0, 1.0]) @ R.T
    model = ls.Model("compass")
    body = ls.RigidBody(1.0, inertia=(inertia + inertia.T) / 2)
    model.add(body, ls.Revolute(R[:, 0]), name="needle")

    with refused(ls.ModelError, "body 'needle'", "moves no inertia", "give the body mass"):
        derive(model).lambdify()


# Frames and points


def test_unknown_frame():
    equations = derive(pendulum())
    for call in (
        lambda: equations.pose("rodd"),
        lambda: equations.jacobian("rodd"),
        lambda: equations.joint_configuration("rodd"),
        lambda: equations.lambdify(values=VALUES, frames=["rodd"]),
        lambda: equations.to_casadi(frames="rodd"),
    ):
        with refused(ls.StateError, "no body 'rodd'", "did you mean 'rod'?"):
            call()
    with refused(ls.StateError, "'rod' has no node 'tip'", "rigid"):
        equations.pose("rod.tip")
    with refused(ls.SymbolicError, "frames is 5", "list of names"):
        equations.to_casadi(frames=5)


def test_point_that_is_none():
    equations = derive(pendulum())
    with refused(ls.SymbolicError, "at is 3", "three numbers"):
        equations.pose("rod", at=3)

    with refused(ls.SymbolicError, "'a'", "SymPy"):
        equations.jacobian("rod", at=("a", "b", "c"))


@pytest.mark.parametrize(
    ("at", "words"),
    (
        ({"q_rodd": 0}, ("at", "no symbol 'q_rodd'", "did you mean 'q_rod'?")),
        ({"v_rod": "fast"}, ("at: v_rod: 'fast' is neither a finite number",)),
        ({"q_rod": "0"}, ("at: q_rod: '0' is neither a finite number nor a SymPy expression",)),
        ({"q_rod": np.nan}, ("at: q_rod: nan is neither a finite number nor a SymPy expression",)),
        ({"q_rod": sympy.gamma(m)}, ("gamma(m)", "use a symbol instead")),
        ([0], ("at is [0]", "dictionary")),
    ),
)
def test_linearization_about_something_that_is_no_state_of_rest(at, words):
    with refused(ls.SymbolicError, *words):
        derive(pendulum()).linearize(at)


# Joint maps

UNIT = np.eye(6)
DEPENDENT = np.stack([UNIT[0], 2 * UNIT[0]], axis=1)


@pytest.mark.parametrize("function", (joint_configuration, joint_kinematics, joint_map))
@pytest.mark.parametrize(
    ("maps", "names", "words"),
    (
        (np.zeros((5, 2)), "a b", ("motion_maps", "shape (5, 2)", "expected (6, r)")),
        (np.ones((6, 7)), "a b c d e f g", ("shape (6, 7)", "r = 1 to 6")),
        (None, "a", ("motion_maps", "shape ()", "expected (6, r)")),
        ([], "a", ("motion_maps", "a list of such maps")),
        ([[1, 2], [3]], "a", ("motion_maps", "shape (2,)", "expected (6, r)")),
        (np.zeros((6, 1)), "a", ("motion_maps", "linearly dependent", "remove")),
        (DEPENDENT, "a b", ("motion_maps", "linearly dependent", "remove")),
        (l * sympy.Matrix(DEPENDENT), "a b", ("motion_maps", "linearly dependent", "remove")),
        ([UNIT[0], DEPENDENT], "a b c", ("map 1", "linearly dependent", "remove")),
        ([UNIT[0], UNIT[0]], "a b", ("2 motions", "in every configuration", "remove")),
    ),
)
def test_joint_maps_that_are_none(function, maps, names, words):
    with refused(ls.ModelError, *words):
        function(maps, names)


@pytest.mark.parametrize("function", (joint_configuration, joint_kinematics, joint_map))
def test_names_of_joint_coordinates_that_do_not_fit(function):
    H = UNIT[:, :3]
    error = ls.SymbolicError
    with refused(error, "2 names", "3 columns", "one for each"):
        function(H, "a b")
    with refused(error, "coordinates", "duplicate names b;"):
        function(H, "a b b")
    with refused(error, "'l'", "coordinate", "rename"):
        function([0, 0, 1, 0, 0, l], "l")
    with refused(error, "nan", "finite number"):
        function(np.full(6, np.nan), "a")


def test_nonholonomic_map_has_no_kinematics_of_its_own():
    words = ("nonholonomic", "columns 0 and 1", "compound joint", "least_squares=True")
    with refused(ls.ModelError, "the map is", *words):
        joint_kinematics(UNIT[:, :2], "a b")
    maps = [UNIT[5], l * sympy.Matrix(UNIT[:, :2])]
    with refused(ls.ModelError, "map 1 is", *words):
        joint_kinematics(maps, "a b c")
    assert joint_kinematics(UNIT[:, :2], "a b", least_squares=True).shape == (2, 2)
    assert joint_configuration(UNIT[:, :2], "a b").shape == (4, 4)


def test_joints_of_a_model_with_maps_that_are_none():
    turning = np.array([[l, 0], [0, l], *np.zeros((4, 2))], dtype=object)
    words = ("body 'rod'", "nonholonomic", "columns 0 and 1", "CompoundJoint")
    with refused(ls.SymbolicError, *words):
        derive(pendulum(joint=ls.SimpleJoint(turning)))
    twice = ls.SimpleJoint(l * DEPENDENT)
    words = ("body 'rod'", "linearly dependent", "remove")
    with refused(ls.SymbolicError, *words):
        derive(pendulum(joint=twice))
    with refused(ls.ModelError, "linearly dependent", "remove"):
        ls.SimpleJoint(DEPENDENT)
    with pytest.raises(ls.SymbolicError, match="'rod'.*moves no inertia"):
        derive(pendulum(joint=ls.CompoundJoint([l * UNIT[0], UNIT[0]]))).staged("forward_dynamics")
