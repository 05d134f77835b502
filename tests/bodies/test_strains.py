"""Strain of solids and panels: closed forms, and all ways to reach it."""

import dataclasses

import numpy as np
import pytest

import lissom as ls
from lissom.bodies.recovery import Recovery, StressPoints
from lissom.bodies.stress import principal_magnitude
from lissom.io.structures import mesh as reader
from tests.references.peers import peer
from tests.samples.flexible_arms import solid_body

peer("skfem")
meshio = peer("meshio")

from tests.samples.meshes import block  # noqa: E402

BRASS = ls.Material("brass", 100e9, 8500.0, 0.0)
CORK = ls.Material("cork", 50e9, 2000.0, 0.0)


def points_with(stress, elasticity):
    stress = np.array(stress, dtype=float)[..., None]
    n = len(stress)
    return StressPoints(np.zeros((n, 3)), stress, np.full(n, -1), elasticity=elasticity)


def test_pull_pressure_and_shear_strain_as_the_textbook_says():
    E, nu, s = 210e9, 0.3, 80e6
    points = points_with([[s, 0, 0, 0, 0, 0], [-s, -s, -s, 0, 0, 0], [0, 0, 0, 0, 0, s]], (E, nu))
    pull, pressure, shear = points.strains()[:, :, 0]
    assert np.allclose(pull, [s / E, -nu * s / E, -nu * s / E, 0, 0, 0], rtol=1e-14)
    assert np.allclose(pressure[:3], -s * (1 - 2 * nu) / E, rtol=1e-14)
    angle = s / (E / (2 * (1 + nu)))
    assert np.allclose(shear, [0, 0, 0, 0, 0, angle / 2], rtol=1e-14)  # tensor component
    assert np.allclose(ls.principal_strains(shear), [angle / 2, 0, -angle / 2], rtol=1e-14)


def test_strain_turns_with_the_body_and_its_largest_is_the_same():
    rng = np.random.default_rng(7)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    points = points_with(rng.normal(size=(5, 6)) * 1e6, [(k * 1e9, 0.1 * k) for k in range(1, 6)])
    one, other = (x.strains()[:, :, 0] for x in (points, points.turned(turn)))
    at = np.array([[0, 5, 4], [5, 1, 3], [4, 3, 2]])
    assert np.allclose(other[:, at], turn @ one[:, at] @ turn.T, rtol=1e-12)
    principal = ls.principal_strains(one)
    assert np.allclose(ls.principal_strains(other), principal, rtol=1e-12)
    assert np.allclose(principal_magnitude(one), np.abs(principal).max(axis=1), rtol=1e-12)
    degenerate = np.array([[1.0, 1, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0], [-2, 1, 1, 0, 0, 0]])
    assert np.allclose(principal_magnitude(degenerate), [1, 0, 2], atol=1e-15)


def two_materials():
    mesh = block("hexahedron20", (4, 1, 1), (0.4, 0.1, 0.1))
    cells = mesh.cells[0].data
    (left,) = np.nonzero(mesh.points[cells].mean(axis=1)[:, 0] < 0.2)
    sets = {"left": [left], "right": [np.setdiff1d(np.arange(len(cells)), left)]}
    made = meshio.Mesh(mesh.points, mesh.cells, cell_sets=sets)
    return reader.mesh_structure(
        made, {"left": BRASS, "right": CORK}, {"root": ls.regions.plane("x", 0.0)}
    )


def test_where_materials_meet_each_has_its_own_stress_and_strain():
    """A bar of two materials that is pulled: one stress; strain and slope jump."""
    s = two_materials()
    x, pull = s.positions[:, 0], 1e6
    moved = pull * np.where(x < 0.2, x / 100e9, 0.2 / 100e9 + (x - 0.2) / 50e9)
    points = s.recovery(np.stack([moved, 0 * x, 0 * x], axis=1).reshape(-1, 1)).points
    assert np.allclose(points.stresses[:, 0, 0], pull, rtol=1e-10)
    left = points.positions[:, 0] < 0.2 - 1e-9
    border = np.abs(points.positions[:, 0] - 0.2) < 1e-9
    strain = points.strains()[:, 0, 0]
    assert np.allclose(strain[left], 1e-5, rtol=1e-10)
    assert np.allclose(strain[~left & ~border], 2e-5, rtol=1e-10)
    labels = [points.labels[k] for k in np.flatnonzero(border)]
    assert len(labels) == 16 and {x.rpartition(", ")[2] for x in labels} == {"brass", "cork"}
    brass = np.array([label.endswith("brass") for label in labels])
    assert np.allclose(strain[border], np.where(brass, 1e-5, 2e-5), rtol=1e-10)
    assert np.array_equal(np.unique(points.nodes[border], return_counts=True)[1], [2] * 8)


