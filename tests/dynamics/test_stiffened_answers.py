"""Known answers at level "stiffened", through trees, loads, runs and equilibria."""

import re
import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

import lissom as ls
from tests.references.spinning_beams import polynomials, spinning_reference

SIDE = 1e-3  # of a square section: no rotary inertia to speak of
SECTION = ls.Rectangle(SIDE, SIDE)
UNIT = ls.Material("unit", 12 / SIDE**4, 1 / SIDE**2)  # EI = mass per length = 1
STRIP, SOFT = ls.Rectangle(0.02, 0.01), ls.Material("soft", youngs_modulus=2e6, density=1000.0)


def slopes(force, n):
    """Derivative of a function of n coordinates at zero, by differences."""
    h = 1e-5
    return np.stack([(force(h * e) - force(-h * e)) / (2 * h) for e in np.eye(n)], axis=-1)


@pytest.mark.parametrize("spin, hub, tip", [(7.5, 0.0, 0.0), (7.5, 0.3, 0.0), (4.0, 0.3, 0.5)])
@pytest.mark.parametrize("shapes, bound", [(4, 2e-3), (6, 3e-5)])
def test_frequencies_of_a_spinning_beam(spin, hub, tip, shapes, bound):
    """A hub that turns, a beam on it and a body at its tip."""
    model = ls.Model("rotor")
    model.add(ls.RigidBody(1.0, inertia=(1, 1, 1)), ls.Revolute("z"), name="hub")
    asked = {"bending": shapes, "torsion": 0, "stretch": 0, "damping": 0.0, "level": "stiffened"}
    model.add(ls.beam(1.0, SECTION, UNIT, **asked), ls.Fixed(), to="hub", at=(hub, 0, 0), name="b")
    if tip:
        model.add(ls.RigidBody(tip), ls.Fixed(), to="b.tip", name="bob")
    found = frequencies_at(model.compile(), "hub", spin)[:4]
    np.testing.assert_allclose(found, spinning_reference(spin, hub, tip), rtol=bound)


def frequencies_at(system, hinge, spin):
    """Of the modes of the beam "b", by differences of inverse dynamics."""
    modal, turning = system.layout.modal_v("b"), np.zeros(system.n_v)
    turning[system.layout.hinge_v(hinge)] = spin

    def force(eta):
        q = np.zeros(system.n_q)
        q[modal] = eta
        return ls.inverse_dynamics(system, system.state(q, turning), 0 * turning)[modal]

    K = slopes(force, modal.stop - modal.start)
    M = ls.mass_matrix(system, system.neutral())[modal, modal]
    return np.sqrt(eigh((K + K.T) / 2, M, eigvals_only=True))


@pytest.mark.parametrize("times, shapes", [(1.0, 3), (2.5, 4), (4.5, 5), (9.0, 7)])
def test_the_shapes_that_are_asked_for_have_the_frequencies_of_a_spinning_beam(times, shapes):
    """First lag and flap to a per cent, without a hub, where the lag is softest."""

    def rotor(**asked):
        model = ls.Model("rotor")
        model.add(ls.beam(1.0, SECTION, UNIT, **asked), ls.Revolute("z"), name="b")
        return model.compile()

    system, spin = rotor(), times * 3.516
    with pytest.warns(ls.SimulationWarning, match="'b' turns at") as caught:
        ls.simulate(system, system.state(**{"b.rates": spin}), duration=1e-6, step=1e-6)
    found = int(re.search(r"bending=(\d+) or more", str(caught[0].message))[1])
    assert found == shapes
    asked = {"bending": found, "torsion": 0, "stretch": 0, "level": "stiffened"}
    lowest = frequencies_at(rotor(**asked), "b", spin)[:2]
    np.testing.assert_allclose(lowest, spinning_reference(spin, 0, 0)[:2], rtol=0.01)


SPIN, TIME = 6.0, 15.0  # the first frequency at rest is 3.5


def spin(t):
    """Angular velocity and acceleration of a hub that starts from rest."""
    angle = 2 * np.pi * t / TIME
    return SPIN * (t / TIME - np.sin(angle) / (2 * np.pi)), SPIN / TIME * (1 - np.cos(angle))


