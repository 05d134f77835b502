"""Solid elements: identities, closed solutions, rates, and CalculiX on the same meshes."""

import numpy as np
import pytest

from tests.references.peers import peer

peer("skfem")
peer("meshio")

import scipy.sparse.linalg as sparse_linalg  # noqa: E402

import lissom as ls  # noqa: E402
from lissom.structures.finite.solid.kinds import KINDS  # noqa: E402
from tests.references import calculix_blocks  # noqa: E402
from tests.references.calculix_comparison import ALLOY, CALCULIX, compared, held, structure  # noqa: E402
from tests.samples.meshes import block  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:.*too stiff in bending")
CORK = ls.Material("stiff cork", 70e9, 2700.0, 0.0)


def waved(x):
    return x + 0.01 * np.sin(20 * x[:, [1, 2, 0]])


def rigid(x):
    turns = [np.cross(np.eye(3)[a], x).ravel() for a in range(3)]
    return np.stack([*turns, *(np.tile(np.eye(3)[a], len(x)) for a in range(3))], axis=1)


@pytest.mark.parametrize("kind", KINDS)
def test_shape_functions_are_one_at_their_node_and_sum_to_the_position(kind):
    k = KINDS[kind]
    assert np.allclose(k.functions(k.nodes)[0], np.eye(k.n_node))
    x = 0.3 * np.random.default_rng(1).random((5, 3))
    N, dN = k.functions(x)
    assert np.allclose(N @ k.nodes, x)
    for a, step in enumerate(1e-6 * np.eye(3)):
        slope = (k.functions(x + step)[0] - k.functions(x - step)[0]) / 2e-6
        assert np.allclose(slope, dN[..., a], atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_constant_strain_is_exact_in_distorted_elements_and_rigid_motion_free_of_force(kind):
    s = structure(block(kind, (5, 2, 2), (0.6, 0.1, 0.2), waved))
    x = s.positions
    scale = np.abs(s.stiffness.data).max()
    assert np.abs(s.stiffness @ rigid(x)).max() < 1e-13 * scale
    assert abs(s.stiffness - s.stiffness.T).max() == 0.0
    G = np.random.default_rng(2).normal(size=(3, 3))
    E = (G + G.T) / 2
    nu = ALLOY.poisson_ratio
    S = ALLOY.youngs_modulus / (1 + nu) * (E + nu / (1 - 2 * nu) * np.trace(E) * np.eye(3))
    expected = [S[0, 0], S[1, 1], S[2, 2], S[1, 2], S[2, 0], S[0, 1]]
    points = s.recovery((x @ G.T).reshape(-1, 1)).points
    assert np.abs(points.stresses[:, :, 0] - expected).max() < 1e-12 * np.abs(S).max()
    strain = [E[0, 0], E[1, 1], E[2, 2], E[1, 2], E[2, 0], E[0, 1]]  # tensor shear
    assert np.abs(points.strains()[:, :, 0] - strain).max() < 1e-12 * np.abs(E).max()
    inside = np.setdiff1d(np.arange(len(x)), np.unique(s.surface.triangles))
    force = (s.stiffness @ (x @ G.T).ravel()).reshape(-1, 3)
    # four points do not integrate the forces of curved tetrahedra exactly
    tolerance = 1e-3 if kind == "tetra10" else 1e-12
    assert np.abs(force[inside]).max(initial=0.0) < tolerance * np.abs(force).max()


@pytest.mark.parametrize("kind", KINDS)
def test_mass_and_surface_have_the_volume_of_the_block(kind):
    size = np.array([0.3, 0.1, 0.2])
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    mesh = block(kind, (2, 3, 2), size, lambda x: (x - size / 2) @ turn.T)
    s = structure(mesh)
    found = rigid(s.positions).T @ (s.mass @ rigid(s.positions))
    mass = ALLOY.density * np.prod(size)
    inertia = turn @ np.diag(mass / 12 * ((size**2).sum() - size**2)) @ turn.T
    assert np.allclose(
        found,
        np.block([[inertia, np.zeros((3, 3))], [np.zeros((3, 3)), mass * np.eye(3)]]),
        atol=1e-12,
    )
    a, b, c = (s.positions[s.surface.triangles[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(np.prod(size))


RATES = {
    "hexahedron": 2,
    "tetra": 2,
    "wedge": 2,
    "hexahedron20": 4,
    "hexahedron27": 4,
    "tetra10": 4,
}


@pytest.mark.parametrize("kind", KINDS)
def test_frequencies_converge_with_the_rate_of_the_element(kind):
    """Block on rollers all around: u = (b sin ax cos by, -a cos ax sin by, 0)."""
    size = np.array([1.0, 0.8, 0.5])
    a, b = np.pi / size[:2]
    exact = ALLOY.shear_modulus / ALLOY.density * (a**2 + b**2)
    errors, counts = [], (3, 5) if RATES[kind] == 4 else (4, 6)
    for n in counts:
        s = structure(block(kind, (n, n, 1), size))
        x = s.positions
        on = (np.abs(x) < 1e-9) | (np.abs(x - size) < 1e-9)
        free = np.flatnonzero(~on.ravel())
        K, M = (m[free][:, free] for m in (s.stiffness, s.mass))
        values = sparse_linalg.eigsh(K, 1, M, sigma=exact, v0=np.ones(len(free)))[0]
        errors.append(abs(values[0] / exact - 1))
    rate = np.log(errors[0] / errors[1]) / np.log(counts[1] / counts[0])
    assert RATES[kind] - 0.5 < rate < RATES[kind] + 1


@pytest.mark.parametrize("kind", ["hexahedron20", "hexahedron27", "tetra10"])
def test_pure_bending_is_exact_in_quadratic_elements(kind):
    size, nu = np.array([0.4, 0.05, 0.1]), ALLOY.poisson_ratio
    s = structure(block(kind, (3, 1, 2), size))
    x, y, z = (s.positions - size / 2).T
    u = np.stack([x * z, -nu * y * z, -(x**2 + nu * (z**2 - y**2)) / 2], axis=1)
    points = s.recovery(u.reshape(-1, 1)).points
    expected = np.zeros((len(points.positions), 6))
    expected[:, 0] = ALLOY.youngs_modulus * (points.positions[:, 2] - size[2] / 2)
    assert np.abs(points.stresses[:, :, 0] - expected).max() < 1e-11 * expected.max()
    force = (s.stiffness @ u.ravel()).reshape(-1, 3)
    loaded = np.abs(np.abs(x) - size[0] / 2) < 1e-9
    assert np.abs(force[~loaded]).max() < 1e-10 * np.abs(force).max()
    moment = (force * z[:, None])[x > 0.19].sum(axis=0)[0]
    assert moment == pytest.approx(ALLOY.youngs_modulus * size[1] * size[2] ** 3 / 12)


@pytest.mark.parametrize(
    ("kind", "counts"), [("hexahedron20", (16, 1, 2)), ("tetra10", (24, 1, 2))]
)
def test_a_slender_cantilever_has_the_deflection_stress_and_frequency_of_a_beam(kind, counts):
    """Without Poisson's ratio, so that the clamp does not stiffen the block."""
    L, b, h, F = 1.0, 0.04, 0.05, 1000.0
    s = structure(block(kind, counts, (L, b, h)), CORK)
    end = np.flatnonzero(np.abs(s.positions[:, 0] - L) < 1e-9)
    force = np.zeros(s.n_freedom)
    force[3 * end + 2] = F / len(end)
    free, u = held(s, np.flatnonzero(s.positions[:, 0] < 1e-9), force)
    bending = CORK.youngs_modulus * b * h**3 / 12
    expected = F * L**3 / (3 * bending) + F * L / (5 / 6 * CORK.shear_modulus * b * h)
    assert u[3 * end + 2].mean() == pytest.approx(expected, rel=0.002)
    points = s.recovery(u[:, None]).points
    x, _, z = points.positions.T
    away = (x > 2 * L / counts[0]) & (x < L - 2 * L / counts[0])
    stress = CORK.youngs_modulus * F * (L - x) * (h / 2 - z) / bending  # tension below
    assert np.abs(points.stresses[:, 0, 0] - stress)[away].max() < 0.01 * stress[away].max()
    K, M = (m[free][:, free] for m in (s.stiffness, s.mass))
    found = np.sqrt(sparse_linalg.eigsh(K, 2, M, sigma=0, v0=np.ones(len(free)))[0])
    across = CORK.youngs_modulus * h * b**3 / 12
    euler = [1.8751**2 * np.sqrt(EI / (CORK.density * b * h)) / L**2 for EI in (across, bending)]
    assert found == pytest.approx(euler, rel=0.01)


@pytest.mark.parametrize("kind", CALCULIX)
def test_frequencies_displacements_stresses_and_strains_are_those_of_calculix(kind, monkeypatch):
    found = calculix_blocks.records()[kind]
    assert max(compared(kind, found, CALCULIX[kind], monkeypatch)) < 1e-6


def test_exact_mass_of_quadratic_tetrahedra_is_near_that_of_calculix(monkeypatch):
    found = calculix_blocks.records()["tetra10"]
    difference = compared("tetra10", found, {}, monkeypatch)[0]
    assert 1e-5 < difference < 1e-3
