"""Bodies from meshes: statics, stresses, mass integrals, energy, and their surface in pictures."""

import dataclasses

import numpy as np
import pytest

from tests.references.peers import peer

meshio = peer("meshio")
peer("skfem")

import scipy.sparse as sparse  # noqa: E402
import scipy.sparse.linalg as sparse_linalg  # noqa: E402

import lissom as ls  # noqa: E402
from lissom.results.description.joints import Numbers  # noqa: E402
from lissom.results.description.solids import described_solids, restored_solids  # noqa: E402
from lissom.viz.scene.bodies import SceneBody  # noqa: E402
from tests.samples.meshes import block  # noqa: E402

CELLS = (4, 1, 1)
SIZE = np.array([0.4, 0.06, 0.05])
ENDS = {"root": ls.regions.plane("x", 0.0), "tip": ls.regions.plane("x", 0.4)}


def bar(kind="hexahedron20", **options):
    options = {"modes": 4, "damping": 0.0} | options
    return ls.from_mesh(block(kind, CELLS, SIZE), ls.ALUMINIUM, ENDS, **options)


BAR = bar()


def arm(body=BAR, **options):
    model = ls.Model("arm", **options)
    model.add(body, ls.Revolute("y"), name="bar")
    return model


def test_the_file_and_the_mesh_give_the_same_body(tmp_path):
    mesh = block("hexahedron20", CELLS, 1000 * SIZE)
    meshio.write(tmp_path / "bar.vtu", mesh)
    body = ls.from_mesh(tmp_path / "bar.vtu", ls.ALUMINIUM, ENDS, scale=1e-3, modes=4)
    assert body.mass == pytest.approx(2700 * np.prod(SIZE))
    assert body.frequencies == pytest.approx(BAR.frequencies)


def test_deflection_and_stress_under_interface_loads_are_those_of_the_whole_model():
    s = BAR.source
    tip = s.interfaces["tip"]
    load = np.array([3.0, -5.0, 7.0, 100.0, 200.0, -300.0])  # moment, force
    # rigid tie, written here: the nodes of the tip move with w
    levers = s.positions[tip.nodes] - tip.position
    rows = (3 * tip.nodes[:, None] + np.arange(3)).ravel()
    T = np.concatenate(
        [np.hstack([np.array([np.cross(e, r) for e in np.eye(3)]).T, np.eye(3)]) for r in levers]
    )
    held = (3 * s.interfaces["root"].nodes[:, None] + np.arange(3)).ravel()
    inner = np.setdiff1d(np.arange(s.n_freedom), np.concatenate([rows, held]))
    tie = sparse.lil_array((s.n_freedom, len(inner) + 6))
    tie[inner, np.arange(len(inner))] = 1.0
    tie[rows, len(inner) :] = T
    tie = tie.tocsc()
    force = np.concatenate([np.zeros(len(inner)), load])
    x = tie @ sparse_linalg.spsolve((tie.T @ s.stiffness @ tie).tocsc(), force)
    eta = np.linalg.solve(BAR.stiffness, BAR.shapes[BAR.names["tip"]].T @ load)
    w = BAR.shapes[BAR.names["tip"]] @ eta
    assert T @ w == pytest.approx(x[rows], rel=1e-6, abs=1e-9 * np.abs(x).max())
    found = BAR.recovery.points.stresses @ eta
    expected = s.recovery(x[:, None]).points.stresses[:, :, 0]
    assert np.abs(found - expected).max() < 1e-7 * np.abs(expected).max()


def test_corners_of_the_surface_are_nodes_whose_stress_is_known():
    (skin,) = BAR.solids
    assert isinstance(skin, ls.solids.Surface)
    points = BAR.recovery.points
    row = {int(node): k for k, node in enumerate(points.nodes) if node >= 0}
    assert set(skin.nodes) == set(row)
    rows = [row[node] for node in skin.nodes]
    assert np.allclose(points.positions[rows], BAR.positions[list(skin.nodes)])
    assert points.labels[rows[0]].startswith("node ")
    assert points.labels[-1] == "element 3, point 7"


