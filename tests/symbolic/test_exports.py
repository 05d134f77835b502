"""Exported programs in C, NumPy and Numba give what the engine gives."""

from __future__ import annotations

import importlib.util
import re
from itertools import combinations

import numpy as np
import pytest
import sympy

import lissom as ls
from lissom.symbolic import derive
from lissom.symbolic.calculus import symbols_in
from lissom.symbolic.derivation import Derivation
from lissom.symbolic.program import Program
from tests.samples.symbolic_models import (
    SAMPLES,
    double_pendulum,
    engine,
    g,
    inputs_of,
    l1,
    m1,
    satellite,
    states,
)
from tests.tools.generated_c import CProgram, compile_strictly
from tests.tools.measures import TOLERANCE, error, forward_tolerance

EVERY_SAMPLE = pytest.mark.parametrize("name", SAMPLES)


def tolerances(expected, direct=TOLERANCE, forward=None):
    """Of each function; forward dynamics has the one that the mass matrix permits."""
    bounds = dict.fromkeys(expected, direct)
    return bounds | {"forward_dynamics": forward or forward_tolerance(expected["mass"])}


def check(call, expected, bounds):
    """Every function, called by name, against the engine."""
    off = {name: error(call(name), value) for name, value in expected.items()}
    assert {name: x for name, x in off.items() if not x <= bounds[name]} == {}


def imported(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# C


@EVERY_SAMPLE
def test_c_program_gives_what_the_engine_gives_also_over_its_inputs(name, tmp_path):
    sample = SAMPLES[name]()
    system = sample.system()
    program = CProgram(*sample.equations().to_c(tmp_path))
    numbers = {symbol.name: x for symbol, x in sample.values.items()}
    assert program.fields == sorted(numbers)
    frames = last_frames(system)
    for inputs in states(system):
        expected = engine(system, inputs, frames)
        assert set(expected) == set(program.functions)
        bounds = tolerances(expected)
        check(lambda f, x=inputs: program(f, x, numbers), expected, bounds)
        for over in ("q", "v", "forces", "acceleration"):
            taken = {f: x for f, x in expected.items() if over in inputs_of(f)}
            check(lambda f, x=inputs, o=over: program(f, x, numbers, over=o), taken, bounds)


def last_frames(system):
    """Frames that a program has by default: those of the bodies that carry nothing."""
    carriers = {int(p) for p in system.parent}
    leaves = [i for i in range(system.n_body) if i not in carriers]
    tips = {i: ".tip" if "tip" in system.bodies[i].node_names else "" for i in leaves}
    return tuple(f"{system.names[i]}{tip}" for i, tip in tips.items())


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "all joints"])
def test_c_program_in_single_precision_is_right_to_single_precision(name, tmp_path):
    sample = SAMPLES[name]()
    system = sample.system()
    functions = ["mass", "forward_dynamics", "qdot", "energy"]
    written = sample.equations().to_c(
        tmp_path, name="single", real="float", values=sample.values, functions=functions
    )
    program = CProgram(*written)
    text = without_comments(program.source)
    numbers = re.findall(r"(?<![\w.\[])\d[\d.]*(?:e[-+]?\d+)?f?", text)
    assert numbers and all(x.endswith("f") for x in numbers) and "double" not in text
    assert called_in(text) <= {"sinf", "cosf", "sqrtf"}
    for inputs in states(system):
        rounded = {key: x.astype(np.float32).astype(float) for key, x in inputs.items()}
        expected = {f: x for f, x in engine(system, rounded).items() if f in functions}
        condition = np.linalg.cond(expected["mass"])
        bounds = tolerances(expected, 1e-5, 1e-5 + 4 * np.finfo(np.float32).eps * condition)
        check(lambda f, x=rounded: program(f, x), expected, bounds)


