"""Second order of a beam's deformation, and a body's terms with it (readable text)."""

import json

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

import lissom as ls
from lissom.algorithms.tree import reference
from lissom.algorithms.tree.body_terms import body_terms, node_motion
from lissom.results.description.system import describe, restore
from lissom.structures.beam import properties, static_basis
from lissom.structures.static_shapes import strains_at
from tests.references.beam_theory import PRANDTL

SECTION = ls.Rectangle(0.02, 0.01)
MATERIAL = ls.Material("soft", youngs_modulus=2e6, density=1000.0)
LENGTH = 1.3


def stiffened(y, z, torsion, stretch, length=LENGTH, section=SECTION, material=MATERIAL):
    """Beam in normalised form at level "stiffened", with its solid and basis."""
    solid = properties(length, section, material)
    basis = static_basis(solid, (y, z, torsion, stretch), None)
    asked = {"bending": (y, z), "torsion": torsion, "stretch": stretch}
    body = ls.beam(length, section, material, **asked, level="stiffened").normalised()
    return body, solid, basis


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def exact_tip(eta, solid, basis, pieces=120):
    """Tip position and rotation of the exact map R' = R [κ]×, r' = R (e_x + e), midpoint rule."""
    x = (np.arange(pieces) + 0.5) / pieces
    root = np.sqrt(solid.mass)
    scale = [1 / (root * solid.length**2), -1 / (root * solid.length**2)]
    scale += [1 / (np.sqrt(solid.polar) * solid.length), 1 / (root * solid.length)]
    kappa, stretch = np.zeros((2, pieces, 3))
    for f, k, amplitude in zip(*basis.chosen, eta, strict=True):
        strain = strains_at(x, basis.families[f])[0][:, k] * scale[f] * amplitude
        if f == 3:
            stretch[:, 0] += strain
        else:
            kappa[:, (2, 1, 0)[f]] += strain
    R, r, step = np.eye(3), np.zeros(3), solid.length / pieces
    for curve, pull in zip(kappa, stretch, strict=True):
        half = Rotation.from_rotvec(curve * step / 2).as_matrix()
        r = r + step * R @ half @ (np.array([1.0, 0, 0]) + pull)
        R = R @ half @ half
    return r, R


def test_second_order_is_that_of_the_exact_map():
    """Differences of poses: even parts of the displacement and of the turn are quadratic."""
    body, solid, basis = stiffened(2, 2, 1, 1)
    rng = np.random.default_rng(0)
    eta = 0.02 * rng.standard_normal(body.n_mode) / np.sqrt(body.stiffness / body.stiffness[0])
    tip = body.node_names["tip"]
    S = body.second_order.node_shapes[tip]
    (r, R), (r2, _) = (exact_tip(x, solid, basis) for x in (eta, -eta))
    even = r + r2 - 2 * body.node_positions[tip]
    np.testing.assert_allclose(even, S[3:] @ eta @ eta, atol=1e-3 * np.abs(even).max())
    moved = node_motion(body, tip, eta, 0 * eta, np.zeros(6))
    first = body.node_shapes[tip] @ eta
    assert np.abs(r - moved.position).max() < 0.02 * np.abs(even).max()
    assert np.abs(R - moved.rotation).max() < 0.1 * np.abs(first[:3]).max() ** 2
    assert np.abs(even).max() > 1e-5


def random_case(seed):
    body, *_ = stiffened(2, 2, 1, 1)
    rng = np.random.default_rng(seed)
    m = body.n_mode
    eta = 0.03 * rng.standard_normal(m) / np.sqrt(body.stiffness / body.stiffness[0])
    return body, eta, *rng.standard_normal((2, m)) * 0.3, *rng.standard_normal((2, 6))


@pytest.mark.parametrize("seed", range(3))
def test_forces_are_lagranges_of_the_truncated_mass(seed):
    """Poincaré's equations of T = u* M(eta) u / 2: d/dt (M u) + ad* terms - dT/deta, u = [η̇, V]."""
    body, eta, eta_dot, eta_ddot, V, acceleration = random_case(seed)
    m, h = body.n_mode, 1e-30

    def mass(eta):
        return body_terms(body, eta, 0 * eta, np.zeros(6)).modal_mass

    M, u = mass(eta), np.r_[eta_dot, V]
    rate = mass(eta + 1j * h * eta_dot).imag / h
    slope = [u @ (mass(eta + 1j * h * e).imag / h) @ u / 2 for e in np.eye(m)]
    P, omega, v = M @ u, V[:3], V[3:]
    force = M @ np.r_[eta_ddot, acceleration] + rate @ u
    force[:m] -= slope
    force[m : m + 3] += np.cross(omega, P[m : m + 3]) + np.cross(v, P[m + 3 :])
    force[m + 3 :] += np.cross(omega, P[m + 3 :])
    terms = body_terms(body, eta, eta_dot, V)
    # the body's terms take the spatial acceleration that includes omega x v
    inertial = acceleration + np.r_[np.zeros(3), np.cross(omega, v)]
    found = terms.modal_mass @ np.r_[eta_ddot, inertial] + np.r_[terms.b_f, terms.b_r]
    np.testing.assert_allclose(found, force, atol=1e-12 * np.abs(force).max())


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("node", [7, 24])
def test_motion_of_a_node_is_the_derivative_of_its_pose(seed, node):
    """Shapes by complex steps, the Coriolis term by differences of the velocity."""
    body, eta, eta_dot, _, _, _ = random_case(seed)
    still, h = np.zeros(6), 1e-30

    def at(eta, eta_dot=0 * eta):
        return node_motion(body, node, eta, eta_dot, still)

    found = at(eta, eta_dot)
    moved = at(eta + 1j * h * eta_dot)
    np.testing.assert_allclose(found.velocity[3:], moved.position.imag / h, atol=1e-13)
    spin = (moved.rotation.imag / h) @ found.rotation.T
    np.testing.assert_allclose(skew(found.velocity[:3]), spin, atol=1e-12)
    ahead = at(eta + 1j * h * eta_dot, eta_dot + 0j)
    np.testing.assert_allclose(found.coriolis, ahead.velocity.imag / h, atol=1e-11)


