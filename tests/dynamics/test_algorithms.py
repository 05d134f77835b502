"""Identities between the algorithms, added inertia, and accuracy on badly scaled systems.

Agreement here is the second check; the first is the particle oracle and the peers.
"""

import mpmath
import numpy as np
import pytest

import lissom as ls
from tests.samples.mechanisms import boom, branched
from tests.tools.measures import seeded_state

EPS = np.finfo(float).eps


def relative(a, b, scale=0.0):
    return np.abs(a - b).max() / max(np.abs(a).max(), np.abs(b).max(), scale)


@pytest.fixture(params=["full", "linear"])
def system(request):
    return branched(level=request.param)


def test_mass_matrix_is_symmetric_positive_definite(system):
    M = ls.mass_matrix(system, seeded_state(system))
    assert relative(M, M.T) < 1e-14
    assert np.linalg.eigvalsh(M)[0] > 0


def test_equation_of_motion_closes(system):
    """M vdot + bias = forces, and inverse dynamics undoes forward dynamics."""
    state = seeded_state(system)
    forces = np.random.default_rng(1).standard_normal(system.n_v)
    M, bias = ls.mass_matrix(system, state), ls.bias_force(system, state)
    for method in ("auto", "articulated", "reference", "composite"):
        vdot = ls.forward_dynamics(system, state, forces, method=method)
        scale = np.abs(M) @ np.abs(vdot) + np.abs(bias) + np.abs(forces)
        assert np.abs(M @ vdot + bias - forces).max() < 1e-12 * scale.max()
        assert np.abs(ls.inverse_dynamics(system, state, vdot) - forces).max() < 1e-12 * scale.max()


def test_inverse_dynamics_is_linear_in_acceleration(system):
    state = seeded_state(system)
    M, bias = ls.mass_matrix(system, state), ls.bias_force(system, state)
    columns = [ls.inverse_dynamics(system, state, e) - bias for e in np.eye(system.n_v)]
    assert relative(np.array(columns).T, M, np.abs(bias).max()) < 1e-13


def test_kinetic_energy_is_half_v_M_v(system):
    state = seeded_state(system)
    M = ls.mass_matrix(system, state)
    assert np.isclose(ls.energy(system, state).kinetic, state.v @ M @ state.v / 2, rtol=1e-13)


def test_jacobian_times_speeds_is_velocity(system):
    state = seeded_state(system)
    for where in ("hub", "left.tip", "middle.7", "c", "b"):
        for axes in ("world", "body"):
            J = ls.jacobian(system, state, where, axes=axes)
            assert relative(J @ state.v, ls.velocity(system, state, where, axes=axes)) < 1e-13


def test_external_force_is_jacobian_transpose(system):
    state = seeded_state(system)
    wrench = np.array([1.0, -2, 3, 4, 5, -6])
    for where in ("hub", "left.tip", "middle.7", "c"):
        J = ls.jacobian(system, state, where, axes="body")
        a = ls.forward_dynamics(system, state, J.T @ wrench)
        b = ls.forward_dynamics(system, state, external={where: wrench})
        assert relative(a, b) < 1e-10
        zero = np.zeros(system.n_v)
        pull = ls.bias_force(system, state) - ls.inverse_dynamics(
            system, state, zero, external={where: wrench}
        )
        assert (
            relative(pull, J.T @ wrench, 1e-3 * np.abs(ls.bias_force(system, state)).max()) < 1e-10
        )


def test_forces_by_name(system):
    state = seeded_state(system)
    forces = np.zeros(system.n_v)
    forces[system.layout.hinge_v("left")] = 2.0
    forces[system.layout.modal_v("middle")] = [1, 2, 3, 4, 5]
    by_name = {"left": 2.0, "middle.modes": [1, 2, 3, 4, 5]}
    a = ls.forward_dynamics(system, state, forces)
    out = np.empty(system.n_v)
    assert ls.forward_dynamics(system, state, by_name, out=out) is out
    assert np.array_equal(a, out)


def test_gravity_force_is_the_gravity_part_of_the_bias(system):
    """Compared with the same mechanism without gravity at the same state."""
    light = branched(gravity=(0, 0, 0), level=system.bodies[1].level)
    state = seeded_state(system)
    with_g = ls.bias_force(system, state)
    without = ls.bias_force(light, light.state(state.q, state.v))
    difference = with_g - without
    assert relative(ls.gravity_force(system, state), difference, np.abs(with_g).max()) < 1e-13