def test_numbers_in_the_struct_and_numbers_in_the_program_give_the_same(tmp_path):
    sample = double_pendulum()
    equations = sample.equations()
    numbers = {symbol.name: x for symbol, x in sample.values.items()}
    some = {m1: numbers["m1"], "g": numbers["g"]}
    open_ = CProgram(*equations.to_c(tmp_path, name="open"))
    half = CProgram(*equations.to_c(tmp_path, name="half", values=some))
    baked = CProgram(*equations.to_c(tmp_path, name="baked", values=numbers))
    assert (len(open_.fields), half.fields, baked.fields) == (5, ["l1", "l2", "m2"], [])
    assert "struct" not in baked.header
    inputs = states(sample.system())[0]
    for function in open_.functions:
        expected = open_(function, inputs, numbers)
        assert error(half(function, inputs, numbers), expected) < 1e-14
        assert error(baked(function, inputs), expected) < 1e-14


@EVERY_SAMPLE
def test_c_source_allocates_nothing_and_needs_its_header_and_math_alone(name, tmp_path):
    header, source = SAMPLES[name]().equations().to_c(tmp_path, name="sample")
    text = without_comments(source.read_text())
    assert re.findall(r"^#.*", text, re.MULTILINE) == ['#include "sample.h"', "#include <math.h>"]
    assert "#include" not in header.read_text()
    assert called_in(text) <= {"sin", "cos", "sqrt"}
    variables = set(re.findall(r"^    (?!out\[)(.*?) = ", text, re.MULTILINE))
    assert variables and all(re.fullmatch(r"const double \w+", x) for x in variables)


def called_in(text):
    """Functions that C functions call, at least one."""
    called = re.findall(r"(\w+)\(", re.sub(r"^void .*", "", text, flags=re.MULTILINE))
    assert called
    return set(called)


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def test_header_serves_cpp_and_can_be_included_twice(tmp_path):
    header, _ = double_pendulum().equations().to_c(tmp_path)
    user = tmp_path / "user.c"
    user.write_text(f'#include "{header.name}"\n#include "{header.name}"\n' + USER_OF_HEADER)
    compile_strictly(user, "-c", "-o", str(tmp_path / "user.o"))
    text = header.read_text()
    assert text.count("extern") == 1 and "#ifdef __cplusplus" in text


USER_OF_HEADER = """
double first(const double *q, double m1);
double first(const double *q, double m1)
{
    double_pendulum_parameters p = {9.81, 1.0, 1.0, 0.0, 1.0};
    double M[DOUBLE_PENDULUM_N_V * DOUBLE_PENDULUM_N_V], x[DOUBLE_PENDULUM_N_Q];
    p.m1 = m1;
    x[0] = q[0];
    x[1] = q[1];
    double_pendulum_mass(x, &p, M);
    return M[0];
}
"""


def test_c_names_survive_strange_names_of_models_and_bodies(tmp_path):
    model = ls.Model("2. Träger */ /* \\", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(1.0, (1, 0, 0), 0.1), ls.Revolute("y"), name='Größe 1 "x" */')
    program = CProgram(*derive(model).to_c(tmp_path))
    system = model.compile()
    inputs = states(system)[0]
    expected = ls.pose(system, system.state(q=inputs["q"]), system.names[0]).rotation
    pose = next(name for name in program.functions if name.startswith("pose"))
    assert error(program(pose, inputs)[:3, :3], expected) < TOLERANCE


def test_c_program_of_a_chain_of_ten_bodies(tmp_path):
    model = ls.library.turned_chain(10)
    system = model.compile()
    functions = ["bias", "forward_dynamics"]
    program = CProgram(*derive(model).to_c(tmp_path, functions=functions))
    assert list(program.functions) == functions
    for inputs in states(system):
        expected = engine(system, inputs)
        bounds = tolerances(expected)
        check(lambda f, x=inputs: program(f, x), {f: expected[f] for f in functions}, bounds)


# Length


