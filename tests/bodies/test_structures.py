"""Materials, sections and beams against analytic results and textbook element matrices."""

import dataclasses
import math
import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
import sympy

import lissom as ls
from lissom.errors import ModelError
from lissom.structures import (
    ALUMINIUM,
    CARBON,
    STEEL,
    TITANIUM,
    Circle,
    ISection,
    Material,
    Rectangle,
    Section,
    Tube,
    beam,
)
from lissom.structures.cantilever import bar_modes, beam_modes, mesh

LENGTH = 2.5
TUBE = Tube(radius=0.06, thickness=0.004)
BLADE = Rectangle(width=0.03, height=0.08)
SECTIONS = [BLADE, Rectangle(0.09, 0.02), Circle(0.03), TUBE, ISection(0.08, 0.12, 0.008, 0.005)]
FAMILIES = ("y", "z", "torsion", "stretch")
named = pytest.mark.parametrize("section", SECTIONS, ids=lambda s: s.name)


def bending_roots(count):
    """Roots of cos β cosh β = -1, written so that nothing overflows."""
    starts = (np.arange(count) + 0.5) * np.pi
    return np.array(
        [
            scipy.optimize.brentq(
                lambda b: np.cos(b) + 1 / np.cosh(b), s - 0.4, s + 0.4, xtol=1e-14
            )
            for s in starts
        ]
    )


def bar_roots(count):
    return (np.arange(count) + 0.5) * np.pi


def exact_frequencies(family, section, material, count):
    """Exact angular frequencies [rad/s] of one family."""
    modulus, shear, density = material.youngs_modulus, material.shear_modulus, material.density
    moments = {"y": section.second_moment_z, "z": section.second_moment_y}
    if family in moments:
        speed = math.sqrt(modulus * moments[family] / (density * section.area))
        return bending_roots(count) ** 2 * speed / LENGTH**2
    polar = section.second_moment_y + section.second_moment_z
    square = {"torsion": shear * section.torsion_constant / polar, "stretch": modulus}[family]
    return bar_roots(count) * math.sqrt(square / density) / LENGTH


def tip_family(body):
    """Family of each mode, read off the tip: torsion turns it, the others move it one way."""
    tip = np.asarray(body.shapes)[body.names["tip"]]
    rows = {"torsion": 0, "stretch": 3, "y": 4, "z": 5}
    found = [[f for f, r in rows.items() if tip[r, k] != 0.0] for k in range(tip.shape[1])]
    assert all(len(f) == 1 for f in found)
    return np.array([f[0] for f in found])


def omega(body):
    return 2 * np.pi * np.asarray(body.frequencies)


def modal_mass(body):
    moves = np.asarray(body.shapes)[:, 3:]
    return np.einsum("n,nia,nib->ab", np.asarray(body.masses), moves, moves)


def fitted_order(elements, errors):
    return -np.polyfit(np.log(elements), np.log(errors), 1)[0]


# Materials


@pytest.mark.parametrize("material", [ALUMINIUM, STEEL, TITANIUM, CARBON], ids=lambda m: m.name)
def test_constants_are_plausible_and_frozen(material):
    assert 1e3 < math.sqrt(material.youngs_modulus / material.density) < 1e4  # speed of sound, m/s
    assert 1 / 3 <= material.shear_modulus / material.youngs_modulus < 0.5
    with pytest.raises(dataclasses.FrozenInstanceError):
        material.density = 1.0


def test_shear_modulus():
    assert Material("m", 26e9, 1000).shear_modulus == pytest.approx(10e9, rel=1e-15)
    assert Material("rubber", 3e6, 1000, 0.5).shear_modulus == pytest.approx(1e6, rel=1e-15)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("m", 0.0, 1.0), r"material 'm': youngs_modulus \[Pa\] must be above zero, not 0.0"),
        (("m", 1.0, -2), r"material 'm': density \[kg/m³\] must be above zero, not -2.0"),
        (("m", math.inf, 1.0), r"youngs_modulus \[Pa\] must be finite, not inf; give a finite"),
        (("m", 1.0, math.nan), r"density \[kg/m³\] must be finite, not nan"),
        (("m", "1", 1.0), r"youngs_modulus \[Pa\] must be a number, not '1' \(str\)"),
        (("m", 1.0, True), "must be a number, not True"),
        (("m", sympy.Symbol("E"), 1.0), "do not support symbols: give a number"),
        (("m", 1.0, 1.0, -1.0), "poisson_ratio must be above -1 and at most 0.5, not -1.0; metals"),
        (("m", 1.0, 1.0, 0.51), "poisson_ratio must be above -1 and at most 0.5, not 0.51"),
        ((70e9, 2700, 0.3), "first argument of Material is .*; expected its name"),
    ],
)
def test_bad_material(arguments, message):
    with pytest.raises(ModelError, match=message):
        Material(*arguments)