def test_uniform_gravity_is_an_accelerated_base(system):
    """In free fall everything outboard of a free hub floats: only the hub accelerates."""
    light = branched(gravity=(0, 0, 0), level=system.bodies[1].level)
    state = seeded_state(system)
    a = ls.forward_dynamics(system, state)
    b = ls.forward_dynamics(light, light.state(state.q, state.v))
    R = ls.pose(system, state, "hub").rotation
    b[3:6] += R.T @ system.gravity
    assert relative(a, b) < 1e-12


@pytest.mark.parametrize("block", [False, True])
def test_armature_adds_to_the_mass_matrix(system, block):
    state = seeded_state(system)
    rng = np.random.default_rng(4)
    forces = rng.standard_normal(system.n_v)
    added = np.zeros((system.n_v, system.n_v))
    if block:
        A = rng.standard_normal((3, 3))
        armature = {"middle": A @ A.T, "left": 0.7, "a": [0.1, 0.2]}
        added[np.ix_(*2 * [range(*system.layout.hinge_v("middle").indices(99))])] = A @ A.T
        for name, value in (("left", 0.7), ("a", [0.1, 0.2])):
            piece = system.layout.hinge_v(name)
            added[piece, piece] = np.diag(np.broadcast_to(value, piece.stop - piece.start))
    else:
        armature = rng.uniform(0, 3, system.n_v)
        added = np.diag(armature)
    M, bias = ls.mass_matrix(system, state), ls.bias_force(system, state)
    expected = np.linalg.solve(M + added, forces - bias)
    for method in ("articulated", "composite"):
        vdot = ls.forward_dynamics(system, state, forces, armature=armature, method=method)
        assert relative(vdot, expected) < 1e-10


def test_joint_forces_balance_every_body():
    """Projected on the hinge they are generalized forces; on the ground they carry the weight."""
    model = ls.Model(gravity=(0, 0, -9.81))
    model.add(ls.RigidBody.sphere(3.0, 0.1), ls.Fixed(), name="post")
    model.add(boom(), ls.Fixed(), to="post", at=(0, 0, 1), name="arm")
    model.add(ls.RigidBody.sphere(2.0, 0.1), ls.Revolute("y"), to="arm.tip", name="load")
    system = model.compile()
    state = system.neutral()
    f = ls.joint_forces(system, state, np.zeros(system.n_v))
    weight = 9.81 * sum(body.mass for body in system.bodies)
    assert np.allclose(f[0, 3:], [0, 0, weight], rtol=1e-13)
    x = ls.center_of_mass(system, state)[0]
    assert np.isclose(f[0, 1], -x * weight, rtol=1e-12)
    own = ls.joint_forces(system, state)
    vdot = ls.forward_dynamics(system, state)
    assert np.allclose(own, ls.joint_forces(system, state, vdot), rtol=1e-13)


def exact_accelerations(system, state):
    """Forward dynamics in 60 digits by the dense path, on the same constants."""
    with mpmath.workdps(60):
        exact = np.vectorize(mpmath.mpf, otypes=[object])
        q, v = exact(state.q), exact(state.v)
        vdot = ls.forward_dynamics(system, system.state(q, v), method="composite")
        return np.array([float(x) for x in vdot])


def soft_link(seed=0, n=12, m=9):
    """Link whose tip gives way in all six directions."""
    rng = np.random.default_rng(seed)
    positions = np.c_[np.linspace(0, 1, n), 0.05 * rng.standard_normal((n, 2))]
    shapes = 0.3 * rng.standard_normal((n, 6, m))
    shapes[0] = 0.0
    stiffness = np.linspace(1, 50, m) ** 2
    return ls.FlexibleBody(positions, np.full(n, 1 / n), shapes, stiffness, names={"tip": n - 1})


def chain_with_heavy_tip(link, ratio):
    model = ls.Model(gravity=(0, 0, -9.81))
    for k, axis in enumerate("zyz"):
        model.add(link, ls.Revolute(axis), name=f"link{k}", to=f"link{k - 1}.tip" if k else None)
    tip = ls.RigidBody.sphere(ratio * link.masses.sum(), 0.2)
    model.add(tip, ls.Fixed(), to="link2.tip", name="tip")
    return model.compile()


@pytest.mark.parametrize("ratio", [1.0, 1e6, 1e12])
def test_soft_links_keep_all_digits_under_a_heavy_tip(ratio):
    system = chain_with_heavy_tip(soft_link(), ratio)
    state = seeded_state(system, deformation=1e-2)
    error = relative(ls.forward_dynamics(system, state), exact_accelerations(system, state))
    assert error < 1e-11


