"""Wrong input to the compiled text: an error of our own that names the part, never a NaN."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import sympy

import lissom as ls
from tests.references.reference_quantities import Reference
from tests.samples.flexible_arms import spacecraft
from tests.samples.kernel_cases import far_state, rigid

SYSTEM = replace(spacecraft(damping=0.01), gravity=np.array([1.0, -2.0, -9.81]))
STATE = far_state(SYSTEM, np.random.default_rng(0))
N_ROW = 4
BAD = (np.nan, np.inf, -np.inf)


def owners(kind):
    """Body that each entry of q or v belongs to."""
    found = {}
    for name in SYSTEM.names:
        for part in ("modal", "hinge"):
            piece = getattr(SYSTEM.layout, f"{part}_{kind}")(name)
            found |= dict.fromkeys(range(piece.start, piece.stop), name)
    return [found[k] for k in range(len(found))]


def rows():
    """Q, V, F and A of four states."""
    rng = np.random.default_rng(1)
    states = [far_state(SYSTEM, rng) for _ in range(N_ROW)]
    Q, V = np.array([s.q for s in states]), np.array([s.v for s in states])
    return {"Q": Q, "V": V, "F": np.ones(V.shape), "A": np.ones(V.shape)}


def forward_batch(x, **options):
    return ls.forward_dynamics_batch(SYSTEM, x["Q"], x["V"], x["F"], **options)


def inverse_batch(x, **options):
    return ls.inverse_dynamics_batch(SYSTEM, x["Q"], x["V"], x["A"], **options)


def refused(call, *words, kind=ls.StateError):
    """The error of a call, whose message must contain the words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(kind) as caught:
            call()
    for word in words:
        assert word in str(caught.value), str(caught.value)
    return caught.value


