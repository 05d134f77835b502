"""Rods: the map, Lagrange's equations and both texts."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lissom as ls
from lissom.bodies.rod_map import sections_at
from tests.references.lagrange_rods import (
    SOFT,
    Map,
    check_seed,
    random_motion,
    random_rod,
    random_tree,
)
from tests.tools.kernel_comparison import Case, Findings, compare_all, compare_products


@pytest.mark.parametrize("seed", [0, 4])
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


def test_functions_of_ones_own_span_the_same_rod():
    """1 and x instead of Legendre's polynomials; a sine besides makes it softer."""
    given = [np.ones_like, lambda x: x]
    asked = {"torsion": 0, "stretch": 0, "stations": 8}
    section = ls.Rectangle(0.05, 0.04)
    own, plain, more = (
        ls.rod(1.3, section, SOFT, bending=functions, **asked)
        for functions in (given, 2, ([*given, lambda x: np.sin(3 * x)], 0))
    )
    assert own.frequencies == pytest.approx(plain.frequencies, rel=1e-12)
    assert own.tables.functions == pytest.approx(plain.tables.functions)
    assert more.n_mode == 3
    assert more.frequencies[0] < plain.frequencies[1]  # plane x-y of a section that is wider there


@pytest.mark.parametrize("asked, words", [
    ({"bending": [len, 3]}, "bending in the plane x-y is <built-in function len>; give"),
    ({"bending": (1, 2, 3)}, "Rod: bending is .*; give a number, a list of functions, or a pair"),
    ({"bending": 0, "torsion": 0, "stretch": 0}, "nothing deforms; give one of them functions"),
    ({"bending": [np.ones_like, np.ones_like]}, "are not independent; leave one out"),
    ({"bending": 31}, "give a whole number from 0 to 30"),
    ({"stations": 4}, "Rod: stations is 4; give a whole number from 5 to 60"),
    ({"nodes": {"middle": 2.0}}, "node 'middle' is at 2.0; give its arc length .* 0 to 1.3"),
    ({"damping": -0.1}, "damping has the negative value -0.1"),
    ({"curvature": (1.0, 2.0)}, r"curvature has shape \(2,\); expected \(3,\)"),
])  # fmt: skip
def test_what_is_wrong_is_said(asked, words):
    with pytest.raises(ls.ModelError, match=words):
        ls.rod(1.3, ls.Rectangle(0.05, 0.04), SOFT, **asked)


def test_the_mass_of_a_rod_is_in_kilograms_like_that_of_every_body():
    per_length = ls.STEEL.density * np.pi * 0.01**2
    rod = ls.rod(3.0, ls.Circle(0.01), ls.STEEL)
    assert abs(rod.mass_per_length[0] - per_length) < 1e-12 * per_length
    with pytest.warns(ls.DeprecatedWarning, match=r"total mass \[kg\].*mass_per_length") as told:
        assert abs(rod.mass - 3.0 * per_length) < 1e-12
    assert told[0].filename == __file__
    taper = ls.Rod(2.0, [1.0] * 6, [0.1, 0.3, 0.5], [1e-4] * 3)  # linear
    with pytest.warns(ls.DeprecatedWarning):
        assert abs(taper.mass - 0.6) < 1e-14
    assert rod.normalised().mass == pytest.approx(3.0 * per_length, rel=1e-14)


def test_the_former_name_of_the_mass_per_length_is_taken_and_told():
    with pytest.warns(ls.DeprecatedWarning, match=r"Rod\(mass=\).*use mass_per_length=") as told:
        rod = ls.Rod(2.0, [1.0] * 6, mass=0.3, inertia=[1e-4] * 3)
    assert told[0].filename == __file__ and rod.mass_per_length == [0.3]
    with pytest.raises(TypeError, match="mass= and mass_per_length=, which are the same"):
        dataclasses.replace(rod, mass=0.5)
    assert dataclasses.replace(rod, mass_per_length=0.5).mass_per_length == [0.5]