def linear_spin_up(shapes, times):
    """Deflection of the tip by linear theory, in the same polynomials.

    v̈ + (K + Ω² (G - M)) v = -Ω' p, G = ∫ T φ'φ', p = ∫ x φ.
    """
    s, w, shape, slope, curve, end = polynomials(shapes)
    K, M = (curve * w) @ curve.T, (shape * w) @ shape.T
    G, p = (slope * w * (1 - s**2) / 2) @ slope.T, shape @ (w * s)

    def rates(t, y):
        omega, change = spin(t)
        v, rate = np.split(y, 2)
        force = -change * p - (K + omega**2 * (G - M)) @ v
        return np.r_[rate, np.linalg.solve(M, force)]

    tight = {"rtol": 1e-12, "atol": 1e-13, "max_step": 0.1, "t_eval": times}
    found = solve_ivp(rates, (0, TIME), np.zeros(2 * shapes), "DOP853", **tight)
    return end @ found.y[:shapes]


@pytest.mark.parametrize(
    ("shapes", "settings", "bound"),
    [
        (1, {"rtol": 1e-11, "atol": 1e-12}, 1e-8),
        (3, {"rtol": 1e-11, "atol": 1e-12}, 1e-8),
        (3, {"integrator": "generalized_alpha", "step": 0.01}, 1e-3),
    ],
    ids=["one shape", "three shapes", "three shapes, implicit steps of 10 ms"],
)
def test_spin_up_beyond_the_first_frequency_is_that_of_linear_theory(shapes, settings, bound):
    """Under a given spin the equations of the modes are linear; nothing warns."""
    model = ls.Model("boom")
    asked = {"bending": (shapes, 0), "torsion": 0, "stretch": 0, "damping": 0.0}
    boom = ls.beam(1.0, SECTION, UNIT, **asked, level="stiffened")
    model.add(boom, ls.Revolute("z"), name="boom")
    drive = ls.Motion("boom", acceleration=lambda t: spin(t)[1])
    with warnings.catch_warnings():
        warnings.simplefilter("error", ls.SimulationWarning)
        run = ls.simulate(
            model.compile(), duration=TIME, loads=[drive], output_step=TIME / 10, **settings
        )
    expected = linear_spin_up(shapes, run.time)
    assert np.abs(expected).max() > 1e-2
    error = np.abs(run["boom.tip.deflection"][:, 1] - expected).max()
    assert error < bound * np.abs(expected).max()


def test_the_parts_that_are_asked_for_spin_up_as_linear_theory_says():
    """At level "full", with default shapes; the warning is that of the whole boom at full spin."""

    def boom(parts, **asked):
        model, to = ls.Model("boom"), None
        piece = ls.beam(1.0 / parts, SECTION, UNIT, damping=0.0, **asked)
        for k in range(parts):
            joint = ls.Fixed() if k else ls.Revolute("z")
            to = f"{model.add(piece, joint, to=to, name=f'p{k}').name}.tip"
        return model.compile(), to

    whole, _ = boom(1, stretch=0)  # else it has still to stretch, and pulls less
    with pytest.warns(ls.SimulationWarning, match="pulled") as caught:
        ls.simulate(whole, whole.state(**{"p0.rates": SPIN}), duration=1e-6, step=1e-6)
    parts = int(re.search(r"into (\d+) or more", str(caught[-1].message))[1])
    system, tip = boom(parts)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ls.SimulationWarning)
        run = ls.simulate(
            system,
            duration=TIME,
            loads=[ls.Motion("p0", acceleration=lambda t: spin(t)[1])],
            integrator="generalized_alpha",
            step=0.01,
            output_step=TIME / 50,
        )
    expected = linear_spin_up(4, run.time)
    x, y = run[f"{tip}.position"][:, :2].T
    angle = run["p0.angle"]
    found = np.cos(angle) * y - np.sin(angle) * x
    assert np.abs(found - expected).max() < 0.01 * np.abs(expected).max()