TAKES_SPEEDS = {
    "v": lambda x: SYSTEM.state(STATE.q, x),
    "forces": lambda x: ls.forward_dynamics(SYSTEM, STATE, x),
    "forces, composite": lambda x: ls.forward_dynamics(SYSTEM, STATE, x, method="composite"),
    "armature": lambda x: ls.forward_dynamics(SYSTEM, STATE, armature=x),
    "acceleration": lambda x: ls.inverse_dynamics(SYSTEM, STATE, x),
    "acceleration of joint forces": lambda x: ls.joint_forces(SYSTEM, STATE, x),
    "forces of joint forces": lambda x: ls.joint_forces(SYSTEM, STATE, forces=x),
    "acceleration of a frame": lambda x: ls.acceleration(SYSTEM, STATE, "panel.tip", x),
    "x of multiply_mass": lambda x: ls.multiply_mass(SYSTEM, STATE, x),
    "x of solve_mass": lambda x: ls.solve_mass(SYSTEM, STATE, x),
    "armature of solve_mass": lambda x: ls.solve_mass(SYSTEM, STATE, STATE.v, armature=x),
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("what", TAKES_SPEEDS)
def test_entry_that_is_not_finite_names_its_body(what, bad):
    for k, name in enumerate(owners("v")):
        x = np.ones(SYSTEM.n_v)
        x[k] = bad
        refused(lambda x=x: TAKES_SPEEDS[what](x), repr(name))


@pytest.mark.parametrize("bad", BAD)
def test_coordinate_that_is_not_finite_names_its_body(bad):
    for k, name in enumerate(owners("q")):
        q = STATE.q.copy()
        q[k] = bad
        refused(lambda q=q: SYSTEM.state(q), repr(name))


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("what", ["Q", "V", "F", "A"])
def test_row_that_is_not_finite_names_row_and_body(what, bad):
    for k, name in enumerate(owners("q" if what == "Q" else "v")):
        x = rows()
        x[what][2, k] = bad
        batches = {"F": [forward_batch], "A": [inverse_batch]}
        for batch in batches.get(what, [forward_batch, inverse_batch]):
            for threads in (1, 2):
                refused(lambda x=x, b=batch, t=threads: b(x, threads=t), repr(name), "row 2")


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("where", ["hub", "boom.tip", "boom.side", "boom.1", "panel", "dish"])
def test_external_force_that_is_not_finite_names_its_body(where, bad):
    body = where.partition(".")[0]
    for k in range(6):
        wrench = np.ones(6)
        wrench[k] = bad
        given = {"hub": np.ones(6), where: wrench}
        refused(lambda e=given: ls.forward_dynamics(SYSTEM, STATE, external=e), body)
        refused(lambda e=given: ls.inverse_dynamics(SYSTEM, STATE, STATE.v, external=e), body)
        refused(lambda e=given: ls.joint_forces(SYSTEM, STATE, external=e), body)


@pytest.mark.parametrize("bad", BAD)
def test_piece_by_name_that_is_not_finite_names_its_body(bad):
    refused(lambda: ls.forward_dynamics(SYSTEM, STATE, {"panel": bad}), "'panel'")
    refused(lambda: ls.forward_dynamics(SYSTEM, STATE, {"boom.modes": [0, bad]}), "'boom'")
    refused(lambda: ls.inverse_dynamics(SYSTEM, STATE, {"dish": [0, bad]}), "'dish'")
    refused(lambda: SYSTEM.state(panel=bad), "'panel'")
    refused(lambda: SYSTEM.state(**{"boom.mode_rates": [bad, 0]}), "'boom'")
    for block in (bad, [bad, 0], [[1, bad], [bad, 1]]):
        given = {"dish": block}
        refused(lambda a=given: ls.forward_dynamics(SYSTEM, STATE, armature=a), "'dish'")
        refused(lambda a=given: ls.solve_mass(SYSTEM, STATE, STATE.v, armature=a), "'dish'")


def gimbal():
    """Massless rings: regular in general, singular where the axes of "outer" and "ball" line up."""
    model = ls.Model("gimbal")
    model.add(rigid(1), ls.Revolute("z"), name="post")
    model.add(ls.RigidBody(0.0), ls.Revolute("x"), name="outer", to="post", at=(0, 0, 1))
    model.add(ls.RigidBody(0.0), ls.Revolute("y"), name="inner", to="outer")
    model.add(ls.RigidBody.sphere(2.0, 0.3), ls.Revolute("x"), name="ball", to="inner")
    return model.compile()


def test_hinge_without_inertia_is_named():
    system = gimbal()
    state, x = system.neutral(), np.ones(system.n_v)
    calls = [
        *(
            lambda m=m: ls.forward_dynamics(system, state, x, method=m)
            for m in ("auto", "articulated", "composite")
        ),
        lambda: ls.solve_mass(system, state, x),
        lambda: ls.joint_forces(system, state),
        lambda: ls.acceleration(system, state, "ball"),
    ]
    for call in calls:
        assert refused(call, "'outer'", "inertia", kind=ls.SingularError).body == "outer"


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_row_without_an_answer_is_named(threads):
    system = gimbal()
    Q, V = np.full((7, system.n_q), 0.5), np.zeros((7, system.n_v))
    Q[5] = 0.0
    error = refused(
        lambda: ls.forward_dynamics_batch(system, Q, V, threads=threads),
        *("'outer'", "inertia", "row 5"),
        kind=ls.SingularError,
    )
    assert error.body == "outer"


def test_what_exists_at_a_singular_state_is_given():
    """The next call is not spoilt by the failed one, and armature makes the state regular."""
    system = gimbal()
    state, x = system.neutral(), np.ones(system.n_v)
    regular = system.state(np.full(system.n_q, 0.5))
    expected = ls.forward_dynamics(system, regular, x)
    refused(lambda: ls.forward_dynamics(system, state, x), kind=ls.SingularError)
    assert np.array_equal(ls.forward_dynamics(system, regular, x), expected)
    of = Reference(system, state)
    assert np.allclose(ls.mass_matrix(system, state), of.mass_matrix, rtol=1e-13, atol=1e-13)
    assert np.allclose(ls.multiply_mass(system, state, x), of.mass_matrix @ x, atol=1e-13)
    y = ls.solve_mass(system, state, x, armature={"outer": 0.1})
    vdot = ls.forward_dynamics(system, state, x, armature={"outer": 0.1})
    added = np.diag([0, 0.1, 0, 0])
    assert np.allclose(y, np.linalg.solve(of.mass_matrix + added, x), rtol=1e-12)
    assert np.allclose(vdot, y, rtol=1e-12)


def everything(system, state, x):
    """Calls of all public functions."""
    last = system.names[-1]
    return {
        "forward_dynamics": lambda: ls.forward_dynamics(system, state, x),
        "composite": lambda: ls.forward_dynamics(system, state, x, method="composite"),
        "inverse_dynamics": lambda: ls.inverse_dynamics(system, state, x),
        "bias_force": lambda: ls.bias_force(system, state),
        "gravity_force": lambda: ls.gravity_force(system, state),
        "mass_matrix": lambda: ls.mass_matrix(system, state),
        "joint_forces": lambda: ls.joint_forces(system, state, x),
        "energy": lambda: ls.energy(system, state).total,
        "momentum": lambda: ls.momentum(system, state),
        "center_of_mass": lambda: ls.center_of_mass(system, state),
        "pose": lambda: ls.pose(system, state, last).position,
        "velocity": lambda: ls.velocity(system, state, last),
        "acceleration": lambda: ls.acceleration(system, state, last, x),
        "jacobian": lambda: ls.jacobian(system, state, last),
        "qdot": lambda: ls.qdot(system, state),
        "multiply_mass": lambda: ls.multiply_mass(system, state, x),
        "solve_mass": lambda: ls.solve_mass(system, state, x),
        "forward_dynamics_batch": lambda: ls.forward_dynamics_batch(
            system, state.q[None], state.v[None], x[None]
        ),
        "inverse_dynamics_batch": lambda: ls.inverse_dynamics_batch(
            system, state.q[None], state.v[None], x[None]
        ),
    }


def huge(what):
    """State and vector of which one part is finite but too large to be squared."""
    q, x = STATE.q.copy(), STATE.v
    if what == "q":
        q[4:7] = 1e300
    if what == "modes":
        q[SYSTEM.layout.modal_q("boom")] = 1e200
    v = 1e200 * STATE.v if what == "v" else STATE.v
    return SYSTEM.state(q, v), 1e308 * np.sign(x) if what == "x" else x


@pytest.mark.parametrize("name", everything(SYSTEM, STATE, STATE.v))
@pytest.mark.parametrize("what", ["q", "modes", "v", "x"])
def test_overflow_is_an_error_and_never_a_result(name, what):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = everything(SYSTEM, *huge(what))[name]()
        except ls.LissomError as error:
            assert len(str(error)) > 10
        else:
            assert np.all(np.isfinite(result))


@pytest.mark.parametrize("method", ["auto", "articulated", "composite"])
def test_huge_speeds_are_refused(method):
    state, _ = huge("v")
    refused(lambda: ls.forward_dynamics(SYSTEM, state, method=method), kind=ls.LissomError)
    refused(lambda: ls.bias_force(SYSTEM, state), kind=ls.LissomError)


def strided(x):
    return np.repeat(np.repeat(x, 2, axis=0), 3, axis=1)[::2, ::3]


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


FORMS = {
    "fortran": np.asfortranarray,
    "strided": strided,
    "reversed": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": read_only,
    "list": lambda x: x.tolist(),
    "tuple of rows": tuple,
    "float32": lambda x: x.astype(np.float32),
    "longdouble": lambda x: x.astype(np.longdouble),
    "big-endian": lambda x: x.astype(">f8"),
    "unaligned": lambda x: np.frombuffer(b"0" + x.tobytes(), offset=1).reshape(x.shape),
    "object": lambda x: x.astype(object),
    "masked": np.ma.masked_array,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", ["Q", "V", "F", "A"])
def test_other_forms_of_a_batch_work_or_are_refused(what, form):
    x = rows()
    given = FORMS[form](x[what])
    x[what] = np.array(given, float).reshape(x[what].shape)
    batch = inverse_batch if what == "A" else forward_batch
    try:
        expected = batch(x)
        result = batch(x | {what: given})
    except ls.StateError:
        assert form in ("longdouble", "object", "masked", "float32")
    else:
        assert type(result) is np.ndarray and result.dtype == np.float64
        assert np.array_equal(result, expected)


def test_whole_numbers_are_numbers():
    x = rows()
    for what in ("V", "F"):
        whole = np.arange(N_ROW * SYSTEM.n_v).reshape(N_ROW, -1)
        expected = forward_batch(x | {what: whole.astype(float)})
        assert np.array_equal(forward_batch(x | {what: whole}), expected)
        assert np.array_equal(forward_batch(x | {what: whole.astype(np.uint8)}), expected)


WRONG = {
    "one row": lambda x: x[0],
    "number": lambda x: 1.0,
    "three axes": lambda x: x[None],
    "a column less": lambda x: x[:, :-1],
    "a column more": lambda x: np.c_[x, x[:, 0]],
    "a row less": lambda x: x[:-1],
    "no rows": lambda x: x[:0],
    "transposed": lambda x: x.T,
    "ragged": lambda x: [list(x[0]), list(x[1, :-1]), list(x[2]), list(x[3])],
    "text": lambda x: [["a"] * x.shape[1]] * len(x),
    "complex": lambda x: x + 1j,
    "dictionary": lambda x: {"hub": x},
    "symbols": lambda x: np.full(x.shape, sympy.Symbol("a")),
    "state": lambda x: STATE,
}


@pytest.mark.parametrize("form", WRONG)
@pytest.mark.parametrize("what", ["Q", "V", "F", "A"])
def test_wrong_batches_are_refused(what, form):
    x = rows()
    x[what] = WRONG[form](x[what])
    words = [] if form in ("a row less", "no rows") else [what]  # any of the batches may be meant
    refused(lambda: (inverse_batch if what == "A" else forward_batch)(x), *words)


@pytest.mark.parametrize("what", ["Q", "V", "A"])
def test_missing_batches_are_refused(what):
    x = rows() | {what: None}
    refused(lambda: (inverse_batch if what == "A" else forward_batch)(x))


def test_quaternions_of_a_batch_are_checked():
    x = rows()
    x["Q"][3, SYSTEM.layout.hinge_q("boom")] *= 1.1
    for batch in (forward_batch, inverse_batch):
        refused(lambda batch=batch: batch(x), "'boom'", "quaternion", "row 3")


@pytest.mark.parametrize("threads", [0, -1, "2", 1.5, None, [2], np.nan])
def test_threads_must_be_a_positive_whole_number(threads):
    for batch in (forward_batch, inverse_batch):
        refused(lambda batch=batch: batch(rows(), threads=threads), "threads")


def test_threads_may_be_any_whole_number():
    expected = forward_batch(rows())
    for threads in (np.int64(2), 50):
        assert np.array_equal(forward_batch(rows(), threads=threads), expected)


def test_a_model_is_no_system():
    for batch in (ls.forward_dynamics_batch, ls.inverse_dynamics_batch):
        refused(lambda batch=batch: batch(ls.Model("m"), [[0.0]], [[0.0]], [[0.0]]), "compile")


WRONG_OUT = {
    "shape": lambda shape: np.zeros((*shape[:-1], shape[-1] + 1)),
    "axes": lambda shape: np.zeros((1, *shape)),
    "float32": lambda shape: np.zeros(shape, np.float32),
    "integer": lambda shape: np.zeros(shape, int),
    "object": lambda shape: np.zeros(shape, object),
    "read-only": lambda shape: read_only(np.zeros(shape)),
    "list": lambda shape: np.zeros(shape).tolist(),
    "number": lambda shape: 1.0,
    "text": lambda shape: "out",
}


@pytest.mark.parametrize("form", WRONG_OUT)
def test_wrong_out_is_refused(form):
    out = WRONG_OUT[form]((N_ROW, SYSTEM.n_v))
    for batch in (forward_batch, inverse_batch):
        refused(lambda batch=batch: batch(rows(), out=out), "out")
    out = WRONG_OUT[form]((SYSTEM.n_v,))
    for method in ("auto", "articulated", "composite"):
        refused(lambda m=method: ls.forward_dynamics(SYSTEM, STATE, method=m, out=out), "out")


@pytest.mark.parametrize("form", ["fortran", "strided", "reversed", "complex"])
def test_unusual_out_is_filled_or_refused(form):
    x, shape = rows(), (N_ROW, SYSTEM.n_v)
    make = {"complex": lambda a: a + 0j, **FORMS}[form]
    for batch in (forward_batch, inverse_batch):
        out = make(np.full(shape, np.nan))
        try:
            assert batch(x, out=out) is out
        except ls.StateError:
            continue
        assert np.array_equal(out, batch(x))
    column = make(np.full((SYSTEM.n_v, 2), np.nan))[:, 0]
    try:
        assert ls.forward_dynamics(SYSTEM, STATE, out=column) is column
    except ls.StateError:
        return
    assert np.array_equal(column, ls.forward_dynamics(SYSTEM, STATE))


@pytest.mark.parametrize("make", [lambda n: np.ones(n - 1), lambda n: np.ones((n, 1)), str])
def test_wrong_vectors_are_refused(make):
    x = make(SYSTEM.n_v)
    for what, call in TAKES_SPEEDS.items():
        if what != "v":
            refused(lambda call=call: call(x))


@pytest.mark.parametrize(
    "form",
    [np.float32, int, list, lambda x: np.repeat(x, 2)[::2], read_only],
    ids=["float32", "int", "list", "strided", "read-only"],
)
def test_other_forms_of_a_vector_work(form):
    whole = np.arange(1.0, 1.0 + SYSTEM.n_v)
    given = whole.astype(form) if isinstance(form, type) and form is not list else form(whole)
    for what, call in TAKES_SPEEDS.items():
        if what != "v":
            assert np.array_equal(call(given), call(whole)), what


DIFFERENTIABLE = {
    "forward_dynamics": lambda s: ls.forward_dynamics(SYSTEM, s),
    "forward_dynamics, articulated": lambda s: ls.forward_dynamics(SYSTEM, s, method="articulated"),
    "forward_dynamics, composite": lambda s: ls.forward_dynamics(SYSTEM, s, method="composite"),
    "inverse_dynamics": lambda s: ls.inverse_dynamics(SYSTEM, s, STATE.v),
    "bias_force": lambda s: ls.bias_force(SYSTEM, s),
    "gravity_force": lambda s: ls.gravity_force(SYSTEM, s),
    "mass_matrix": lambda s: ls.mass_matrix(SYSTEM, s),
    "joint_forces": lambda s: ls.joint_forces(SYSTEM, s),
    "energy": lambda s: np.array(ls.energy(SYSTEM, s).total),
    "momentum": lambda s: ls.momentum(SYSTEM, s),
    "center_of_mass": lambda s: ls.center_of_mass(SYSTEM, s),
    "pose": lambda s: ls.pose(SYSTEM, s, "panel.tip").position,
    "velocity": lambda s: ls.velocity(SYSTEM, s, "panel.tip"),
    "acceleration": lambda s: ls.acceleration(SYSTEM, s, "panel.tip"),
    "jacobian": lambda s: ls.jacobian(SYSTEM, s, "panel.tip"),
    "qdot": lambda s: ls.qdot(SYSTEM, s),
}


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_complex_step_gives_the_derivative(name):
    rng = np.random.default_rng(2)
    dq, dv = rng.standard_normal(SYSTEM.n_q), rng.standard_normal(SYSTEM.n_v)
    for quaternion in (SYSTEM.layout.hinge_q("hub").start, SYSTEM.layout.hinge_q("boom").start):
        dq[quaternion : quaternion + 4] = 0.0

    def along(h):
        return DIFFERENTIABLE[name](SYSTEM.state(STATE.q + h * dq, STATE.v + h * dv))

    exact = along(1e-30j).imag / 1e-30
    differences = [(along(h) - along(-h)) / (2 * h) for h in (1e-4, 5e-5)]
    richardson = (4 * differences[1] - differences[0]) / 3
    size = max(np.abs(exact).max(), 1e-3 * np.abs(along(0.0)).max())
    assert np.abs(exact - richardson).max() < 1e-7 * size


def test_complex_arguments_at_a_real_state_keep_their_imaginary_part():
    step, wrench = 1e-30j * np.ones(SYSTEM.n_v), {"boom.tip": 1e-30j * np.ones(6)}
    zero = {"boom.tip": np.zeros(6)}
    for given in ({"forces": step}, {"external": wrench}):
        vdot = ls.forward_dynamics(SYSTEM, STATE, **given)
        real = (
            {"forces": step.imag / 1e-30}
            if "forces" in given
            else {"external": {"boom.tip": np.ones(6)}}
        )
        change = ls.forward_dynamics(SYSTEM, STATE, **real) - ls.forward_dynamics(SYSTEM, STATE)
        assert np.allclose(vdot.imag / 1e-30, change, rtol=1e-9, atol=1e-9 * np.abs(change).max())
    tau = ls.inverse_dynamics(SYSTEM, STATE, step, external=zero)
    M = ls.mass_matrix(SYSTEM, STATE)
    assert np.allclose(tau.imag / 1e-30, M @ np.ones(SYSTEM.n_v), rtol=1e-10)


def test_symbols_pass_through_the_readable_text():
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(2.0, (0.5, 0, 0), np.eye(3)), ls.Revolute("y"), name="rod")
    system = model.compile()
    angle, rate = sympy.symbols("angle rate")
    state = system.state([angle], [rate])
    vdot = ls.forward_dynamics(system, state)[0]
    number = float(vdot.subs({angle: 0.3, rate: 0.7}))
    assert np.isclose(number, ls.forward_dynamics(system, system.state([0.3], [0.7]))[0])
    assert ls.mass_matrix(system, state).shape == (1, 1)
    M = ls.mass_matrix(system, system.state([0.3]))
    torque = ls.inverse_dynamics(system, system.state([0.3]), [rate])[0]
    assert sympy.diff(torque, rate) == pytest.approx(M[0, 0])
