"""Public objects pickle and come back equal; pictures and decks that crashed."""

import copy
import functools
import pickle
import random
import types
from collections.abc import Mapping

import numpy as np
import pytest
import scipy.sparse
import sympy

import lissom as ls
from tests.samples.nastran_files import DATA
from tests.samples.public_objects import public_objects

TUBE, THIN = ls.Tube(radius=0.03, thickness=0.003), ls.Tube(radius=0.02, thickness=0.003)


def thinner(x):
    return ls.Tube(radius=0.03 - 0.01 * x, thickness=0.003)


def knee(section, level="full"):
    nodes = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]
    members = [ls.Member(0, 1, section, ls.STEEL), ls.Member(1, 2, section, ls.STEEL)]
    return ls.frame(nodes, members, interfaces={"root": 0, "tip": 2}, modes=3, level=level)


@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
@pytest.mark.parametrize("section", [TUBE, (TUBE, THIN), thinner])
def test_frames_come_back_with_their_stresses(section, again):
    model = ls.Model("crane")
    model.add(knee(section), ls.Fixed(), name="knee")
    system, state = model.compile(), model.compile().state(**{"knee.modes": 1e-3 * np.ones(9)})
    expected = ls.stress(system, state, "knee", acceleration=np.zeros(9))
    for one in (again(model).compile(), again(system), again(state).system):
        found = ls.stress(one, (state.q, state.v), "knee", acceleration=np.zeros(9))
        assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def test_a_frame_with_a_function_that_cannot_be_pickled_says_so():
    body = knee(lambda x: thinner(x))
    with pytest.raises(ls.ModelError, match="member 0: its section is the function .*lambda.*def"):
        pickle.dumps(body)
    assert copy.deepcopy(body).mass == body.mass


def test_modes_of_a_stiffened_frame_move(tmp_path):
    model = ls.Model("crane")
    model.add(knee(TUBE, "stiffened"), ls.Fixed(), name="knee")
    system = model.compile()
    run = ls.modes(system, system.neutral()).animate(0)
    assert 0 < np.abs(run["knee.tip.position"] - run["knee.tip.position"][0]).max() < 1
    run.to_html(tmp_path / "mode.html")


@pytest.mark.parametrize("far", [1e308, 1e30])
def test_meshes_beyond_what_pictures_hold_are_refused(far):
    with pytest.raises(ls.ModelError, match=r"Mesh: vertices.*below 1e\+18 m"):
        ls.solids.Mesh([[0, 0, 0], [1, 0, 0], [0, far, 0]], [[0, 1, 2]])


@pytest.mark.parametrize("line", range(204, 334, 10))
def test_nastran_decks_without_a_line_of_the_mass_are_read_or_refused(tmp_path, line):
    """A missing term makes a mass matrix that is none."""
    lines = (DATA / "frame.bdf").read_text().splitlines(keepends=True)
    path = tmp_path / "frame.bdf"
    path.write_text("".join(lines[:line] + lines[line + 1 :]))
    ends = {"root": 11, "tip": 30}
    try:
        ls.read_nastran(path, mass="MAAX", stiffness="KAAX", interfaces=ends)
    except ls.ModelError as error:
        assert "mass" in str(error) or "MAAX" in str(error)


def test_a_nastran_mass_matrix_that_is_indefinite_is_named(tmp_path):
    lines = (DATA / "frame.bdf").read_text().splitlines(keepends=True)
    path = tmp_path / "frame.bdf"
    path.write_text("".join(lines[:224] + lines[225:]))
    with pytest.raises(ls.ModelError, match="mass matrix is indefinite"):
        ends = {"root": 11, "tip": 30}
        ls.read_nastran(path, mass="MAAX", stiffness="KAAX", interfaces=ends)


def test_a_diagonal_entry_of_the_mass_that_is_missing_shows_at_the_number_of_its_grid(tmp_path):
    lines = (DATA / "frame.bdf").read_text().splitlines(keepends=True)
    path = tmp_path / "frame.bdf"
    path.write_text("".join(lines[:221] + lines[223:]))  # grid 11, rotation y
    words = r"entry of node 11 \(z\) and node 11 \(rotation y\).* an entry that is missing"
    with pytest.raises(ls.ModelError, match=words):
        ends = {"root": 11, "tip": 30}
        ls.read_nastran(path, mass="MAAX", stiffness="KAAX", interfaces=ends)


def test_regions_and_patches_pickle():
    x = np.random.default_rng(0).random((20, 3))
    for region in (
        ls.regions.plane("x", 0.3, tolerance=0.2),
        ls.regions.box((0, 0, 0), (0.5, 1, 1)),
        ls.regions.cylinder((0.5, 0.5, 0), "z", 0.3),
    ):
        again = pickle.loads(pickle.dumps(ls.Patch(region)))
        assert type(again) is ls.Patch
        assert np.array_equal(pickle.loads(pickle.dumps(region))(x), region(x))
        assert 0 < region(x).sum() < 20


def pickled(x):
    return pickle.loads(pickle.dumps(x))


