"""Shear factors and stress points of sections against integrals and handbooks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import lissom as ls
from lissom.structures.section_points import SectionPoints
from tests.references.shear_theory import rectangle, ring, thin_i

I_BEAM = ls.ISection(width=0.1, height=0.2, flange=0.01, web=0.006)
SECTIONS = [ls.Rectangle(0.02, 0.05), ls.Circle(0.03), ls.Tube(0.03, 0.004), I_BEAM]
N, Q_Y, Q_Z, T, M_Y, M_Z = range(6)


@pytest.mark.parametrize("nu", [0.0, 0.3, 0.5])
def test_shear_factors_are_those_of_cowpers_definition(nu):
    """From the harmonic function of the section; thin walls of an I as lines."""
    thin = ls.ISection(width=0.3, height=0.1 + 1e-9, flange=1e-9, web=2e-9)
    pairs = [
        (ls.Rectangle(1, 2).shear_factors(nu), (rectangle(nu, 1, 2), rectangle(nu, 2, 1))),
        (ls.Circle(3).shear_factors(nu), (ring(nu, 0.0),) * 2),
        (ls.Tube(1, 0.4).shear_factors(nu), (ring(nu, 0.6),) * 2),
        (ls.Tube(1, 1e-6).shear_factors(nu), (2 * (1 + nu) / (4 + 3 * nu),) * 2),
        (thin.shear_factors(nu)[1:], (thin_i(nu, 0.3, 0.1, 1e-9, 2e-9),)),
    ]
    for found, exact in pairs:
        assert np.allclose(found, exact, rtol=1e-9)
    assert np.allclose(ls.Tube(1, 1).shear_factors(nu), ls.Circle(1).shear_factors(nu))


def test_without_lateral_strain_the_factors_are_those_of_shear_energy():
    """k = I² / (A integral of (S/b)² dA), thin walls: web and flanges of an I."""
    width, height, flange, web = 0.1, 0.2, 1e-5, 0.6e-5
    thin = ls.ISection(width, height, flange, web)
    h = height - flange
    outer = width * flange * h / 2
    in_web, _ = quad(lambda z: (outer + web * (h**2 / 4 - z**2) / 2) ** 2 / web, -h / 2, h / 2)
    in_flange, _ = quad(lambda y: (flange * (width / 2 - y) * h / 2) ** 2 / flange, 0, width / 2)
    exact = thin.second_moment_y**2 / (thin.area * (in_web + 4 * in_flange))
    assert np.isclose(thin.shear_factors(0.0)[1], exact, rtol=1e-3)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda x: x.name)
def test_points_lie_on_the_outline_and_have_the_normal_stress_of_bending(section):
    points = section.stress_points()
    assert len(points.names) == len(points.places) == len(points.factors)
    loads = np.array([1e4, 0, 0, 0, 200.0, -300.0])
    y, z = points.places.T
    exact = 1e4 / section.area + 200 * z / section.second_moment_y
    exact += 300 * y / section.second_moment_z
    assert np.allclose(points.axial(loads), exact)
    assert np.allclose(points.von_mises(loads), np.abs(exact))
    assert np.all(np.abs(points.places) <= np.abs(section.outline).max(axis=0) * (1 + 1e-12))


def shear(section, name, load):
    points = section.stress_points()
    return points.factors[points.names.index(name), 1:, load]


def test_shear_of_a_rectangle():
    """Timoshenko and Goodier, torsion of bars: tau = 0.208 of T / b³ for a square, and 2:1."""
    square, flat = ls.Rectangle(0.1, 0.1), ls.Rectangle(0.2, 0.1)
    for section in (square, flat):
        assert np.allclose(shear(section, "side +y", Q_Z), [0, 1.5 / section.area])
        assert np.allclose(shear(section, "side -z", Q_Y), [1.5 / section.area, 0])
        assert not np.any(shear(section, "corner +y +z", T))
    assert np.allclose(shear(square, "side +y", T), [0, 1 / (0.208 * 0.1**3)], rtol=2e-3)
    assert np.allclose(shear(square, "side +z", T), [-1 / (0.208 * 0.1**3), 0], rtol=2e-3)
    assert np.allclose(shear(flat, "side +z", T), [-1 / (0.246 * 0.2 * 0.1**2), 0], rtol=2e-3)
    assert np.allclose(shear(flat, "side -y", T), [0, -0.796 / (0.246 * 0.2 * 0.1**2)], rtol=3e-3)


def test_shear_of_a_bar_and_of_a_thin_tube():
    bar, tube = ls.Circle(0.02), ls.Tube(0.02, 1e-6)
    assert np.allclose(shear(bar, "0 deg", Q_Z), [0, 4 / 3 / bar.area])
    assert np.allclose(shear(tube, "90 deg", Q_Y), [2 / tube.area, 0], rtol=1e-3)
    assert np.allclose(shear(bar, "0 deg", T), [0, 2 / (np.pi * 0.02**3)])
    assert np.allclose(shear(bar, "180 deg", T), [0, -2 / (np.pi * 0.02**3)])
    assert np.allclose(shear(bar, "90 deg", T), [-2 / (np.pi * 0.02**3), 0])
    assert np.allclose(shear(bar, "90 deg", Q_Z), 0)


def test_shear_flow_of_a_thin_tube_adds_up_to_the_force():
    """Integral of the tangential stress, times its direction, around the wall."""
    tube = ls.Tube(0.03, 1e-6)
    points = tube.stress_points()
    for load, axis in ((Q_Y, 0), (Q_Z, 1)):
        along = points.factors[:, 1 + axis, load]  # the cosine squared is exact with eight points
        assert np.isclose(along.mean() * tube.area, 1.0, rtol=1e-4)


def test_shear_of_an_i_section_adds_up_to_the_force():
    """The web carries nearly all of Q_z; a torque has T t / J at each wall."""
    at = {place: shear(I_BEAM, f"web +y {place}", Q_Z)[1] for place in ("+z", "middle", "-z")}
    height = I_BEAM.height - 2 * I_BEAM.flange
    carried = I_BEAM.web * height * (at["+z"] + 4 * at["middle"] + at["-z"]) / 6  # Simpson
    assert 0.93 < carried < 1.0
    assert np.isclose(shear(I_BEAM, "web -y middle", T)[1], -0.006 / I_BEAM.torsion_constant)
    assert np.isclose(shear(I_BEAM, "flange +z", T)[0], -0.01 / I_BEAM.torsion_constant)


def test_von_mises_takes_many_loads_at_once():
    points = ls.Circle(0.01).stress_points()
    loads = np.zeros((5, 7, 6))
    loads[..., T] = 1.0
    tau = 2 / (np.pi * 0.01**3)
    assert points.von_mises(loads).shape == (5, 7, 8)
    assert np.allclose(points.von_mises(loads), np.sqrt(3) * tau)


def test_sections_of_ones_own_have_normal_stress_at_their_outline():
    class Cross(ls.Section):
        area, second_moment_y, second_moment_z, torsion_constant = 1e-3, 1e-6, 2e-6, 1e-8

    points = Cross().stress_points()
    assert isinstance(points, SectionPoints)
    assert np.isclose(points.axial(np.array([0, 0, 0, 0, 1.0, 0])).max(), 1e6 * np.sqrt(3e-3))
    assert Cross().shear_factors(0.3) == (5 / 6, 5 / 6)