def buckling(body, direction):
    """Smallest load at the tip for which K - load h_t is singular."""
    h = np.tensordot(direction, body.second_order.node_shapes[body.node_names["tip"]][3:], 1)
    return 1 / eigh(h, np.diag(body.stiffness), eigvals_only=True)[-1]


@pytest.mark.parametrize("shapes, bound", [(2, 8e-3), (3, 1.4e-4), (4, 1.4e-6), (6, 1e-10)])
def test_euler_load(shapes, bound):
    body, *_ = stiffened(0, shapes, 0, 0)
    EI = MATERIAL.youngs_modulus * SECTION.second_moment_y
    error = buckling(body, [-1, 0, 0]) / (np.pi**2 * EI / (4 * LENGTH**2)) - 1
    assert -1e-11 < error < bound


@pytest.mark.parametrize("shapes, bound", [(3, 9e-3), (4, 9e-4), (5, 6e-5), (6, 4e-6)])
def test_prandtls_load(shapes, bound):
    """Lateral buckling of a cantilever under a force at its tip: 4.0126 √(EI GJ) / L²."""
    body, *_ = stiffened(0, shapes, shapes, 0)  # bends across, along z; the force is along y
    EI = MATERIAL.youngs_modulus * SECTION.second_moment_y
    GJ = MATERIAL.shear_modulus * SECTION.torsion_constant
    exact = PRANDTL * np.sqrt(EI * GJ) / LENGTH**2
    stiff, *_ = stiffened(2, shapes, shapes, 0)
    assert 0 < buckling(body, [0, 1, 0]) / exact - 1 < 1.1 * bound
    assert stiff.n_mode == body.n_mode + 2


# A tree of such bodies


def tree():
    """Two stiffened beams on hinges, one at the tip and one at a node between, with a load each."""
    beam = ls.beam(LENGTH, SECTION, MATERIAL, bending=2, torsion=0, level="stiffened")
    model = ls.Model("tree")
    model.add(beam, ls.Revolute("z"), name="a")
    model.add(beam, ls.Revolute((0, 1, 0.4)), to="a.tip", name="b")
    model.add(beam, ls.Revolute("y"), to="a.7", at=(0, 0.1, 0), name="c")
    load = ls.RigidBody(0.1, com=(0.02, 0, 0.01), inertia=(1e-3, 2e-3, 2e-3))
    model.add(load, ls.Fixed(), to="b.tip", name="d")
    model.add(load, ls.Revolute("x"), to="c.9", name="e")
    return model.compile()


def test_a_tree_obeys_lagranges_equations():
    """M and its derivatives by complex steps; all joints have q' = v."""
    system, h = tree(), 1e-30
    rng, stiffness = np.random.default_rng(4), np.zeros(system.n_v)
    q, v, a = rng.uniform(-1, 1, (3, system.n_v))
    for i, body in enumerate(system.bodies):
        modal = system.layout.modal_v(i)
        stiffness[modal] = body.stiffness
        if body.n_mode:
            small = np.sqrt(body.stiffness[0] / body.stiffness)
            q[modal] *= 0.003 * small
            v[modal] *= 0.03 * small

    def mass(q):
        return reference.mass_matrix(system, reference.kinematics_base_to_tip(system, q, 0 * v))

    motions = reference.kinematics_base_to_tip(system, q, v)
    found, _ = reference.inverse_dynamics(system, motions, a, elastic=False)
    rate = mass(q + 1j * h * v).imag / h
    slope = [v @ (mass(q + 1j * h * e).imag / h) @ v / 2 for e in np.eye(len(v))]
    expected = mass(q) @ a + rate @ v - slope
    np.testing.assert_allclose(found, expected, atol=1e-11 * np.abs(expected).max())
    forces, _ = reference.inverse_dynamics(system, motions, a)
    again = reference.forward_dynamics(system, motions, forces)
    np.testing.assert_allclose(again, a, atol=1e-9)


def test_results_keep_the_second_order_to_the_last_bit():
    system = tree()
    description, arrays = describe(system)
    assert description["format_version"] == 5
    other = restore(json.loads(json.dumps(description)), arrays)
    for body, again in zip(system.bodies, other.bodies, strict=True):
        assert body.level == again.level
        if body.second_order is not None:
            one, two = vars(body.second_order), vars(again.second_order)
            np.testing.assert_array_equal(one["first_moment"], two["first_moment"])
            np.testing.assert_array_equal(one["second_moment"], two["second_moment"])
            assert one["node_shapes"].keys() == two["node_shapes"].keys()
            for node, shapes in one["node_shapes"].items():
                np.testing.assert_array_equal(shapes, two["node_shapes"][node])
    description["second_orders"][0][0] = 10**6
    with pytest.raises(ls.ResultError, match="a node that does not exist"):
        restore(description, arrays)
