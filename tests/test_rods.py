"""Rods: the map, Lagrange's equations and both texts."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lissom as ls
from lissom.bodies.rod_map import sections_at
from tests.kernel_comparison import Case, Findings, compare_all, compare_products
from tests.lagrange_rods import SOFT, Map, check_seed, random_motion, random_rod, random_tree


@pytest.mark.parametrize("seed", range(6))
def test_trees_obey_lagranges_equations_by_automatic_differentiation(seed):
    assert check_seed(seed).failures == []


@pytest.mark.parametrize("seed", range(4))
def test_the_compiled_text_is_the_readable_one(seed):
    system, rng = random_tree(seed).system, np.random.default_rng(seed)
    q, v, _ = random_motion(system, rng)
    case = Case(Findings(f"seed {seed}"), system, system.state(q, v), rng)
    compare_all(case)
    compare_products(case)
    assert case.findings.failures == []


def section_of(rod, node, eta):
    """Section at a node."""
    piece = rod.tables.node_pieces[rod.names.get(node, node)]
    return sections_at(rod.tables, [piece], eta, 0 * eta)[0]


def exact_pose(rod, eta, s):
    """Attitude and position of a section by integration of the strains."""
    fields = Map(rod.tables)

    def rate(x, y):
        strain = np.concatenate([[p(x) for p in fields.natural], [1.0, 0.0, 0.0]])
        for component, polynomial, amplitude in zip(
            rod.tables.strains, fields.fields, eta, strict=True
        ):
            strain[component] += polynomial(x) * amplitude
        R = y[:9].reshape(3, 3)
        x_, y_, z_ = strain[:3]
        return np.concatenate(
            [(R @ [[0, -z_, y_], [z_, 0, -x_], [-y_, x_, 0]]).ravel(), R @ strain[3:]]
        )

    start = np.concatenate([np.eye(3).ravel(), np.zeros(3)])
    end = solve_ivp(rate, (0, s), start, rtol=1e-12, atol=1e-13).y[:, -1]
    return end[:9].reshape(3, 3), end[9:]


def map_error(stations, place, turn=1.0):
    """Largest error of a section's position, in lengths, of rods bent by about `turn` radians."""
    rod = ls.rod(
        1.3, ls.Rectangle(0.05, 0.04), SOFT, torsion=4, shear=1, nodes={"inside": 0.7},
        stations=stations,
    )  # fmt: skip
    tables, rng, worst = rod.tables, np.random.default_rng(3), 0.0
    for _ in range(3):
        eta = rng.standard_normal(rod.n_mode) / np.abs(tables.functions).max(axis=0)
        bent = np.abs((tables.curvature_axes * eta) @ tables.functions.T).max() * rod.length
        eta *= np.where(tables.strains < 3, turn / bent, 0.02)
        R, r = exact_pose(rod, eta, tables.places[rod.names[place]])
        section = section_of(rod, place, eta)
        worst = max(worst, np.abs(section.position - r).max() / rod.length)
        worst = max(worst, np.abs(section.rotation - R).max())
    return worst


@pytest.mark.parametrize("place, bounds", [("tip", (1e-5, 1e-6)), ("inside", (2e-4, 1e-5))])
def test_sections_are_where_the_strains_put_them(place, bounds):
    assert map_error(6, place) < bounds[0]
    assert map_error(8, place) < bounds[1]


def test_a_constant_natural_curvature_is_exact():
    rod = ls.rod(1.0, ls.Circle(0.01), SOFT, curvature=(1.0, 2.0, 1.0), stations=10)
    zero = np.zeros(rod.n_mode)
    tip = section_of(rod, "tip", zero)
    R, r = exact_pose(rod, zero, 1.0)
    assert np.abs(tip.rotation - R).max() < 1e-11
    assert np.abs(tip.position - r).max() < 1e-11


@pytest.mark.parametrize("seed", range(3))
def test_pictures_of_many_states_are_those_of_one(seed):
    rng = np.random.default_rng(seed)
    rod = random_rod(rng)
    body = rod.normalised()
    eta = rng.standard_normal((4, rod.n_mode)) / np.sqrt(body.stiffness)
    for node in (0, 5, rod.names["inside"], rod.names["tip"]):
        for k, moved in enumerate(body.displaced(node, eta)):
            section = section_of(rod, node, eta[k])
            assert moved[3:] + body.node_positions[node] == pytest.approx(section.position)