@pytest.mark.parametrize("ratio", [1.0, 1e3, 1e6])
def test_booms_keep_their_digits_under_a_heavy_tip(ratio):
    """The booms do not stretch or twist, so the heavy tip reaches every hinge."""
    system = chain_with_heavy_tip(boom(modes=4), ratio)
    state = seeded_state(system, deformation=1e-3)
    exact = exact_accelerations(system, state)
    for method in ("articulated", "composite"):  # the second is corrected once
        error = relative(ls.forward_dynamics(system, state, method=method), exact)
        assert error < max(1e-12, 1e-16 * ratio)


def test_long_chain_keeps_the_error_measure():
    model = ls.Model(gravity=(0, 0, -9.81))
    for k in range(200):
        model.add(
            ls.RigidBody.rod(1.0, 0.5, com=(0.25, 0, 0))
            if k % 2
            else ls.RigidBody.box(1, (1, 1, 1)),
            ls.Revolute("yz"[k % 2]),
            to=f"link{k - 1}" if k else None,
            at=(0.5, 0, 0),
            name=f"link{k}",
        )
    system = model.compile()
    state = seeded_state(system)
    assert_residual_is_small(system, state, "articulated")


def slender():
    return ls.RigidBody(1.0, com=(0.25, 0, 0), inertia=(1e-3, 1 / 48, 1 / 48))


@pytest.mark.parametrize(
    "joint, length",
    [
        (ls.Universal("y", "z"), 60),
        (ls.Spherical(), 60),
        (ls.SimpleJoint(np.eye(6)[:, :3]), 60),
        (ls.CompoundJoint([np.eye(6)[1], np.eye(6)[2]]), 60),
        (ls.Cylindrical("y"), 60),
    ],
    ids=lambda x: getattr(x, "label", x),
)
@pytest.mark.parametrize("method", ["articulated", "innovations", "separate", "ruthless"])
def test_rounding_does_not_grow_from_link_to_link(joint, length, method):
    """An antisymmetric rounding error of P+ would double at every link of such a chain.

    It is seen after some twenty links.
    """
    model = ls.Model()
    for k in range(length):
        model.add(slender(), joint, to=f"l{k - 1}" if k else None, at=(0.5, 0, 0), name=f"l{k}")
    system = model.compile()
    q = np.tile([0.3, 0.41, 0.2, 0.86], length)[: system.n_q]
    if joint.has_quaternion:
        q = (q.reshape(-1, 4) / np.linalg.norm(q[:4])).ravel()
    state = system.state(q, np.random.default_rng(0).standard_normal(system.n_v))
    assert_residual_is_small(system, state, method)


def test_rounding_does_not_grow_along_flexible_links():
    link = boom(modes=4)
    model = ls.Model()
    for k in range(60):
        joint = ls.Universal("y", "z")
        model.add(link, joint, to=f"l{k - 1}.tip" if k else None, name=f"l{k}")
    system = model.compile()
    assert_residual_is_small(system, seeded_state(system, deformation=1e-3), "articulated")


def assert_residual_is_small(system, state, method):
    forces = np.random.default_rng(2).standard_normal(system.n_v)
    vdot = ls.forward_dynamics(system, state, forces, method=method)
    M, bias = ls.mass_matrix(system, state), ls.bias_force(system, state)
    residual = np.linalg.norm(M @ vdot + bias - forces)
    norms = np.linalg.norm(M, 2) * np.linalg.norm(vdot) + np.linalg.norm(bias)
    assert residual < 1e-12 * (norms + np.linalg.norm(forces))


def test_masses_over_twelve_decades():
    model = ls.Model(gravity=(0, 0, -9.81))
    for k in range(7):
        size = 10.0 ** (2 * ((3 * k) % 7) - 6)
        model.add(
            ls.RigidBody.box(size, (0.3, 0.2, 0.4), com=(0.1, 0.1, 0)),
            ls.Revolute("xyz"[k % 3]),
            to=f"link{k - 1}" if k else None,
            at=(0.5, 0.1, 0),
            name=f"link{k}",
        )
    system = model.compile()
    state = seeded_state(system)
    cond = np.linalg.cond(ls.mass_matrix(system, state))
    error = relative(ls.forward_dynamics(system, state), exact_accelerations(system, state))
    assert error < max(1e-11, 100 * EPS * cond)