# Sections


def integrals(section, inside, reach, n=2400):
    """Area and second moments by counting the midpoints of a fine grid in one quadrant."""
    y, z = (((np.arange(n) + 0.5) * r / n) for r in reach)
    cover = inside(y[:, None], z[None, :])
    cell = 4 * reach[0] * reach[1] / n**2
    return cell * cover.sum(), cell * (cover @ z**2).sum(), cell * (y**2 @ cover).sum()


def in_i_section(y, z):
    s = SECTIONS[4]
    return (z > s.height / 2 - s.flange) | (y < s.web / 2) & (z > 0)


@pytest.mark.parametrize(
    ("section", "inside", "reach"),
    [
        (BLADE, lambda y, z: (y > 0) & (z > 0), (0.015, 0.04)),
        (Circle(0.03), lambda y, z: y**2 + z**2 < 0.03**2, (0.03, 0.03)),
        (TUBE, lambda y, z: abs(np.hypot(y, z) - 0.058) < 0.002, (0.06, 0.06)),
        (SECTIONS[4], in_i_section, (0.04, 0.06)),
    ],
    ids=lambda v: v.name if isinstance(v, Section) else "",
)
def test_section_equals_numerical_integration(section, inside, reach):
    found = (section.area, section.second_moment_y, section.second_moment_z)
    np.testing.assert_allclose(found, integrals(section, inside, reach), rtol=1e-4)


def prandtl_torsion_constant(a, b, terms=60):
    """Torsion constant of a rectangle by the double sine series of Prandtl's stress function.

    -∇²φ = 2, φ = 0 on the edge, J = 2 ∫φ dA = 256 a b / π⁶ Σ 1 / (m² n² ((m/a)² + (n/b)²)), m and n
    odd; the tail falls with the cube of the number of terms and is extrapolated.
    """

    def partial(count):
        m = np.arange(1.0, 2 * count, 2)
        bracket = (m[:, None] / a) ** 2 + (m / b) ** 2
        return 256 * a * b / np.pi**6 * (1 / (m[:, None] ** 2 * m**2 * bracket)).sum()

    coarse, fine = partial(terms), partial(2 * terms)
    return fine + (fine - coarse) / (2**3 - 1)


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (1.0, 2.0), (3.0, 0.5)])
def test_rectangle_torsion_constant_equals_prandtls_double_series(a, b):
    found = Rectangle(a, b).torsion_constant
    assert found == pytest.approx(prandtl_torsion_constant(a, b), rel=1e-6)
    assert found == pytest.approx(Rectangle(b, a).torsion_constant, rel=1e-15)


def test_rectangle_torsion_constant_limits():
    assert Rectangle(0.2, 0.2).torsion_constant == pytest.approx(0.1405770 * 0.2**4, rel=5e-7)
    thin = Rectangle(1.0, 1e-4).torsion_constant
    assert thin == pytest.approx((1 - 0.6302 * 1e-4) * 1e-12 / 3, rel=1e-8)
    terms = [math.tanh(k * math.pi / 2) / k**5 for k in range(1, 4001, 2)]
    series = (1 - 192 / math.pi**5 * math.fsum(terms)) / 3
    assert Rectangle(1, 1).torsion_constant == pytest.approx(series, rel=1e-12)


def test_tube_becomes_circle_and_thin_ring():
    solid, disc = Tube(0.1, 0.1), Circle(0.1)
    ring = Tube(1.0, 1e-9)
    for name in ("area", "second_moment_y", "second_moment_z", "torsion_constant"):
        assert getattr(solid, name) == pytest.approx(getattr(disc, name), rel=1e-14)
    assert ring.torsion_constant == pytest.approx(2 * np.pi * 1e-9, rel=1e-8)


