"""Stiffness from materials and curvatures: against displacement fields, harmonics and numbers."""

import math

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad

import lissom as ls
from lissom.sim.loads.contact import Hertz, LineContact
from lissom.sim.loads.contact.hertz import (
    mindlin_ratio,
    point_stiffness,
    principal_curvatures,
    reduced_modulus,
)

STEEL = ls.Material("hard", youngs_modulus=210e9, density=7850.0, poisson_ratio=0.3)
PLASTIC = ls.Material("soft", youngs_modulus=3e9, density=1100.0, poisson_ratio=0.4)


def test_moduli_of_two_materials():
    expected = 1 / ((1 - 0.3**2) / 210e9 + (1 - 0.4**2) / 3e9)
    assert np.isclose(reduced_modulus(STEEL, PLASTIC), expected, rtol=1e-14)
    assert np.isclose(reduced_modulus(STEEL), 210e9 / (2 * (1 - 0.09)), rtol=1e-14)
    assert np.isclose(mindlin_ratio(STEEL), 2 * (1 - 0.3) / (2 - 0.3), rtol=1e-14)
    assert mindlin_ratio(STEEL, PLASTIC) == mindlin_ratio(PLASTIC, STEEL)
    assert mindlin_ratio(PLASTIC) < mindlin_ratio(STEEL, PLASTIC) < mindlin_ratio(STEEL)


def test_balls_planes_and_shells():
    for first, second in ((0.01, math.inf), (0.01, 0.03), (0.01, -0.012)):
        radius = 1 / (1 / first + 1 / second)
        law = Hertz(material=STEEL, other=PLASTIC).between(1 / first, 1 / second)
        expected = 4 / 3 * reduced_modulus(STEEL, PLASTIC) * math.sqrt(radius)
        assert np.isclose(law.stiffness, expected, rtol=1e-13)
        assert np.isclose(law.radius, radius, rtol=1e-13)
        assert law.material is None
    assert Hertz(1e9).between(3.0).stiffness == 1e9


def test_published_numbers_of_elliptic_contacts():
    for ratio, k, axes in (
        (1.5, 1.208926841, 1.310103),
        (3, 1.038490664, 2.071990132),
        (10, 0.831545553, 4.499447),
        (100, 0.605073093, 18.187103),
        (1000, 0.479074456, 67.872475),
    ):
        low = 20.0  # 2 A
        point = point_stiffness(7e9, (low, low * ratio))
        assert abs(point.stiffness / (7e9 / math.sqrt(low)) - k) < 6e-10
        assert abs(math.sqrt(point.long / point.short) - axes) < 6e-7


@pytest.mark.parametrize("ratio", [1.0 + 1e-9, 1.01, 7.0, 1e5])
def test_pressure_closes_the_gap(ratio):
    """The displacement of the elliptic Hertz pressure and the gap add up to the depth.

    w(x, y) = p_0 a b / (2 E*) int_0^inf (1 - x²/(a²+s) - y²/(b²+s)) / sqrt((a²+s)(b²+s) s) ds
    (Johnson 3.40), s = t^2.
    """
    modulus, depth, A = 1.15e11, 1e-5, 10.0
    point = point_stiffness(modulus, (2 * A, 2 * A * ratio))
    a, b = math.sqrt(depth * point.long), math.sqrt(depth * point.short)
    p_0 = 1.5 * point.stiffness * depth**1.5 / (math.pi * a * b)

    def integrand(t, x, y):
        P, Q = a * a + t * t, b * b + t * t
        return (1 - x * x / P - y * y / Q) / mpmath.sqrt(P * Q)

    for x, y in ((0, 0), (0.7 * a, 0), (0, 0.8 * b), (0.5 * a, 0.5 * b)):
        whole = mpmath.quad(
            lambda t, x=x, y=y: integrand(t, x, y), [0, b / 9, b, a, 9 * a, mpmath.inf]
        )
        shift = p_0 * a * b / modulus * float(whole)
        assert abs((shift + A * x * x + A * ratio * y * y) / depth - 1) < 1e-9


def test_elliptic_contacts_at_any_ratio_follow_the_integrals_of_high_precision():
    with mpmath.workdps(40):
        for ratio in ("1.0000001", "2.5", "1e4", "1e8"):
            point = point_stiffness(1.0, (1.0, float(ratio)))
            rest = mpmath.mpf(point.short) / point.long
            m = 1 - rest
            K, E = mpmath.ellipk(m), mpmath.ellipe(m)
            got = (E / rest - K) / (K - E)
            assert abs(got / mpmath.mpf(float(ratio)) - 1) < 1e-12
            squared = (K - E) / (K * m * 0.5)
            assert abs(point.long / squared - 1) < 1e-10
            k = 2 * mpmath.pi / 3 / K * mpmath.sqrt(squared)
            assert abs(point.stiffness / k - 1) < 1e-12