def difference(a, b, path="", seen=None):
    """Where two objects differ in their types or numbers; empty if nowhere."""
    seen = set() if seen is None else seen
    if a is b or (id(a), id(b)) in seen:
        return ""
    seen.add((id(a), id(b)))
    if type(a) is not type(b):
        return f"{path}: {type(a).__name__} and {type(b).__name__}"
    if isinstance(a, np.ndarray):
        equal = a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
        return "" if equal or a.dtype == object else path
    if scipy.sparse.issparse(a):
        return "" if a.shape == b.shape and abs(a - b).nnz == 0 else path
    if isinstance(a, Mapping):
        if len(a) != len(b):
            return f"{path}: lengths"
        pairs = [("", x, y) for x, y in zip(a, b, strict=True)]  # keys, nodes of graphs for some
        pairs += [(f"[{x!r}]", a[x], b[y]) for x, y in zip(a, b, strict=True)]
    elif isinstance(a, (list, tuple)) and not hasattr(a, "__dict__"):
        if len(a) != len(b):
            return f"{path}: lengths"
        pairs = [(f"[{k}]", x, y) for k, (x, y) in enumerate(zip(a, b, strict=True))]
    elif isinstance(a, (types.FunctionType, types.BuiltinFunctionType, type)):
        return "" if a.__name__ == b.__name__ else path
    elif isinstance(a, random.Random):
        return "" if a.getstate() == b.getstate() else path
    elif type(a).__module__.startswith("lissom"):
        names = sorted(stored(a) & stored(b))
        pairs = [(f".{key}", getattr(a, key), getattr(b, key)) for key in names]
        if isinstance(a, tuple):
            pairs.append(("()", tuple(a), tuple(b)))
    else:
        return "" if repr(a) == repr(b) else path
    return next((text for key, x, y in pairs if (text := difference(x, y, path + key, seen))), "")


def stored(x):
    """Attributes of an object that are not results of computations on demand."""
    cached = {
        name
        for kind in type(x).__mro__
        for name, entry in vars(kind).items()
        if isinstance(entry, functools.cached_property)
    }
    slots = {name for kind in type(x).__mro__ for name in getattr(kind, "__slots__", ())}
    names = slots | getattr(x, "__dict__", {}).keys()
    return {name for name in names if hasattr(x, name)} - cached - DERIVED


DERIVED = {"solved", "derived", "_cache", "_quick"}  # computed when it is needed


OF_THIS_PROCESS = {  # and what is refused
    "Stepper": (pickled,),
    "View": (pickled, copy.copy, copy.deepcopy),
    "LiveView": (pickled, copy.copy, copy.deepcopy),
}


@pytest.mark.filterwarnings("ignore")
def test_every_public_object_is_copied_as_it_is_or_refused_by_name(tmp_path):
    for thing in public_objects(tmp_path):
        kind = type(thing).__name__
        for again in (pickled, copy.copy, copy.deepcopy):
            if again in OF_THIS_PROCESS.get(kind, ()):
                with pytest.raises(ls.CopyError, match=f"a {kind} cannot be .*process"):
                    again(thing)
                continue
            other = again(thing)
            assert type(other) is type(thing), kind
            assert repr(other) == repr(thing), kind
            if kind == "Stepper":  # a copy goes on from where the other one is
                assert difference((thing.time, thing.state), (other.time, other.state)) == ""
            else:
                assert difference(thing, other, kind) == ""


def test_a_difference_between_objects_is_seen():
    one = ls.RigidBody(2.0, com=(0.1, 0, 0))
    assert difference(one, ls.RigidBody(2.0, com=(0.1, 0, 1e-15))) == ".com"
    system = ls.library.rigid_chain(1).compile()
    assert difference(system.state(q=[0.3]), system.state(q=[0.3 + 1e-16])).endswith("q")
    table = ls.Table([0, 1], [0, 5])
    assert difference(ls.Actuator("arm", table), ls.Actuator("arm", ls.Table([0, 1], [0, 6])))
    assert not difference(one, ls.RigidBody(2.0, com=(0.1, 0, 0)))


def pendulum():
    m, length = sympy.symbols("m l", positive=True)
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(m, com=(length, 0, 0)), ls.Revolute("y"), name="rod")
    return ls.symbolic.derive(model), {m: 2.0, length: 0.5}


@pytest.mark.parametrize("again", [pickled, copy.copy, copy.deepcopy])
def test_generated_functions_compute_the_same_from_a_pickle(again):
    equations, values = pendulum()
    functions = equations.lambdify(values=values)
    other = again(functions)
    assert other.source == functions.source
    assert other.mass(np.array([0.3])) == functions.mass(np.array([0.3])) == [[0.5]]
    with pytest.raises(ls.StateError):
        other.mass(np.zeros(2))


@pytest.mark.parametrize("again", [pickled, copy.copy, copy.deepcopy])
def test_linearized_equations_have_their_matrices_in_a_pickle(again):
    linear = pendulum()[0].linearize()
    other = again(linear)
    assert other == linear and other.A == linear.A and other.B == linear.B