def test_a_bent_plate_has_the_strain_of_its_curvature():
    """Free of stress across: eps_x = -z kappa_x, eps_z by Poisson's ratio."""
    wing = ls.panel(1.0, 0.4, 0.01, ls.ALUMINIUM, interfaces={"root": "left"}, divisions=4, modes=2)
    E, nu = ls.ALUMINIUM.youngs_modulus, ls.ALUMINIUM.poisson_ratio
    s = wing.source
    x, n = s.positions[: len(s.positions) // 2, 0], len(s.positions) // 2
    moved = np.zeros((7 * n, 1))  # w = kappa x² / 2, slope about -y
    moved[5 : 6 * n : 6, 0], moved[1 : 6 * n : 6, 0] = 0.02 * x**2 / 2, -0.02 * x
    points = s.recovery(moved).points
    z = points.positions[:, 2]
    strain = points.strains()[:, :, 0]
    assert np.allclose(strain[:, 0], -z * 0.02, rtol=1e-9)
    assert np.allclose(strain[:, 1], 0, atol=1e-12)
    assert np.allclose(strain[:, 2], -nu / (1 - nu) * strain[:, 0], rtol=1e-9)
    assert np.allclose(points.stresses[:, 0, 0], E / (1 - nu**2) * strain[:, 0], rtol=1e-9)


def pulled_bar():
    mesh = block("hexahedron20", (4, 1, 1), (0.4, 0.1, 0.1))
    ends = {"root": ls.regions.plane("x", 0.0), "tip": ls.regions.plane("x", 0.4)}
    return ls.from_mesh(mesh, BRASS, ends, modes=1)


def test_a_hanging_weight_strains_a_bar_in_states_runs_envelopes_and_files(tmp_path):
    bar = pulled_bar()
    model = ls.Model("bar", gravity=(1e-9, 0, 0))
    model.add(bar, ls.Fixed(), name="bar")
    system = model.compile()
    force = ls.NodeForce("bar.tip", force=(2e4, 0, 0))
    rest = ls.equilibrium(system, loads=[force])
    eps = 2e4 / 0.01 / 100e9
    found = ls.strain(system, rest, "bar")
    assert np.allclose(found, [eps, 0, 0, 0, 0, 0], atol=1e-6 * eps)
    assert np.array_equal(ls.strain(system, rest, "bar", 3), found[3])
    run = ls.simulate(system, rest, duration=1e-3, output_step=5e-4, loads=[force])
    assert np.allclose(run.strain("bar", [3, 5]), found[[3, 5]], atol=1e-6 * eps)
    assert run["bar.strain"] == pytest.approx(eps, rel=1e-6)
    node = int(system.bodies[0].recovery.points.nodes[3])
    assert run[f"bar.{node}.strain"] == pytest.approx(eps, rel=1e-6)
    assert run.channels("bar.strain")["bar.strain"].description.startswith("largest principal")
    worst = run.envelope("bar.strain")["bar.strain"]
    assert worst.largest == run["bar.strain"].max() and worst.unit == "1"
    labels = system.bodies[0].recovery.points.labels
    assert worst.largest_place in labels
    run.load_table(tmp_path / "strain.csv", "bar.strain", "bar.stress")
    text = (tmp_path / "strain.csv").read_text()
    assert "bar.strain [1]" in text and "beyond" not in text
    run.save(tmp_path / "run.nc")
    again = ls.Trajectory.load(tmp_path / "run.nc")
    assert np.array_equal(again.strain("bar"), run.strain("bar"))
    bar.save(tmp_path / "bar.nc")
    kept = ls.load_body(tmp_path / "bar.nc").recovery.points
    assert np.array_equal(kept.elasticity, bar.recovery.points.elasticity)
    model.save(tmp_path / "model.toml")
    loaded = ls.load(tmp_path / "model.toml").compile()
    assert np.allclose(ls.strain(loaded, (rest.q, rest.v), "bar"), found)


def test_what_has_no_strain_is_named():
    model = ls.Model("parts", gravity=(0, 0, -9.81))
    model.add(solid_body(), ls.Fixed(), name="part")
    model.add(ls.beam(1.0, ls.Circle(0.01), ls.STEEL), ls.Fixed(), name="beam")
    system = model.compile()
    run = ls.simulate(system, duration=1e-3, output_step=1e-3)
    for name in ("part.strain", "part.tip.strain"):
        with pytest.raises(ls.StateError, match=r"'part' came without a material.*elasticity=\(E"):
            run[name]
    for call in (lambda: ls.strain(system, system.neutral(), "part"), lambda: run.strain("part")):
        with pytest.raises(ls.StateError, match="'part' came without a material"):
            call()
    with pytest.raises(ls.StateError, match="'beam' is no rod and has no strain.*solids"):
        run["beam.strain"]
    with pytest.raises(ls.StateError, match="'beam' has no points.*stress over Young"):
        run.strain("beam")
    assert not [x for x in run.channels(".strain") if x != "energy.strain"]
    points = solid_body().recovery.points
    for wrong in ((0.0, 0.3), (1e9, 0.6), (1e9,) * 3, "steel", [(1e9, 0.3)] * 3, (np.nan, 0.3)):
        with pytest.raises(ls.ModelError, match="StressPoints: elasticity is"):
            dataclasses.replace(points, elasticity=wrong)
    with pytest.raises(ls.StateError, match=r"strain must be an array \(..., 6\)"):
        ls.principal_strains(np.zeros((2, 5)))


def test_a_body_of_ones_own_gets_its_strain_from_young_and_poisson():
    body = solid_body()
    given = dataclasses.replace(body.recovery.points, elasticity=(70e9, 0.33))
    model = ls.Model("part")
    model.add(dataclasses.replace(body, recovery=Recovery(given)), ls.Fixed(), name="part")
    system = model.compile()
    state = system.state(**{"part.modes": [1e-3, 2e-3]})
    stress, strain = ls.stress(system, state, "part"), ls.strain(system, state, "part")
    assert np.allclose(strain[:, 3:], stress[:, 3:] * 1.33 / 70e9, rtol=1e-13)
    mean = stress[:, :3].sum(axis=1, keepdims=True)
    assert np.allclose(strain[:, :3], (1.33 * stress[:, :3] - 0.33 * mean) / 70e9, rtol=1e-13)