def test_curvatures_of_shapes_that_are_turned():
    turn = 0.7
    c, s = math.cos(turn), math.sin(turn)
    rod = np.array([50.0 * c * c, 50.0 * c * s, 50.0 * s * s])  # a cylinder of 20 mm, turned
    assert np.allclose(principal_curvatures(rod), (0, 50), atol=1e-12)
    crossed = principal_curvatures(rod, (50.0 * s * s, -50.0 * c * s, 50.0 * c * c))
    assert np.allclose(crossed, 50, rtol=1e-13)  # crossed cylinders press like a ball on a plane
    law = Hertz(material=STEEL).between(rod, (50.0 * s * s, -50.0 * c * s, 50.0 * c * c))
    assert np.isclose(law.stiffness, Hertz(material=STEEL).between(50.0).stiffness, rtol=1e-6)


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        (((50.0, 0, 0), (0.0, 0, 0)), "use LineContact for parallel cylinders"),
        ((0.0, 0.0), "needs both above zero"),
        ((50.0, -60.0), "relative curvatures are -10 and -10 1/m"),
        (((1.0, 2.0), 0.0), "expected one number, or xx, xy, yy"),
    ],
)
def test_shapes_that_do_not_touch_at_a_point_are_refused(shapes, words):
    with pytest.raises(ls.LoadError, match=words):
        Hertz(material=STEEL).between(*shapes)


def approach(f, bodies):
    """Approach of the axes of two cylinders under a force over the length, Johnson (5.57)."""
    compliance = [(1 - x.poisson_ratio**2) / (math.pi * x.youngs_modulus) for x, _ in bodies]
    a = math.sqrt(4 * f * sum(compliance) / sum(1 / r for _, r in bodies))
    return sum(
        c * f * (2 * math.log(4 * abs(r) / a) - 1)
        for c, (_, r) in zip(compliance, bodies, strict=True)
    )


def test_cylinders_follow_johnson():
    for radii in ((0.01, 0.02), (0.01, -0.011)):
        law = LineContact(
            0.03, material=STEEL, other=PLASTIC, radius=radii[0], other_radius=radii[1]
        )
        for f in (10.0, 1e4, 1e5):
            depth = approach(f, ((STEEL, radii[0]), (PLASTIC, radii[1])))
            assert np.isclose(law.force(depth), 0.03 * f, rtol=1e-11)
    law = LineContact(1.0, material=STEEL, radius=0.01, other_radius=0.02)
    for f, depth, exponent in ((1e4, 0.394097e-6, 1.0753), (1e6, 26.705436e-6, 1.1152)):
        assert abs(law.depth_at(f) - depth) < 6e-13
        assert abs(depth * law.slope(depth) / f - exponent) < 6e-5


def test_a_cylinder_on_a_plane_is_compressed_over_the_thickness():
    """Strain under the middle of a Hertz pressure on a half plane (Johnson 4.46), integrated."""
    thickness, f, radius = 0.05, 1e5, 0.01
    law = LineContact(
        1.0, material=STEEL, radius=radius, other_radius=math.inf, thickness=thickness
    )
    E, nu = 210e9, 0.3
    a = math.sqrt(4 * f * radius / (math.pi * reduced_modulus(STEEL)))
    p_0 = 2 * f / (math.pi * a)

    def strain(z):
        root = math.sqrt(a * a + z * z)
        across, along = -p_0 / a * ((a * a + 2 * z * z) / root - 2 * z), -p_0 * a / root
        return (1 - nu * nu) / E * (along - nu / (1 - nu) * across)

    plane = -quad(strain, 0, thickness, points=[a, 10 * a], epsrel=1e-11)[0]
    cylinder = f * (1 - nu**2) / (math.pi * E) * (2 * math.log(4 * radius / a) - 1)
    assert abs(law.depth_at(f) / (plane + cylinder) - 1) < 1e-4  # terms (a / thickness)^2 left out


def harmonic(n, nu, disc):
    """Radial displacement at the rim by the harmonic n of a pressure on it; E = R = 1."""
    G, kappa = 1 / (2 * (1 + nu)), 3 - 4 * nu
    if n == 0:
        return -(kappa - 1) / (4 * G) if disc else 1 / (2 * G)
    if disc:  # Michell's r^n and r^(n+2)
        rows = [[-n * (n - 1), -(n + 1) * (n - 2)], [n * (n - 1), n * (n + 1)]]
        p, q = np.linalg.solve(rows, [-1, 0])
        return (-n * p + (kappa - n - 1) * q) / (2 * G)
    rows = [[-n * (n + 1), -(n + 2) * (n - 1)], [-n * (n + 1), -n * (n - 1)]]
    p, q = np.linalg.solve(rows, [-1, 0])
    return (n * p + (kappa + n - 1) * q) / (2 * G)