@named
def test_torsion_constant_is_at_most_the_polar_moment(section):
    polar = section.second_moment_y + section.second_moment_z
    assert 0 < section.torsion_constant <= polar * (1 + 1e-15)


def test_sections_are_values():
    assert Tube(1, 0.5) == Tube(1.0, 0.5)
    assert hash(Circle(2)) == hash(Circle(2.0))
    assert repr(Rectangle(1, np.float64(2))) == "Rectangle(width=1, height=2)"
    assert TUBE.name == "Tube"
    with pytest.raises(TypeError, match="abstract"):
        Section()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Rectangle(0, 1),
            r"Rectangle: width \[m\] must be above zero, not 0.0; give it in",
        ),
        (lambda: Rectangle(1, -1), r"Rectangle: height \[m\] must be above zero"),
        (lambda: Circle(math.nan), r"Circle: radius \[m\] must be finite, not nan"),
        (lambda: Circle(sympy.Symbol("r")), r"Circle: radius \[m\] must be a number, not r \(Symb"),
        (lambda: Tube(1, 0), r"Tube: thickness \[m\] must be above zero"),
        (
            lambda: Tube(1, 1.1),
            "thickness 1.1 m is more than the outer radius 1.0 m; make the wall",
        ),
        (lambda: ISection(1, 1, 0.6, 0.1), "two flanges of 0.6 m are more than the height 1.0 m;"),
        (lambda: ISection(1, 1, 0.1, 1.2), "web 1.2 m is more than the width 1.0 m; make the web"),
        (lambda: ISection(1, 1, 0.1, math.inf), r"ISection: web \[m\] must be finite, not inf"),
    ],
)
def test_bad_section(make, message):
    with pytest.raises(ModelError, match=message):
        make()


# The dimensionless cantilever


