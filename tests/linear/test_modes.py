"""Modes of mechanisms against closed forms."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import brentq

import lissom as ls
from tests.references.beam_theory import Beam
from tests.references.spinning_beams import spinning_reference
from tests.samples.linear_models import robot

G = 9.81


def omega(modes):
    return 2 * np.pi * modes.frequencies


def test_double_pendulum_of_rods():
    """Two uniform rods of length L: omega^2 = (3 -+ 6/sqrt 7) g/L."""
    L, rod = 2.0, ls.RigidBody.rod(1.3, 2.0, com=(1, 0, 0))
    model = ls.Model("rods", gravity=(0, 0, -G))
    model.add(rod, ls.Revolute("y"), name="upper")
    model.add(rod, ls.Revolute("y"), to="upper", at=(L, 0, 0), name="lower")
    system = model.compile()
    found = ls.modes(system, system.state(upper=np.pi / 2))
    exact = (3 + np.array([-6, 6]) / np.sqrt(7)) * G / L
    assert np.allclose(omega(found) ** 2, exact, rtol=1e-10)
    assert found.n_rigid == 0
    assert not np.any(found.damping)
    assert not np.iscomplexobj(found.shapes)


@pytest.mark.parametrize("n", [1, 4, 9])
def test_chain_of_masses_and_springs(n):
    """omega_k = 2 sqrt(k/m) sin((2k - 1) pi / (4n + 2)), fixed at one end."""
    m, k = 0.7, 50.0
    model, loads = ls.Model("chain"), []
    for i in range(n):
        to = f"m{i - 1}" if i else None
        model.add(ls.RigidBody(m), ls.Prismatic((1, 2, 2)), to=to, name=f"m{i}")
        loads.append(ls.JointSpring(f"m{i}", k))
    system = model.compile()
    found = ls.modes(system, loads=loads)
    j = np.arange(1, n + 1)
    assert np.allclose(omega(found), 2 * np.sqrt(k / m) * np.sin((2 * j - 1) * np.pi / (4 * n + 2)))
    # displacements are sin((2k - 1) i pi / (2n + 1)); their squares are the shares in the energy
    exact = np.sin(np.outer(j, 2 * j - 1) * np.pi / (2 * n + 1)) ** 2
    assert np.allclose(found.shares, exact / exact.sum(axis=0))
    # all the mass moves: effective masses along the direction (1, 2, 2)/3 add up to the whole
    fractions = found.effective_fractions.sum(axis=1)
    assert np.allclose(fractions[3:], np.array([1, 4, 4]) / 9)
    exact = np.sin(np.outer(j, 2 * j - 1) * np.pi / (2 * n + 1))
    exact = m * exact.sum(axis=0) ** 2 / (exact**2).sum(axis=0)
    assert np.allclose(found.effective_mass[3:].sum(axis=0), exact)


def root_stiffness(beam, w):
    """Dynamic stiffness of the root (w, theta) of a beam whose tip is free."""
    D = beam.dynamic_stiffness(w)
    return D[:2, :2] - D[:2, 2:] @ np.linalg.solve(D[2:, 2:], D[2:, :2])


def near(function, guess):
    return brentq(function, 0.99 * guess, 1.01 * guess, xtol=1e-12 * guess)


def booms(mass, inertia, radius):
    """A free hub with two beams, along x and -x, and the beam by theory in the plane x-z."""
    section, length = ls.Tube(radius=0.03, thickness=0.002), 3.0
    boom = ls.beam(length, section, ls.ALUMINIUM, bending=7, damping=0.0)
    model = ls.Model("satellite")
    model.add(ls.RigidBody(mass, inertia=inertia * np.eye(3)), ls.Free(), name="hub")
    for k, angle in enumerate((0.0, np.pi)):
        at = radius * np.array([np.cos(angle), 0, 0])
        turn = {"axis": "z", "angle": angle}
        model.add(boom, ls.Fixed(), to="hub", at=at, rotation=turn, name=f"boom{k}")
    EI = ls.ALUMINIUM.youngs_modulus * section.second_moment_y
    return model.compile(), Beam(length, EI, ls.ALUMINIUM.density * section.area)


def test_free_hub_with_two_booms_solves_the_characteristic_equation():
    """Symmetric bending moves the hub along z, antisymmetric bending turns it about y."""
    mass, inertia, r = 8.0, 3.0, 0.4
    system, beam = booms(mass, inertia, r)
    found = ls.modes(system, system.state())
    assert found.n_rigid == 6
    assert np.all(found.frequencies[:6] == 0)

    def symmetric(w):
        return 2 * root_stiffness(beam, w)[0, 0] - w**2 * mass

    def antisymmetric(w):
        arm = np.array([r, 1.0])
        return 2 * arm @ root_stiffness(beam, w) @ arm - w**2 * inertia

    # shapes by what the hub does: it moves along z, or it turns about y
    hub = found.shapes[system.layout.hinge_v("hub")]
    for rate, shape in zip(omega(found)[6:], hub.T[6:], strict=True):
        size = np.abs(shape)
        if rate > 1000 or not (size[5] > 1e-6 or size[1] > 1e-6):
            continue
        both = [f for f, k in ((symmetric, 5), (antisymmetric, 1)) if size[k] > 1e-6]
        assert len(both) == 1
        assert np.isclose(rate, near(both[0], rate), rtol=5e-4)


def test_cantilever_with_a_tip_mass_on_a_hub_with_a_spring():
    """Revolute hub with inertia J on a spring k, beam, and a point mass at the tip."""
    k, J, m = 40.0, 0.2, 0.6
    section, length = ls.Rectangle(0.02, 0.005), 1.2
    beam = Beam(
        length, ls.STEEL.youngs_modulus * section.second_moment_y, ls.STEEL.density * section.area
    )
    model = ls.Model("arm")
    model.add(ls.RigidBody(0.0, inertia=J * np.eye(3)), ls.Revolute("y"), name="hub")
    boom = ls.beam(length, section, ls.STEEL, bending=(0, 7), damping=0.0)
    model.add(boom, ls.Fixed(), to="hub", name="boom")
    model.add(ls.RigidBody(m), ls.Fixed(), to="boom.tip", name="tip")
    system = model.compile()
    found = ls.modes(system, loads=[ls.JointSpring("hub", k)])

    def determinant(w):
        D = beam.dynamic_stiffness(w)[1:, 1:]
        D = D + np.diag([k - w**2 * J, -(w**2) * m, 0.0])
        return np.linalg.det(D)

    for rate in omega(found)[:4]:
        assert np.isclose(rate, near(determinant, rate), rtol=1e-4)
    held = ls.modes(system, held=["hub"])

    def clamped(w):
        return np.linalg.det(beam.dynamic_stiffness(w)[2:, 2:] - np.diag([w**2 * m, 0.0]))

    assert np.isclose(omega(held)[0], near(clamped, omega(held)[0]), rtol=1e-4)
    assert not np.any(held.shapes[system.layout.hinge_v("hub")])


@pytest.mark.parametrize(
    ("rate", "first", "second"), [(3.0, 4.7973, 23.3203), (6.0, 7.3604, 26.8091)]
)
def test_a_spinning_blade_has_wrights_frequencies(rate, first, second):
    """Wright, Smith, Thresher and Wang, Journal of Applied Mechanics 49 (1982): no hub, flap."""
    section, length = ls.Rectangle(0.03, 0.002), 1.3
    blade = ls.beam(
        length,
        section,
        ls.STEEL,
        bending=(0, 6),
        torsion=0,
        stretch=0,
        level="stiffened",
        damping=0,
    )
    unit = np.sqrt(
        ls.STEEL.youngs_modulus * section.second_moment_y / ls.STEEL.density / section.area
    )
    unit /= length**2
    model = ls.Model("rotor")
    model.add(blade, ls.Revolute("z"), name="blade")
    system = model.compile()
    state = system.state(**{"blade.rates": rate * unit})
    found = omega(ls.modes(system, state, held=["blade"])) / unit
    assert np.allclose(spinning_reference(rate, 0, 0)[1::2], (first, second), rtol=1e-5)
    assert np.allclose(found[:2], (first, second), rtol=1e-3)


@pytest.mark.parametrize("inertia", [(1.0, 1.0, 1.6), (0.7, 1.1, 1.5)])
def test_nutation_of_a_free_body(inertia):
    """Omega sqrt((Iz - Ix)(Iz - Iy) / (Ix Iy)) in body axes, in which what rests turns too."""
    spin, (x, y, z) = 3.0, inertia
    model = ls.Model("body")
    model.add(ls.RigidBody(2.0, inertia=np.diag(inertia)), ls.Free(), name="body")
    system = model.compile()
    found = ls.modes(system, system.state(**{"body.rates": [0, 0, spin, 0, 0, 0]}))
    nutation = spin * np.sqrt((z - x) * (z - y) / (x * y))
    assert np.allclose(np.sort(omega(found)[found.n_rigid :]), np.sort([nutation, *[spin] * 3]))
    assert found.n_rigid == 2  # along and about the axis


def test_spin_about_the_middle_axis_grows():
    x, y, z, spin = 1.0, 3.0, 2.0, 4.0
    model = ls.Model("body")
    model.add(ls.RigidBody(2.0, inertia=np.diag([x, y, z])), ls.Spherical(), name="body")
    system = model.compile()
    found = ls.modes(system, system.state(**{"body.rates": [0, 0, spin]}))
    growth = spin * np.sqrt(-(z - x) * (z - y) / (x * y))
    assert np.isclose(found.eigenvalues.real.max(), growth)
    assert np.isclose(found.damping.min(), -1)


def test_a_hanging_gyroscope_swings_at_two_frequencies():
    """A rotor on a cardanic joint: I_t w^2 -+ H w - m g l = 0."""
    m, length, spin = 2.0, 0.5, 60.0
    disc = np.array([0.05, 0.05, 0.09])
    model = ls.Model("gyroscope", gravity=(0, 0, -G))
    model.add(ls.RigidBody(0.0), ls.Universal("x", "y"), name="gimbal")
    rotor = ls.RigidBody(m, com=(0, 0, -length), inertia=np.diag(disc))
    model.add(rotor, ls.Revolute("z"), to="gimbal", name="rotor")
    system = model.compile()
    found = ls.modes(system, system.state(**{"rotor.rates": spin}))
    I_t, H = disc[0] + m * length**2, disc[2] * spin
    root = np.sqrt(H**2 + 4 * I_t * m * G * length)
    exact = np.array([root - H, root + H]) / (2 * I_t)
    assert found.n_rigid == 1  # the angle of the rotor
    assert np.allclose(omega(found)[1:], exact, rtol=1e-9)
    assert np.allclose(found.eigenvalues.real, 0, atol=1e-9)


def test_damping_of_a_torsional_pendulum_with_rotor():
    """omega = sqrt(k / (J + n^2 J_r)), damping ratio c / (2 sqrt(k J_total))."""
    J, J_r, n, k, c = 0.3, 2e-4, 25.0, 12.0, 0.4
    model = ls.Model("pendulum")
    model.add(ls.RigidBody(1.0, inertia=J * np.eye(3)), ls.Revolute((1, 1, 0)), name="wheel")
    loads = [
        ls.JointSpring("wheel", k, damping=c),
        ls.Actuator("wheel", ratio=n, rotor_inertia=J_r),
    ]
    total = J + n**2 * J_r
    found = ls.modes(model.compile(), loads=loads)
    assert np.isclose(omega(found)[0], np.sqrt(k / total))
    assert np.isclose(found.damping[0], c / (2 * np.sqrt(k * total)))
    real = np.sqrt(1 - found.damping[0] ** 2)
    assert np.isclose(2 * np.pi * found.damped_frequencies[0], real * omega(found)[0])
    heavy = ls.modes(model.compile(), loads=[ls.JointSpring("wheel", k, damping=40.0)])
    roots = np.roots([J, 40.0, k])
    assert np.allclose(np.sort(heavy.eigenvalues), np.sort(roots))
    assert np.allclose(heavy.damping, 1.0)


def test_two_rotors_on_a_shaft_float():
    """A drive between a free rotor and a wheel: one free motion, omega^2 = k (1/J1 + 1/J2)."""
    J, J_r, ratio, k = 0.3, 2e-4, 20.0, 60.0
    model = ls.Model("drive")
    model.add(ls.RigidBody(1.0, inertia=J * np.eye(3)), ls.Revolute("z"), name="wheel")
    drive = ls.flexible_drive(model, "wheel", stiffness=k, ratio=ratio, rotor_inertia=J_r)
    found = ls.modes(model.compile(), loads=[drive])
    assert found.n_rigid == 1
    assert np.isclose(omega(found)[1] ** 2, k * (1 / J + 1 / (ratio**2 * J_r)))


@pytest.mark.parametrize("damped", [None, False])
@pytest.mark.parametrize("gravity", [(0, 0, 0), (1.0, 2.0, -9.0)])
def test_a_floating_mechanism_has_six_free_motions(damped, gravity):
    """Also in free fall, whatever its configuration; others keep away from zero."""
    model = ls.Model("floating", gravity=gravity)
    model.add(ls.RigidBody.box(5.0, (1, 0.8, 0.6), com=(0.1, 0, 0.2)), ls.Free(), name="hub")
    boom = ls.beam(2.0, ls.Tube(radius=0.02, thickness=0.001), ls.ALUMINIUM, bending=2)
    model.add(boom, ls.Revolute("y"), to="hub", at=(0.5, 0, 0), name="a")
    model.add(boom, ls.Universal("x", "z"), to="a.tip", name="b")
    system = model.compile()
    loads = [ls.JointSpring("a", 1e-3, rest=0.4), ls.JointSpring("b", [0.2, 2e4], rest=[0.3, 0.2])]
    state = system.state(a=0.4, b=[0.3, 0.2], hub=[0.5, 0.5, -0.5, 0.5, 1, 2, 3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ls.modes(system, state, loads=loads, damped=damped)
    assert found.n_rigid == 6
    assert np.all(found.frequencies[:6] == 0)
    assert np.all(found.frequencies[6:] > 1e-3)
    # free motions take all the mass, and leave none to the others
    assert np.allclose(found.effective_fractions[:, :6].sum(axis=1), 1.0)
    assert np.all(found.effective_fractions[:, 6:] < 1e-10)


def test_shapes_diagonalise_mass_and_stiffness():
    """About an equilibrium of a robot that hangs on springs, deflected in three dimensions."""
    system = robot()
    loads = [
        ls.NodeSpring("hub", (0.1, 0.2, 3.0), 40.0, at_a=(0.2, 0.1, 0)),
        ls.NodeSpring("hub", (1.0, -0.5, 3.0), 50.0, at_a=(-0.3, 0, 0.1)),
        ls.NodeSpring("tool", (2.0, 0.5, 3.0), 30.0),
        ls.JointSpring("boom", [4.0, 6.0]),
        ls.NodeSpring("end", "hub", 20.0, length=0.3, at_a=(0.1, 0.2, 0.1)),
    ]
    rest = ls.equilibrium(system, loads=loads)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*no equilibrium")
        found = ls.modes(system, rest, loads=loads, damped=False)
    phi, A = found.shapes, ls.linearize(system, rest, loads=loads).A
    n = system.n_v
    assert phi.shape == (n, n)
    assert np.allclose(phi.T @ found.mass @ phi, np.eye(n), atol=1e-9)
    K = -found.mass @ A[n:, :n]
    assert np.allclose(
        phi.T @ K @ phi, np.diag(omega(found) ** 2), atol=1e-7 * omega(found)[-1] ** 2
    )
    assert np.allclose(found.mac(), np.eye(n), atol=1e-9)
    assert np.allclose(found.shares.sum(axis=0), 1.0)


def test_poles_of_the_linear_model_are_the_eigenvalues():
    system = robot()
    loads = [
        ls.JointSpring("boom", [4.0, 6.0], damping=[0.3, 0.1]),
        ls.NodeSpring("tool", "hub", 20.0, damping=0.2),
        ls.Servo("boom", [0.0, 0.0], kp=2.0, ki=1.0),
    ]
    state = system.state(**{"boom.rates": [0.0, 0.0], "ball.rates": [0.1, 0.2, 0.1]})
    with pytest.warns(ls.SimulationWarning, match="no equilibrium"):
        found = ls.modes(system, state, loads=loads)
    poles = ls.linearize(system, state, loads=loads).poles()
    # what falls turns slowly out of its axes: zeros of long chains, which rounding scatters
    for value in found.eigenvalues[np.abs(found.eigenvalues) > 0.1]:
        assert np.abs(poles - value).min() < 1e-6 * max(1.0, abs(value))


def test_a_mode_can_be_shown(tmp_path):
    system, _ = booms(8.0, 3.0, 0.4)
    found = ls.modes(system)
    run = found.animate(7, cycles=2)
    assert run.time[-1] == 4.0
    tip = run["boom0.tip.position"]
    assert 0.05 < np.ptp(tip, axis=0).max() / 6.8 < 0.25
    assert np.allclose(tip[0], tip[40], atol=1e-12)
    run.to_html(tmp_path / "mode.html")
    figure = found.plot(file=tmp_path / "modes.png")
    assert len(figure.axes) == 6
    assert "Hz" in figure.axes[0].get_title()
    table = repr(found)
    assert max(map(len, table.splitlines())) <= 80
    assert "6 free" in table
    with pytest.raises(ls.StateError, match="mode is 99"):
        found.animate(99)


@pytest.mark.parametrize("field", ["central", "gradient"])
def test_a_satellite_librates_on_its_orbit(field):
    """Pitch, and roll with yaw: Hughes, Spacecraft Attitude Dynamics (1986), chapter 9."""
    mu, radius = 3.986e14, 7.0e6
    rate = np.sqrt(mu / radius**3)
    yaw, roll, pitch = 50.0, 80.0, 90.0  # about the radial axis, the way and the normal
    model = ls.Model("satellite")
    inertia = np.diag([yaw, roll, pitch])
    model.add(ls.RigidBody(100.0, inertia=inertia), ls.Free(), name="hull")
    system = model.compile()
    if field == "central":
        loads, place, speed = [ls.CentralGravity(mu)], radius, rate * radius
    else:
        loads, place, speed = [ls.GravityGradient(rate)], 0.0, 0.0
    start = system.state(
        hull=[1, 0, 0, 0, place, 0, 0], **{"hull.rates": [0, 0, rate, 0, speed, 0]}
    )
    steady = ls.trim(system, start, loads=loads)
    found = np.sort(omega(ls.modes(system, steady.state, loads=loads))) / rate
    r, y = (pitch - yaw) / roll, (pitch - roll) / yaw
    squares = -np.roots([1.0, 1 + 3 * r + r * y, 4 * r * y])
    expected = [*np.sqrt(squares), np.sqrt(3 * (roll - yaw) / pitch)]
    assert all(np.abs(found - x).min() < 1e-6 for x in expected)
    assert np.sum(found < 1e-5) <= 2 and len(found) <= 7


def test_an_integral_that_grows_is_no_equilibrium():
    model = ls.Model("sled")
    model.add(ls.RigidBody(2.0), ls.Prismatic("x"), name="sled")
    system = model.compile()
    away, there = (ls.Servo("sled", x, kp=8.0, ki=1.0, kd=4.0, integral=-8 * x) for x in (0.5, 0.0))
    with pytest.warns(ls.SimulationWarning, match=r"sled.slide.integral of a Servo grows by 0.5 m"):
        found = ls.modes(system, loads=[away])
    expected = np.roots([2.0, 4.0, 8.0, 1.0])
    assert np.allclose(np.sort(found.frequencies)[0] * 2 * np.pi, np.abs(expected).min())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ls.modes(system, loads=[there])