@pytest.mark.parametrize(("half_width", "error"), [(0.05, 1e-3), (0.1, 4e-3)])
def test_a_disc_by_harmonics(half_width, error):
    """Depth of a pole of a disc that Hertz pressures press at both ends of a diameter."""
    t, w = np.polynomial.legendre.leggauss(300)
    angle = half_width * np.sin(0.5 * np.pi * t)
    pressure = np.sqrt(1 - (angle / half_width) ** 2)
    weights = w * 0.5 * np.pi * np.cos(0.5 * np.pi * t) * half_width * pressure
    f = np.sum(weights * np.cos(angle))
    n = np.arange(0, int(400 / half_width), 2)
    parts = 2 / np.pi * (np.cos(np.outer(n, angle)) @ weights)
    parts[0] /= 2
    depth = -parts @ [harmonic(int(k), 0.3, True) for k in n]
    johnson = (1 - 0.09) * f / np.pi * (2 * math.log(4 / half_width) - 1)
    assert abs(depth / johnson - 1) < error


def pin_in_bore(half_angle, clearance=1e-3, cells=40, most=6000):
    """Load over length, and peak pressure, of a pin in a bore by half angle; E = R = 1."""
    nu = 0.3
    grid = np.arange(cells)
    at = half_angle * np.sin(0.5 * np.pi * (grid + 0.5) / cells)
    edge = half_angle * np.sin(0.5 * np.pi * np.arange(cells + 1) / cells)
    n = np.r_[0, np.arange(2, most)]
    each = np.array([harmonic(int(k), nu, False) - harmonic(int(k), nu, True) for k in n])
    sines = np.sin(np.outer(n, edge))
    parts = 2 / np.pi * np.diff(sines, axis=1) / np.maximum(n, 1)[:, None]
    parts[0] = np.diff(edge) / np.pi
    system = np.zeros((cells + 1, cells + 1))
    system[:cells, :cells] = (np.cos(np.outer(at, n)) * each) @ parts
    system[:cells, cells] = -np.cos(at)
    root = np.sqrt(half_angle**2 - at**2)  # how the pressure falls to zero at the end
    system[cells, cells - 2], system[cells, cells - 1] = -root[-1], root[-2]
    x = np.linalg.solve(system, np.r_[np.full(cells, -clearance), 0.0])
    return 2 * np.sum(x[:cells] * np.diff(np.sin(edge))), x[:cells].max()


def test_a_pin_is_no_line_beyond_its_conformal_load():
    """Half angle 20 degrees: Hertz's peak pressure is 0.952 of the true one; 45 degrees: 0.76."""
    modulus, clearance = 1 / (2 * (1 - 0.09)), 1e-3
    for degrees, load, peak in ((20, 0.1024, 0.952), (45, 0.7084, 0.760)):
        f, highest = pin_in_bore(math.radians(degrees))
        assert abs(f / (modulus * clearance) - load) < 0.01 * load
        assert abs(math.sqrt(f * modulus * clearance / math.pi) / highest - peak) < 0.01
    pin = LineContact(0.02, material=STEEL, radius=0.01, other_radius=-0.01005)
    assert np.isclose(pin.conformal_load, 0.1 * 0.02 * reduced_modulus(STEEL) * 5e-5, rtol=1e-9)
    with pytest.warns(ls.ModelWarning, match="fill its bore"):
        pin.warn_conformal(2 * pin.conformal_load)
    pin.warn_conformal(0.5 * pin.conformal_load)
    convex = LineContact(0.02, material=STEEL, radius=0.01, other_radius=0.02)
    assert convex.conformal_load == math.inf


def test_lines_take_the_radii_of_their_shapes():
    law = LineContact(0.02, material=STEEL)
    pair = law.between((100.0, 0, 0), (-1 / 0.011, 0, 0))
    assert np.isclose(pair.radius, 0.01)
    assert np.isclose(pair.other_radius, -0.011)
    plane = LineContact(0.02, material=STEEL, thickness=0.1).between((100.0, 0, 0), (0.0, 0, 0))
    assert plane.other_radius == math.inf
    with pytest.raises(ls.LoadError, match="use law.between"):
        law.force(1e-6)
    with pytest.raises(ls.LoadError, match="give thickness="):
        law.between((100.0, 0, 0), (0.0, 0, 0))
    with pytest.raises(ls.LoadError, match="thinner than its bore"):
        law.between((100.0, 0, 0), (-200.0, 0, 0))