@pytest.mark.parametrize("kind", ["hexahedron20", "tetra10"])
def test_the_mass_matrix_has_the_integrals_of_its_quadrature_points(kind):
    """So that a structure of solids needs no particles."""
    body = bar(kind) if kind != "hexahedron20" else BAR
    s = body.source
    (part,) = s.recovery.blocks
    points, weights = part.kind.rule("mass")
    N, dN = part.kind.functions(points)
    x = s.positions[part.cells]
    J = np.einsum("qna,enb->eqab", dN, x)
    e, q, n = len(x), *N.shape
    rows = np.broadcast_to(np.arange(e * q).reshape(e, q, 1), (e, q, n)).ravel()
    columns = np.broadcast_to(part.cells[:, None], (e, q, n)).ravel()
    values = np.broadcast_to(N, (e, q, n)).ravel()
    pick = sparse.csr_array((values, (rows, columns)), shape=(e * q, s.n_node))
    masses = (2700 * np.linalg.det(J) * weights).ravel()
    particles = (masses, (N @ x).reshape(-1, 3), sparse.kron(pick, sparse.eye_array(3)).tocsr())
    other = dataclasses.replace(s, particles=particles).reduce(modes=4, damping=0.0)
    a, b = body.normalised().integrals, other.normalised().integrals
    for part in dataclasses.fields(a):
        x, y = np.asarray(getattr(a, part.name)), np.asarray(getattr(b, part.name))
        signs = np.allclose(x, y, atol=1e-9 * np.abs(y).max(initial=1e-300))
        assert signs, part.name


def test_a_spinning_and_bending_body_keeps_its_energy():
    system = arm(bar(modes=2)).compile()
    start = system.state(bar=0.0)
    start = system.state(q=start.q, v=np.r_[np.full(len(start.v) - 1, 0.05), 30.0])
    run = ls.simulate(system, start, duration=0.005, rtol=1e-9)
    energy = run["energy.total"]
    assert np.ptp(energy) < 1e-8 * np.abs(energy).max()
    assert np.ptp(run["energy.strain"]) > 1e-4 * energy[0]


def test_the_surface_bends_with_the_body_and_keeps_its_volume():
    system = arm().compile()
    scene = SceneBody(system, 0)
    (surface,) = scene.surfaces
    a, b, c = (scene.rest[surface.triangles[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(np.prod(SIZE))
    eta = np.zeros(BAR.n_mode)
    eta[0] = 1e-3
    moved = scene.corners(eta) - scene.rest
    expected = system.bodies[0].node_shapes[surface.nodes, 3:, 0] * 1e-3
    assert np.allclose(moved, expected)


def test_surfaces_survive_model_files_and_results(tmp_path):
    arm().save(tmp_path / "arm.toml")
    (skin,) = ls.load(tmp_path / "arm.toml").compile().bodies[0].solids
    words, numbers = described_solids(BAR.solids)
    flat = np.concatenate([np.ravel(x) for x in numbers])
    (again,) = restored_solids(words, Numbers(flat))
    for found in (skin, again):
        assert found.nodes == BAR.solids[0].nodes
        assert np.array_equal(found.triangles, BAR.solids[0].triangles)


def test_faults_of_surfaces_are_named():
    with pytest.raises(ls.ModelError, match="triangles refer to corners outside 0 to 2"):
        ls.solids.Surface([[0, 1, 3]], [5, 6, 7])
    with pytest.raises(ls.ModelError, match=r"triangles must be an array \(m, 3\)"):
        ls.solids.Surface([[0, 1]], [5, 6])
    far = dataclasses.replace(BAR, solids=ls.solids.Surface([[0, 1, 2]], [0, 1, 10**4]))
    with pytest.raises(ls.ModelError, match="body 'bar': its Surface has nodes 0 to 10000"):
        SceneBody(arm(far).compile(), 0)


def test_modes_are_drawn_as_surfaces():
    (axes,) = ls.viz.plot_modes(BAR, modes=[0]).axes
    assert len(axes.collections) == 2 and not axes.lines