def hermite(h):
    """Textbook stiffness and consistent mass of a cubic Hermite element, (v, v') at both ends."""
    k = [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h]]
    k += [[-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]
    m = [[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h]]
    m += [[54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]]
    return np.array(k) / h**3, np.array(m) * h / 420


def quadratic(h):
    """Textbook stiffness and consistent mass of a three-node bar element, middle node second."""
    k = np.array([[7, -8, 1], [-8, 16, -8], [1, -8, 7]]) / (3 * h)
    return k, np.array([[4, 2, -1], [2, 16, 2], [-1, 2, 4]]) * h / 30


def assembled_frequencies(element, n):
    matrices = element(1 / n)
    size = len(matrices[0])
    total = np.zeros((2, 2 * n + size - 2, 2 * n + size - 2))
    for e in range(n):
        total[:, 2 * e : 2 * e + size, 2 * e : 2 * e + size] += matrices
    clamped = total[:, size - 2 :, size - 2 :]
    return np.sqrt(scipy.linalg.eigh(clamped[0], clamped[1], eigvals_only=True))


@pytest.mark.parametrize("n", [1, 2, 7, 24])
@pytest.mark.parametrize(
    ("modes", "element"), [(beam_modes, hermite), (bar_modes, quadratic)], ids=["beam", "bar"]
)
def test_strain_form_equals_textbook_elements(modes, element, n):
    expected = assembled_frequencies(element, n)
    np.testing.assert_allclose(modes(mesh(n)).frequencies, expected, rtol=1e-8)


@pytest.mark.parametrize(
    ("modes", "exact"),
    [(beam_modes, bending_roots(24) ** 2), (bar_modes, bar_roots(24))],
    ids=["beam", "bar"],
)
class TestCantilever:
    def test_frequencies_lie_above_the_exact_ones(self, modes, exact):
        """Rayleigh and Ritz: a subspace can only be stiffer, and a finer mesh contains it."""
        coarse, fine = modes(mesh(12)).frequencies, modes(mesh(24)).frequencies
        assert (fine[:24] > exact).all()
        assert (coarse >= fine[:24] * (1 - 1e-14)).all()

    def test_documented_accuracy_per_half_wave(self, modes, exact):
        error = modes(mesh(24)).frequencies[:24] / exact - 1
        assert error[5] < 3e-4
        assert error[11] < 4e-3
        assert error[23] < 3e-2

    @pytest.mark.parametrize("mode", [0, 1, 2, 3])
    def test_frequencies_converge_with_order_four(self, modes, exact, mode):
        elements = np.array([8, 12, 16, 24, 32])
        errors = [modes(mesh(n)).frequencies[mode] / exact[mode] - 1 for n in elements]
        assert fitted_order(elements, errors) == pytest.approx(4, abs=0.15)

    def test_low_frequencies_keep_their_digits_on_a_fine_mesh(self, modes, exact):
        """The discretisation error of 400 elements is 3e-13; rounding must not exceed it much."""
        assert modes(mesh(400)).frequencies[0] == pytest.approx(exact[0], rel=1e-12)

    def test_all_modes_are_orthonormal(self, modes, exact):
        grid = mesh(24)
        values = modes(grid).values[25:]
        gram = values.T @ (grid.weights[:, None] * values)
        np.testing.assert_allclose(gram, np.eye(48), atol=1e-14)

    def test_root_is_clamped_and_tip_is_positive(self, modes, exact):
        found = modes(mesh(9))
        assert not found.values[0].any()
        assert not found.slopes[0].any()
        assert (found.values[9] > 0).all()


def test_normalised_tip_is_two_in_bending_and_root_two_in_a_bar():
    """Exact for every mode of the continuum: ∫φ² = 1 gives φ(1) = 2 and √2."""
    grid = mesh(40)
    np.testing.assert_allclose(beam_modes(grid).values[40, :4], 2.0, rtol=2e-5)
    np.testing.assert_allclose(bar_modes(grid).values[40, :4], math.sqrt(2), rtol=2e-5)


def test_all_modes_give_the_static_tip_deflection_exactly():
    """Σ φ_tip² / ω² is the tip compliance: 1/3 in bending, 1 in a bar, at every mesh."""
    for n in (1, 3, 24):
        bend, bar = beam_modes(mesh(n)), bar_modes(mesh(n))
        assert np.sum(bend.values[n] ** 2 / bend.frequencies**2) == pytest.approx(1 / 3, rel=1e-13)
        assert np.sum(bar.values[n] ** 2 / bar.frequencies**2) == pytest.approx(1.0, rel=1e-13)
        turned = np.sum(bend.slopes[n] * bend.values[n] / bend.frequencies**2)
        assert turned == pytest.approx(1 / 2, rel=1e-13)


@pytest.mark.parametrize("n", [1, 5, 60])
def test_sum_of_inverse_squares_is_the_trace_of_greens_function(n):
    """Σ 1/ω² = ∫ G(x, x) dx: 1/12 in bending (G = x³/3), 1/2 in a bar (G = x).

    What the mesh leaves out is known exactly: in each element of length h the vibration between
    held ends, h⁴/420 in bending and h²/6 - h²/10 (held bar less its bubble) in a bar.
    """
    bend, bar = beam_modes(mesh(n)).frequencies, bar_modes(mesh(n)).frequencies
    assert np.sum(bend**-2) == pytest.approx(1 / 12 - 1 / (420 * n**3), rel=1e-13)
    assert np.sum(bar**-2) == pytest.approx(1 / 2 - 1 / (15 * n), rel=1e-13)


def test_rayleighs_quotient_of_the_uniform_load_bounds_the_first_frequency():
    """The deflection x²(x² - 4x + 6) has the quotient 162/13, 0.8 % above ω1²."""
    found = beam_modes(mesh(24)).frequencies[0] ** 2
    assert 162 / 13 * 0.991 < found < 162 / 13


def test_moment_of_each_bending_shape_about_the_root():
    """∫ x φ dx = φ''(0) / β⁴ = 2 / β² for φ(1) = 2: momentum that a mode gives to its base."""
    grid = mesh(40)
    moments = (grid.weights * grid.points[41:]) @ beam_modes(grid).values[41:, :4]
    np.testing.assert_allclose(np.abs(moments), 2 / bending_roots(4) ** 2, rtol=1e-4)


# The beam as a body


@named
def test_frequencies_of_all_four_families_equal_the_exact_ones(section):
    body = beam(LENGTH, section, STEEL, modes=30, elements=48, shapes="clamped")
    families = tip_family(body)
    assert set(families) == set(FAMILIES)
    for family in FAMILIES:
        found = omega(body)[families == family][:3]
        exact = exact_frequencies(family, section, STEEL, len(found))
        np.testing.assert_allclose(found, exact, rtol=1e-5)


@named
def test_the_lowest_modes_are_kept_in_ascending_order(section):
    body = beam(LENGTH, section, ALUMINIUM, modes=12, shapes="clamped")
    every = np.sort(
        np.concatenate([exact_frequencies(f, section, ALUMINIUM, 12) for f in FAMILIES])
    )
    assert (np.diff(omega(body)) > -1e-12 * omega(body)[:-1]).all()
    np.testing.assert_allclose(omega(body), every[:12], rtol=2e-3)


def test_symmetric_section_alternates_y_and_z():
    body = beam(7.0, Tube(0.165, 0.004), CARBON, modes=4)
    assert tip_family(body).tolist() == ["y", "z", "y", "z"]
    square = beam(7.0, Rectangle(0.1, 0.1 * (1 + 1e-15)), CARBON, modes=6)
    assert tip_family(square).tolist() == ["y", "z"] * 3


def test_weak_plane_comes_first():
    assert tip_family(
        beam(1.0, Rectangle(0.01, 0.02), STEEL, bending=1, torsion=0, stretch=0)
    ).tolist() == ["y", "z"]
    assert tip_family(
        beam(1.0, Rectangle(0.02, 0.01), STEEL, bending=1, torsion=0, stretch=0)
    ).tolist() == ["z", "y"]


def test_equal_frequencies_of_different_families_keep_the_families_order():
    """With Poisson's ratio -1/2 a disc's torsion and stretch have the same frequencies."""
    auxetic = Material("auxetic", 1e9, 1000, -0.5)
    for body in (
        beam(0.1, Circle(0.05), auxetic, modes=8, shapes="clamped"),
        beam(0.1, Circle(0.05), auxetic),
    ):
        families = tip_family(body).tolist()
        assert [f for f in families if f in ("torsion", "stretch")][:2] == ["torsion", "stretch"]


@named
def test_tip_moves_along_plus_and_root_stays(section):
    row = {"torsion": 0, "stretch": 3, "y": 4, "z": 5}
    for options in ({"modes": 20, "shapes": "clamped"}, {"bending": 6, "torsion": 5, "stretch": 3}):
        body = beam(LENGTH, section, STEEL, **options)
        shapes = np.asarray(body.shapes)
        rows = [row[f] for f in tip_family(body)]
        assert (shapes[body.names["tip"], rows, range(20)] > 0).all()
        assert not shapes[body.names["root"]].any()


@named
def test_modal_mass_is_the_identity(section):
    body = beam(LENGTH, section, STEEL, modes=40, shapes="clamped")
    np.testing.assert_allclose(modal_mass(body), np.eye(40), atol=1e-13)
    np.testing.assert_array_equal(body.transform, np.eye(40))


@named
def test_rotation_rows_are_the_slopes(section):
    """θ_z = dv/dx and θ_y = -dw/dx at the nodes of the axis, by five-point differences."""
    n = 100
    body = beam(LENGTH, section, STEEL, bending=2, torsion=0, stretch=0, elements=n)
    turn, move = np.split(np.asarray(body.shapes)[: n + 1], 2, axis=1)
    near, far = move[3:-1] - move[1:-3], move[4:] - move[:-4]
    slope = (8 * near - far) / (12 * LENGTH / n)
    np.testing.assert_allclose(turn[2:-2, 2], slope[:, 1], atol=1e-5 * abs(turn).max())
    np.testing.assert_allclose(turn[2:-2, 1], -slope[:, 2], atol=1e-5 * abs(turn).max())


@named
def test_mass_centre_and_inertia_of_the_particles(section):
    body = beam(LENGTH, section, TITANIUM, bending=(1, 0), torsion=0, stretch=0, elements=5)
    mass, x = np.asarray(body.masses), np.asarray(body.positions)
    density, area = TITANIUM.density, section.area
    total = density * area * LENGTH
    inertia = np.einsum("n,nij->ij", mass, (x**2).sum(1)[:, None, None] * np.eye(3))
    inertia -= np.einsum("n,ni,nj->ij", mass, x, x)
    own = density * LENGTH * np.array([section.second_moment_y, section.second_moment_z])
    rod = total * LENGTH**2 / 3
    assert mass.sum() == pytest.approx(total, rel=1e-14)
    np.testing.assert_allclose(mass @ x / total, [LENGTH / 2, 0, 0], atol=1e-14)
    expected = np.diag([own.sum(), rod + own[0], rod + own[1]])
    np.testing.assert_allclose(inertia, expected, atol=1e-13 * rod)
    assert inertia[0, 0] == pytest.approx(own.sum(), rel=1e-12)


def test_solid_cylinder_inertia():
    """Against the closed formulas m r²/2 and m (3 r² + 4 L²)/12 about the root."""
    body = beam(2.0, Circle(0.3), STEEL, bending=(1, 0), torsion=0, stretch=0)
    mass, x = np.asarray(body.masses), np.asarray(body.positions)
    m = STEEL.density * np.pi * 0.3**2 * 2.0
    assert mass @ (x[:, 1] ** 2 + x[:, 2] ** 2) == pytest.approx(m * 0.09 / 2, rel=1e-13)
    about_y = mass @ (x[:, 0] ** 2 + x[:, 2] ** 2)
    assert about_y == pytest.approx(m * (3 * 0.09 + 4 * 4.0) / 12, rel=1e-13)


def test_tip_load_deflection_grows_to_the_static_one_with_the_modes():
    """Σ Π_tip² / ω² reaches L³ / 3EI from below as modes are added."""
    exact = LENGTH**3 / (3 * STEEL.youngs_modulus * BLADE.second_moment_z)
    kept, found = [4, 10, 20, 40], []
    for modes in kept:
        body = beam(LENGTH, BLADE, STEEL, modes=modes, elements=64, shapes="clamped")
        tip = np.asarray(body.shapes)[body.names["tip"], 4]
        found.append(np.sum((tip / omega(body))[tip_family(body) == "y"] ** 2))
    assert (np.diff(found) > 0).all()
    assert found[0] < exact
    assert found[-1] == pytest.approx(exact, rel=1e-4)
    assert found[-1] < exact * (1 + 1e-12)


def test_torsion_particles_turn_about_the_axis():
    body = beam(LENGTH, TUBE, STEEL)
    k = int(np.flatnonzero(tip_family(body) == "torsion")[0])
    shape, x = np.asarray(body.shapes)[:, :, k], np.asarray(body.positions)
    turn = np.cross(shape[:, :3], x * [0, 1, 1])
    np.testing.assert_allclose(shape[:, 3:], turn, atol=1e-15 * abs(shape).max())


def test_nodes_names_and_defaults():
    body = beam(LENGTH, TUBE, STEEL)
    axis = np.asarray(body.positions)[:25]
    assert (body.names["root"], body.names["tip"]) == (0, 24)
    np.testing.assert_allclose(axis[:, 0], np.linspace(0, LENGTH, 25), atol=1e-15)
    assert not axis[:, 1:].any()
    assert not np.asarray(body.masses)[:25].any()
    assert sorted(tip_family(body)) == ["stretch", "torsion", *["y"] * 3, *["z"] * 3]
    assert len(beam(LENGTH, TUBE, STEEL, shapes="clamped").frequencies) == 6
    for shapes in ("static", "clamped"):
        assert len(beam(LENGTH, TUBE, STEEL, modes=70, shapes=shapes).frequencies) == 70


def test_beam_is_deterministic():
    first, second = (beam(LENGTH, TUBE, STEEL, modes=9) for _ in range(2))
    np.testing.assert_array_equal(first.shapes, second.shapes)


def test_structures_do_not_load_scipy():
    code = "import sys, lissom.structures; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


class Broken(Section):
    """A section of a user's own whose area is missing."""

    area = 0.0
    second_moment_y = second_moment_z = torsion_constant = 1.0


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((0.0, TUBE, STEEL), {}, r"beam: length \[m\] must be above zero, not 0.0; give it in SI"),
        ((-1, TUBE, STEEL), {}, r"beam: length \[m\] must be above zero, not -1.0"),
        ((math.inf, TUBE, STEEL), {}, r"beam: length \[m\] must be finite, not inf"),
        ((math.nan, TUBE, STEEL), {}, r"beam: length \[m\] must be finite, not nan"),
        (
            (sympy.Symbol("L"), TUBE, STEEL),
            {},
            r"length \[m\] must be a number, not L \(Symbol\); ",
        ),
        (("3", TUBE, STEEL), {}, "must be a number, not '3'"),
        ((1.0, 0.1, STEEL), {}, "beam: section must be a Section, not 0.1; give for example Tube"),
        ((1.0, Tube, STEEL), {}, "beam: section must be a Section, not <class"),
        (
            (1.0, TUBE, "steel"),
            {},
            "material must be a Material, not 'steel'; give for example ALU",
        ),
        ((1.0, Broken(), STEEL), {}, r"section Broken: area \[m²\] must be above zero, not 0.0"),
        ((1.0, TUBE, STEEL), {"modes": 0}, "beam: modes must be an integer >= 1, not 0; give 1, 2"),
        ((1.0, TUBE, STEEL), {"modes": 2.0}, "beam: modes must be an integer >= 1, not 2.0"),
        ((1.0, TUBE, STEEL), {"modes": True}, "beam: modes must be an integer >= 1, not True"),
        ((1.0, TUBE, STEEL), {"elements": 0}, "beam: elements must be an integer >= 1, not 0"),
        (
            (9.0, TUBE, STEEL),
            {"elements": 2, "shapes": "clamped"},
            "2 elements are too few for 6 modes.*elements=6, or",
        ),
        (
            (1.0, TUBE, STEEL),
            {"elements": 1, "modes": 99, "shapes": "clamped"},
            "1 elements are too few for 99 modes",
        ),
        ((1.0, TUBE, STEEL), {"level": "exact"}, "exact"),
    ],
)
def test_bad_beam(arguments, options, message):
    with pytest.raises(ModelError, match=message):
        beam(*arguments, **options)