def test_statements_of_forward_dynamics_grow_linearly_with_the_bodies():
    statements = {
        n: len(derive(ls.library.turned_chain(n)).staged("forward_dynamics").assignments)
        for n in (6, 12, 18)
    }
    first, second = statements[12] - statements[6], statements[18] - statements[12]
    assert abs(second - first) <= 0.02 * first
    assert 100 < first / 6 < 150  # statements of one more body


# NumPy and Numba


@EVERY_SAMPLE
def test_numpy_functions_give_what_the_engine_gives(name):
    sample = SAMPLES[name]()
    system = sample.system()
    frames = system.names
    functions = sample.equations().lambdify(values=sample.values, frames=frames)
    for inputs in states(system):
        expected = engine(system, inputs, frames)
        bounds = tolerances(expected)
        check(lambda f, x=inputs: called(functions, f, x), expected, bounds)


def called(functions, name, inputs):
    return getattr(functions, name)(*(inputs[key] for key in inputs_of(name)))


@EVERY_SAMPLE
def test_numpy_functions_take_arrays_of_states(name):
    sample = SAMPLES[name]()
    system = sample.system()
    functions = sample.equations().lambdify(values=sample.values)
    each = states(system)[:3]
    pairs = [(each[i], each[j]) for i, j in ((0, 1), (1, 2), (2, 0))]
    batch = {
        key: np.array([[x[key] for x in pair] for pair in pairs]).transpose(2, 0, 1)
        for key in each[0]
    }
    for function in sample.equations().functions:
        results = called(functions, function, batch)
        for i, pair in enumerate(pairs):
            for j, inputs in enumerate(pair):
                alone = called(functions, function, inputs)
                assert results.shape == (*alone.shape, 3, 2)
                assert error(results[..., i, j], alone) < 1e-14


def test_numpy_functions_take_one_value_for_many_states():
    functions = double_pendulum().equations().lambdify(values=double_pendulum().values)
    angles = np.linspace(-1, 1, 5)
    result = functions.forward_dynamics([0.3, angles], [0.1, 0.2], [0.0, 0.0])
    assert result.shape == (2, 5)
    for k, angle in enumerate(angles):
        alone = functions.forward_dynamics([0.3, angle], [0.1, 0.2], [0.0, 0.0])
        assert error(result[:, k], alone) < 1e-14


@pytest.mark.parametrize("make", (double_pendulum,))
def test_numba_functions_give_what_the_engine_gives(make):
    sample = make()
    system = sample.system()
    frames = system.names[-1:]
    functions = sample.equations().lambdify(values=sample.values, backend="numba", frames=frames)
    for inputs in states(system):
        expected = engine(system, inputs, frames)
        check(lambda f, x=inputs: called(functions, f, x), expected, tolerances(expected))


def test_numba_functions_choose_the_series_near_zero_as_the_others_do():
    model = ls.Model("slow")
    model.add(
        ls.RigidBody(1.0, (0.1, 0.2, 0.3), (1, 2, 2.5)),
        ls.SimpleJoint([0.03, 0.02, 0.01, 1, 2, 0]),
        name="nut",
    )
    equations, system = derive(model), model.compile()
    chosen = ["mass", "pose_nut"]
    source = equations.python_source(backend="numba", functions=chosen)
    assert " if " in source and " else " in source
    functions = equations.lambdify(backend="numba", functions=chosen)
    for angle in (0.0, 1e-6, 0.3, 40.0):
        inputs = {"q": np.array([angle]), "v": np.zeros(1)}
        inputs |= {"forces": np.zeros(1), "acceleration": np.zeros(1)}
        expected = engine(system, inputs, ("nut",))
        for name in chosen:
            assert error(called(functions, name, inputs), expected[name]) < TOLERANCE