def test_implicit_steps_are_divided_where_an_iterate_bends_too_far():
    """A rotor at three times its first frequency, bent at the start, in steps of 10 ms."""
    model = ls.Model("rotor")
    blade = ls.beam(10.0, ls.Tube(0.05, 0.002), ls.ALUMINIUM, bending=3, level="stiffened")
    model.add(ls.RigidBody(50.0, inertia=(20, 20, 20)), ls.Revolute("z"), name="hub")
    for k, turn in enumerate((np.eye(3), np.diag([-1.0, -1.0, 1.0]))):
        model.add(blade, ls.Fixed(), to="hub", rotation=turn, name=f"blade{k}")
        model.add(ls.RigidBody(2.0), ls.Fixed(), to=f"blade{k}.tip", name=f"tip{k}")
    system = model.compile()
    first = 2 * np.pi * blade.frequencies[0]
    state = system.state(**{"hub.rates": 3 * first, "blade0.modes": [0.02, *[0.0] * 7]})
    fine, coarse = (
        ls.simulate(system, state, duration=1.0, step=h, integrator="generalized_alpha")
        for h in (0.001, 0.01)
    )
    assert fine.status == coarse.status == "finished"
    turned = fine["hub.angle"][-1]
    assert abs(coarse["hub.angle"][-1] - turned) < 1e-3 * turned


def column(load, shapes=3, push=0.0):
    """Clamped upright beam, pressed at its tip by a load [N] and pushed across."""
    model = ls.Model("column")
    asked = {"bending": (0, shapes), "torsion": 0, "stretch": 0}
    model.add(ls.beam(1.3, STRIP, SOFT, **asked, level="stiffened"), ls.Fixed(), name="column")
    return model.compile(), [ls.NodeForce("column.tip", (-load, 0.0, push))]


EULER = np.pi**2 * SOFT.youngs_modulus * STRIP.second_moment_y / (4 * 1.3**2)


def test_a_pressed_column_is_stable_up_to_eulers_load():
    """Below, a force across bends it more by tan(u)/u... of beam theory; above, it is unstable."""
    P, push, EI = 0.9 * EULER, 1e-6, SOFT.youngs_modulus * STRIP.second_moment_y
    system, loads = column(P, push=push)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ls.SimulationWarning)
        rest = ls.equilibrium(system, loads=loads)
    k = np.sqrt(P / EI)
    expected = push / P * (np.tan(1.3 * k) / k - 1.3)
    found = ls.pose(system, rest, "column.tip").position[2]
    assert abs(found / expected - 1) < 2e-3
    system, loads = column(1.01 * EULER)
    with pytest.warns(ls.SimulationWarning, match="equilibrium is unstable: .*column"):
        ls.equilibrium(system, loads=loads)


def lateral_load(parts, shapes=2):
    """Load q [N/m] at which a clamped strip buckles sideways under its own weight, in units.

    The strip is rigid in the plane of the weight; K q = -(weight's slope), by differences.
    """
    length = 1.0
    piece = ls.beam(
        length / parts,
        STRIP,
        SOFT,
        bending=(0, shapes),
        torsion=shapes,
        stretch=0,
        level="stiffened",
    )
    model, q = ls.Model("strip", gravity=(0, -1.0, 0)), STRIP.area * SOFT.density
    for k in range(parts):
        place = {"to": f"p{k - 1}.tip"} if k else {}
        model.add(piece, ls.Fixed(), name=f"p{k}", **place)
    system = model.compile()

    def weight(x):
        return ls.gravity_force(system, system.state(x * size))

    stiffness = np.concatenate([body.stiffness for body in system.bodies])
    size = 1 / np.sqrt(stiffness)
    slope = slopes(weight, system.n_v) * size[:, None]
    largest = np.linalg.eigvalsh(-(slope + slope.T) / 2)[-1]
    EI = SOFT.youngs_modulus * STRIP.second_moment_y
    GJ = SOFT.shear_modulus * STRIP.torsion_constant
    return q / largest * length**3 / np.sqrt(EI * GJ) if largest > 1e-9 else np.inf


def test_lateral_buckling_under_the_own_weight_needs_parts():
    """Published: q L³ / sqrt(EI GJ) = 12.85 (Timoshenko and Gere); one part leaves it out."""
    found = [lateral_load(parts) for parts in (1, 2, 4, 8)]
    assert found[0] > 100
    for load, error in zip(found[1:], (0.14, 0.012, 0.0015), strict=True):
        assert 0 < load / 12.85 - 1 < error
