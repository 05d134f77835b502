"""Complex numbers are computed with or refused; an imaginary part is never dropped."""

import warnings

import numpy as np
import pytest

import lissom as ls
from lissom.algorithms import Operators, SpatialOperator
from tests.samples.mechanisms import branched
from tests.samples.public_objects import mechanism
from tests.tools.measures import seeded_state

H = 1e-30
E = 1e-6


@pytest.fixture(autouse=True)
def no_casts():
    """NumPy's warning that an imaginary part was discarded is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        yield


@pytest.fixture(scope="module")
def tree():
    """System, state, a direction of motion, and operators at a complex step along it."""
    system = branched()
    state = seeded_state(system)
    speeds = np.random.default_rng(5).standard_normal(system.n_v)
    along = ls.qdot(system, (state.q, speeds))
    turned = system.state(state.q + 1j * H * along, state.v + 0j)
    beside = [ls.operators(system, (state.q + k * E * along, state.v)) for k in (1, -1)]
    return system, state, ls.operators(system, turned), beside


def derivative(tree, values):
    """Derivative of a quantity by a complex step, and by differences."""
    _, _, turned, (after, before) = tree
    value, difference = np.asarray(values(turned)), (values(after) - values(before)) / (2 * E)
    return (value.imag / H if np.iscomplexobj(value) else 0.0 * difference), difference


def assert_close(value, expected, digits=1e-7):
    assert np.shape(value) == np.shape(expected)
    assert np.abs(value - expected).max(initial=0) <= digits * np.abs(expected).max(initial=1e-6)


NAMES = [
    name
    for kind in Operators.__mro__
    for name, member in vars(kind).items()
    if hasattr(member, "__set_name__") and not name.startswith("_") and name != "steps"
]


@pytest.mark.parametrize("name", NAMES)
def test_every_operator_has_its_derivative_by_a_complex_step(tree, name):
    def dense(op):
        value = getattr(op, name)
        return value.as_matrix() if isinstance(value, SpatialOperator) else value

    assert_close(*derivative(tree, dense))


@pytest.mark.parametrize(
    "quantity",
    [
        lambda op: op.mass.factor.as_matrix(),
        lambda op: op.mass_inverse.factor.T.as_matrix(),
        lambda op: op.mass.logdet,
        lambda op: op.jacobian(["left.tip", "c"]).T.as_matrix(),
        lambda op: op.compliance(["left.tip", "c"]),
        lambda op: op.alpha_m(np.ones(op.system.n_v)),
        lambda op: op.f_m(np.ones(op.system.n_v)),
        lambda op: op.nodal_terms("left").alpha_s(op.by_body(op.a_m)[1]),
        lambda op: op.nodal_terms("left").b,
    ],
)
def test_what_operators_make_has_its_derivative_by_a_complex_step(tree, quantity):
    assert_close(*derivative(tree, quantity))


def test_products_with_complex_vectors_are_those_of_the_matrix(tree):
    """Vectors, columns in either order of memory, rows, solutions and multiples."""
    system, state, turned, _ = tree
    op = ls.operators(system, state)
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal((2, system.n_v)) + 1j * rng.standard_normal((2, system.n_v))
    for one in (op, turned):
        M = one.mass.as_matrix()
        assert_close(one.mass @ x, M @ x, 1e-12)
        assert_close(
            one.mass @ np.asfortranarray([x, y, x.real]).T, M @ np.transpose([x, y, x.real])
        )
        assert_close(x @ one.innovations, x @ one.innovations.as_matrix(), 1e-12)
        assert_close(one.mass.solve(M @ x), x, 1e-9)
        assert_close((2j * one.mass) @ x, 2j * (M @ x), 1e-12)
        L = one.mass.factor.as_matrix()
        assert_close(L @ L.T, M, 1e-12)
        assert_close(one.H.rmatvec(x), one.H.as_matrix().conj().T @ x, 1e-12)
    null = op.null_space("c")
    assert_close(null @ x, null.as_matrix() @ x, 1e-12)
    assert_close(op.mass @ x, ls.mass_matrix(system, state) @ x, 1e-12)


def test_operators_of_a_closed_mechanism_are_refused_unless_its_tree_is_asked_for():
    """A slider-crank has one motion; its tree has three, and another mass matrix."""
    model = ls.Model("press")
    model.add(ls.RigidBody.box(1.0, (0.3, 0.1, 0.1)), ls.Revolute("z"), name="crank")
    link = {"to": "crank", "at": (0.3, 0, 0), "name": "link"}
    model.add(ls.RigidBody.box(1.0, (1.0, 0.1, 0.1)), ls.Revolute("z"), **link)
    model.close(ls.Cylindrical("x"), "link", None, name="guide")
    loop = model.compile()
    with pytest.raises(ls.StateError, match=r"the loop 'guide'.*tree=True.*closure"):
        ls.operators(loop, loop.neutral())
    op = ls.operators(loop, loop.neutral(), tree=True)
    assert_close(op.mass.as_matrix(), ls.mass_matrix(loop, loop.neutral()), 1e-12)
    geared = mechanism()
    with pytest.raises(ls.StateError, match="operators"):
        ls.operators(geared.compile(), geared.compile().neutral())


@pytest.mark.parametrize(
    "function",
    [
        lambda s, x, a, w: ls.inverse_dynamics_derivatives(s, x, a, external=w),
        lambda s, x, a, w: ls.forward_dynamics_derivatives(s, x, a, external=w),
        lambda s, x, a, w: ls.design_derivatives(s, x, ["gravity"], forces=a, external=w),
        lambda s, x, a, w: ls.optimal_control_dual(s, x, a, external=w),
        lambda s, x, a, w: ls.filter_and_smoother(s, x, a, external=w),
        lambda s, x, a, w: ls.section_loads(s, x, "left", forces=a, external=w),
        lambda s, x, a, _: ls.frame_derivatives(s, x, "c", a),
    ],
)
def test_derivatives_duals_and_stresses_refuse_complex_numbers_wherever_they_are(tree, function):
    system, state = tree[:2]
    one, wrench = np.ones(system.n_v), {"left.tip": np.ones(6)}
    function(system, state, one, wrench)
    with pytest.raises(ls.StateError, match="real numbers"):
        function(system, (state.q + 0j, state.v), one, wrench)
    with pytest.raises(ls.StateError, match="real numbers"):
        function(system, state, one + 1j, wrench)
    try:
        function(system, state, one, {"left.tip": np.ones(6) + 1j})
    except ls.StateError:
        return
    assert function.__code__.co_varnames[3] == "_"  # takes no external forces


@pytest.mark.parametrize(
    "function",
    [
        lambda s, x, T, w: ls.forward_dynamics(s, x, T, external=w),
        lambda s, x, T, w: ls.loop_forces(s, x, T, external=w),
        lambda s, x, T, w: ls.coupling_forces(s, x, T, external=w),
        lambda s, x, T, w: ls.forward_dynamics_derivatives(s, x, T, external=w),
        lambda s, x, T, w: ls.inverse_dynamics(s, x, free(s, w) + T, external=w, actuated=ACTUATED),
        lambda s, x, T, w: ls.joint_forces(s, x, free(s, w) + T, external=w, actuated=ACTUATED),
    ],
)
def test_closed_mechanisms_refuse_complex_numbers_wherever_they_are(function):
    system = mechanism().compile()
    state, one = ls.assemble(system), np.zeros(system.n_v)
    wrench = {"boom.tip": np.ones(6)}
    function(system, state, one, wrench)
    for arguments in (
        ((state.q + 0j, state.v), one, wrench),
        ((state.q, state.v + 1j), one, wrench),
        (state, one + 1j, wrench),
        (state, one, {"boom.tip": np.ones(6) + 1j}),
    ):
        with pytest.raises(ls.StateError, match="real numbers"):
            function(system, *arguments)


def free(system, wrench):
    """Accelerations without forces of motors."""
    return ls.forward_dynamics(system, ls.assemble(system), external=_real(wrench))


def _real(wrench):
    return {name: np.real(values) for name, values in wrench.items()}


ACTUATED = ["column", "boom", "load"]
Z = np.complex128(1 + 0.5j)


@pytest.mark.parametrize(
    "build",
    [
        lambda: ls.RigidBody(1.0, inertia=np.ones(3) * Z),
        lambda: ls.Screw("x", Z),
        lambda: ls.RollingBall(Z),
        lambda: ls.rod(1.0, ls.Circle(0.01), ls.STEEL, damping=Z),
        lambda: ls.Choice([1, 2], np.ones(2) * Z),
        lambda: ls.von_mises(np.ones(6) * Z),
        lambda: ls.regions.box(np.ones(3) * Z, np.ones(3)),
        lambda: ls.regions.plane(np.ones(3) * Z, 0.0),
        lambda: ls.solids.Box(np.ones(3) * Z),
        lambda: ls.frame([[0, 0, 0], np.ones(3) * Z], [], interfaces={"root": 0}),
    ],
)
def test_parts_with_complex_numbers_are_refused(build):
    with pytest.raises((ls.LissomError), match=r"1\+0.5j|1.\+0.5j|real|finite"):
        build()