@pytest.mark.parametrize("backend", ("numpy", "numba"))
def test_written_module_can_be_imported(backend, tmp_path):
    sample = double_pendulum()
    equations = sample.equations()
    path = equations.to_python(tmp_path / "deep" / "pendulum.py", backend=backend, frames=["lower"])
    assert path.read_text() == equations.python_source(backend=backend, frames=["lower"])
    module = imported(path)
    system = sample.system()
    p = np.array([sample.values[symbol] for symbol in equations.parameters])
    assert "p: g, l1, l2, m1, m2" in module.__doc__
    inputs = states(system)[0]
    expected = engine(system, inputs, ("lower",))
    for name, value in expected.items():
        result = getattr(module, name)(*(inputs[key] for key in inputs_of(name)), p)
        assert error(result, value) < TOLERANCE


def test_written_module_needs_numpy_alone(tmp_path):
    path = satellite("full").equations().to_python(tmp_path / "satellite.py")
    used = set(re.findall(r"^(?:import|from) (\w+)", path.read_text(), re.MULTILINE))
    assert used == {"numpy"}


def test_python_module_survives_strange_names(tmp_path):
    model = ls.Model('"""\\N{} \\u12 {0}')
    slash = sympy.Symbol('\\theta"""', positive=True)
    model.add(ls.RigidBody(slash, (1, 0, 0)), ls.Revolute("z"), name='ﬁ"""')
    equations = derive(model)
    for backend in ("numpy", "casadi"):
        module = imported(equations.to_python(tmp_path / f"{backend}.py", backend=backend))
        assert model.name in module.__doc__ and slash.name in module.__doc__
        assert float(module.mass([0.0], [2.5])[0, 0]) == 2.5
    assert equations.lambdify(values={slash: 3.0}).pose_fi___([0.0]).shape == (4, 4)


def test_chosen_functions_are_the_only_ones():
    equations = double_pendulum().equations()
    functions = equations.lambdify(
        values=double_pendulum().values, functions=["coriolis", "mass"], frames="upper"
    )
    assert sorted(vars(functions)) == ["coriolis", "mass", "source"]
    q, v = np.array([0.4, -0.9]), np.array([1.0, 0.5])
    system = double_pendulum().system()
    still, moving = (ls.bias_force(system, system.state(q=q, v=x)) for x in (np.zeros(2), v))
    assert error(functions.coriolis(q, v) @ v, moving - still) < TOLERANCE


def test_any_of_the_parameters_may_have_numbers():
    """Expressions that equal those with numbers may be known in forms with the symbols."""
    sample = double_pendulum()
    equations, inputs = sample.equations(), states(sample.system())[0]
    expected = engine(sample.system(), inputs)
    for n in range(len(sample.values)):
        for given in combinations(sample.values, n):
            left = [s for s in equations.parameters if s not in given]
            source = equations.python_source(values={s: sample.values[s] for s in given}, frames=[])
            space = {}
            exec(source, space)
            p = [sample.values[s] for s in left]
            for name, value in expected.items():
                result = space[name](*(inputs[key] for key in inputs_of(name)), p)
                assert error(result, value) < TOLERANCE, (name, given)


def test_functions_are_written_without_symbols_that_cancel():
    d = Derivation(double_pendulum().model, "linear")
    force = Program(d).forces[0]
    mass, inner, outer, angle = (d.graph.symbols[x] for x in ("m2", "l1", "l2", "q_lower"))
    arm = outer + inner * angle.cos()
    roundabout = (force + mass * outer) * arm - force * arm
    assert d.mass[0, 1] is roundabout and "f[0]" in symbols_in([roundabout])
    function = Program(d, functions=["mass"]).function("mass")
    assert symbols_in(list(function.output.ravel())) <= {"q_lower", "m1", "m2", "l1", "l2"}
    assert function.output[0, 1].residue == roundabout.residue


def test_some_parameters_may_have_numbers_in_a_module(tmp_path):
    sample = double_pendulum()
    path = sample.equations().to_python(tmp_path / "half.py", values={l1: 1.1, "l2": 0.6, g: 9.81})
    module = imported(path)
    inputs = states(sample.system())[0]
    expected = engine(sample.system(), inputs)["mass"]
    assert error(module.mass(inputs["q"], [1.3, 0.7]), expected) < TOLERANCE
