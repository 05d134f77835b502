"""Plate elements and panels against closed forms and the method of Ritz."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.sparse.linalg import spsolve

import lissom as ls
from lissom.structures.finite.panel import panel_structure
from tests.references.plate_theory import beam_functions, plate_frequencies, polynomials
from tests.references.textbook_elements import rigid_motion

ALLOY, THICK = ls.Material("alloy", 70e9, 2700.0, 0.3), 0.002
D = 70e9 * THICK**3 / 12 / (1 - 0.3**2)
LINE = 2700 * THICK


def plate(divisions, size=(1.0, 1.0), **more):
    given = {"interfaces": {"root": "left"}} | more
    return panel_structure(*size, THICK, ALLOY, divisions=divisions, **given)


def frequencies(structure, held, count):
    """Lowest angular frequencies; drilling rotations have no mass."""
    free = np.setdiff1d(np.arange(structure.n_freedom), held)
    K, M = (A.toarray()[np.ix_(free, free)] for A in (structure.stiffness, structure.mass))
    n = len(free)
    return 1 / np.sqrt(eigh(M, K, eigvals_only=True, subset_by_index=[n - count, n - 1])[::-1])


def clamped_left(structure):
    nodes = structure.interfaces["root"].nodes
    return np.flatnonzero(np.isin(structure.freedoms[:, 0], nodes))


def bending_only(structure):
    return np.flatnonzero(~np.isin(structure.freedoms[:, 1], (0, 1, 5)))


def test_a_simply_supported_plate_converges_to_the_closed_form_with_the_fourth_power():
    errors = []
    for n in (2, 4):
        body = plate(n)
        x, y, _ = body.positions.T
        node, direction = body.freedoms.T
        first = node < body.n_node // 2  # the second half carries the twist
        across_x = np.isclose(x, 0) | np.isclose(x, 1)
        across_y = np.isclose(np.abs(y), 0.5)
        held = (across_x | across_y)[node] & (direction == 5)
        held |= across_x[node] & (direction == 0) & first
        held |= across_y[node] & (direction == 1)
        held[bending_only(body)] = True
        found = frequencies(body, np.flatnonzero(held), 3) * np.sqrt(LINE / D) / np.pi**2
        errors.append(found / [2, 5, 5] - 1)
    assert np.all(errors[1] < 3e-3) and errors[1][0] < 2e-4
    assert np.log2(errors[0][0] / errors[1][0]) > 3.7
    assert np.log2(errors[0][1] / errors[1][1]) > 3.7


def test_a_square_cantilever_plate_has_the_frequencies_of_ritz():
    """Leissa (1973) printed those of 36 products of beam functions; polynomials come lower."""
    printed = [3.4917, 8.5246, 21.429, 27.331, 31.111]
    terms = beam_functions(6, clamped=True), beam_functions(6, clamped=False)
    assert np.allclose(plate_frequencies(*terms), printed, rtol=3e-5)
    exact = plate_frequencies(polynomials(12, clamped=True), polynomials(12, clamped=False))
    body = plate(6)
    held = np.unique([*clamped_left(body), *bending_only(body)])
    found = frequencies(body, held, 5) * np.sqrt(LINE / D)
    assert np.all(found > exact) and np.all(found < printed)
    assert np.allclose(found, exact, rtol=1e-3)


def test_rigid_motion_has_no_strain_and_the_inertia_of_the_plate():
    thick = 0.3
    body = panel_structure(1.2, 0.8, thick, ALLOY, interfaces={"root": "left"}, divisions=(3, 2))
    R = rigid_motion(body)
    assert np.abs(body.stiffness @ R).max() < 1e-12 * abs(body.stiffness).max()
    mass = 2700 * thick * 1.2 * 0.8
    exact = mass * np.array([0.8**2 / 12, 1.2**2 / 3, 1.2**2 / 3 + 0.8**2 / 12])
    exact += mass * thick**2 / 12 * np.array([1, 1, 0])
    found = R.T @ (body.mass @ R)
    assert np.allclose(np.diag(found), [*exact, mass, mass, mass])


def solved(body, load):
    free = np.setdiff1d(np.arange(body.n_freedom), clamped_left(body))
    found = np.zeros(body.n_freedom)
    found[free] = spsolve(body.stiffness[free][:, free].tocsc(), load[free])
    return found


def edge_forces(body, direction, total):
    """Evenly distributed force on the right edge."""
    x, y = body.positions[: body.n_node // 2, :2].T
    nodes = np.flatnonzero(np.isclose(x, x.max()))
    nodes = nodes[np.argsort(y[nodes])]
    h = np.gradient(y[nodes]) * np.where(np.isin(nodes, nodes[[0, -1]]), 0.5, 1.0)
    load = np.zeros(body.n_freedom)
    load[6 * nodes + direction] = total * h / h.sum()
    return load


def test_stress_of_a_plate_that_is_pulled_and_bent():
    """Away from the clamped edge: sigma = F / (b t), and 6 F (L - x) / (b t²) by bending."""
    body = plate((12, 4), size=(3.0, 0.5))
    for direction, height in ((3, 1.0), (3, -1.0)):
        points = body.recovery(solved(body, edge_forces(body, direction, 100.0))[:, None]).points
        far = np.isclose(points.positions[:, 0], 1.5) & (np.sign(points.positions[:, 2]) == height)
        assert np.allclose(points.stresses[far, 0, 0], 100 / (0.5 * THICK), rtol=1e-3)
    points = body.recovery(solved(body, edge_forces(body, 5, 1.0))[:, None]).points
    far = np.isclose(points.positions[:, 0], 1.5)
    top = points.positions[:, 2] > 0
    exact = -6 * 1.0 * 1.5 / (0.5 * THICK**2)
    assert np.isclose(points.stresses[far & top, 0, 0].mean(), exact, rtol=5e-3)
    assert np.isclose(points.stresses[far & ~top, 0, 0].mean(), -exact, rtol=5e-3)


def test_a_strip_bent_in_its_plane_is_a_beam():
    body = plate((10, 2), size=(2.0, 0.2))
    found = solved(body, edge_forces(body, 4, 1.0))
    tip = np.flatnonzero(np.isclose(body.positions[:, 0], 2.0) & (body.positions[:, 1] == 0))[0]
    moment, A = THICK * 0.2**3 / 12, THICK * 0.2
    exact = 2.0**3 / (3 * 70e9 * moment) + 2.0 / (5 / 6 * 70e9 / 2.6 * A)
    assert np.isclose(found[6 * tip + 4], exact, rtol=1e-2)
    assert np.isclose(
        found[6 * tip + 2], 2.0**2 / (2 * 70e9 * moment), rtol=2e-2
    )  # drilling follows


def test_a_sandwich_has_the_given_stiffness_and_mass_and_its_stress_is_that_of_the_faces():
    body = panel_structure(
        2.0,
        0.1,
        0.02,
        ls.Material("skin", 70e9, 2700.0, 0.0),
        interfaces={"root": "left"},
        divisions=(6, 1),
        bending_stiffness=5000.0,
        area_density=3.0,
    )
    R = rigid_motion(body)
    assert np.isclose((R.T @ (body.mass @ R))[5, 5], 3.0 * 0.2)
    found = solved(body, edge_forces(body, 5, 1.0))
    tip = np.flatnonzero(np.isclose(body.positions[:, 0], 2.0))[0]
    assert np.isclose(found[6 * tip + 5], 2.0**3 / (3 * 5000 * 0.1), rtol=1e-4)
    points = body.recovery(found[:, None]).points
    face = 2 * 5000 / (70e9 * 0.02**2)
    for x in (0.0, 1.0, 2.0):  # the moment is linear, up to both ends
        at = np.isclose(points.positions[:, 0], x) & (points.positions[:, 2] > 0)
        exact = -1.0 * (2.0 - x) / (0.1 * face * 0.02)
        assert np.allclose(points.stresses[at, 0, 0], exact, rtol=1e-3, atol=1.0)


def test_points_of_interfaces_are_corners_of_elements():
    body = plate((3, 3), interfaces={"a": (0.0, 0.1), "b": (0.7, -0.23)})
    for name, place in (("a", (0, 0.1, 0)), ("b", (0.7, -0.23, 0))):
        interface = body.interfaces[name]
        assert interface.tie == "node" and len(interface.nodes) == 1
        assert np.allclose(body.positions[interface.nodes[0]], place)


def test_a_panel_is_a_body_with_its_edges():
    """Reduced with its root edge held it has the frequencies of the unreduced plate."""
    body = ls.panel(
        1.0, 1.0, THICK, ALLOY, interfaces={"root": "left", "tip": "right"}, modes=4, divisions=4
    )
    whole = plate(4)
    tip = plate(4, interfaces={"root": "left", "tip": "right"}).interfaces["tip"]
    assert np.allclose(tip.position, (1, 0, 0)) and tip.tie == "rigid"
    assert np.isclose(body.mass, LINE)
    loose = ls.panel(1.0, 1.0, THICK, ALLOY, interfaces={"root": "left"}, modes=4, divisions=4)
    exact = frequencies(whole, clamped_left(whole), 4) / (2 * np.pi)
    assert np.allclose(loose.frequencies, exact, rtol=1e-6)
    assert body.frequencies[0] > exact[0]  # a rigid edge at the tip


@pytest.mark.parametrize("place", [(0.5, 0.2), (1.0, 0.0)])
def test_static_deflection_at_an_interface_is_kept_by_the_body(place):
    given = {"interfaces": {"root": "left", "tip": place}, "divisions": 4}
    body = ls.panel(1.0, 0.6, THICK, ALLOY, **given, modes=2)
    tip = body.shapes[body.names["tip"]] @ body.transform
    found = tip[5] ** 2 @ (1 / (2 * np.pi * body.frequencies) ** 2)
    source = body.source
    load = np.zeros(source.n_freedom)
    load[6 * source.interfaces["tip"].nodes[0] + 5] = 1.0
    assert np.isclose(found, solved(source, load) @ load, rtol=1e-6)


def test_drawings_show_the_rim_of_a_sheet_and_not_its_triangles():
    """A panel has two faces with the same corners."""
    from lissom.viz.drawing.shapes import _sharp

    body = plate((3, 2))
    ends = _sharp(body.positions, body.surface.triangles)[0]
    x, y = np.moveaxis(ends, 2, 0)[:2]
    on_rim = np.isclose(x, 0) | np.isclose(x, 1) | np.isclose(np.abs(y), 0.5)
    assert len(ends) == 2 * (3 + 2) and np.all(on_rim)