def test_mass_of_a_beam():
    section = Tube(radius=0.05, thickness=0.003)
    body = beam(3.0, section, STEEL, bending=1, torsion=0, stretch=0)
    assert np.isclose(body.mass, STEEL.density * section.area * 3.0, rtol=1e-12)


def test_a_material_needs_no_name():
    alloy = ls.Material(youngs_modulus=72e9, density=2800)
    assert (alloy.name, alloy.poisson_ratio) == ("", 0.3)
    named = ls.Material("alloy", 72e9, 2800)
    section = ls.Circle(0.01)
    a, b = (ls.beam(1.0, section, x, modes=4) for x in (alloy, named))
    np.testing.assert_array_equal(a.stiffness, b.stiffness)
    with pytest.raises(ls.ModelError, match="a material without a name: density is missing"):
        ls.Material(youngs_modulus=72e9)
    with pytest.raises(ls.ModelError, match="'steel': youngs_modulus is missing"):
        ls.Material("steel")
    with pytest.raises(ls.ModelError, match="the first argument of Material is 72e?.*youngs_mod"):
        ls.Material(72e9, 2800)


def test_a_general_section_is_the_same_in_python_and_in_files(tmp_path):
    tube = ls.Tube(radius=0.03, thickness=0.003)
    names = ("area", "second_moment_y", "second_moment_z", "torsion_constant")
    own = ls.GeneralSection(**{name: getattr(tube, name) for name in names})
    a, b = (ls.beam(2.0, x, ls.STEEL, modes=6) for x in (tube, own))
    np.testing.assert_allclose(a.frequencies, b.frequencies, rtol=1e-12)
    numbers = ", ".join(f"{name} = {getattr(own, name)!r}" for name in names)
    (tmp_path / "one.toml").write_text(
        "lissom = 2\n[[parts]]\nname = 'boom'\njoint = 'fixed'\n[parts.body]\nkind = 'beam'\n"
        f"length = 2\nmaterial = 'steel'\nmodes = 6\nsection = {{ kind = 'general', {numbers} }}\n"
    )
    read = ls.load(tmp_path / "one.toml").compile()
    np.testing.assert_allclose(read.bodies[0].frequencies, b.frequencies, rtol=1e-12)
    with pytest.raises(ls.ModelError, match="GeneralSection: torsion_constant .* above zero"):
        ls.GeneralSection(1e-4, 1e-8, 1e-8)
