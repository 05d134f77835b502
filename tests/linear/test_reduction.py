"""Gramians and reduced models against SciPy and python-control, and tracked modes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.linalg import solve_continuous_lyapunov

import lissom as ls

W = np.logspace(-1, 2.5, 60)


def chain(n=5, damping=0.05, grounded=True):
    model, loads = ls.Model("chain"), []
    for k in range(n):
        to = f"m{k - 1}" if k else None
        model.add(ls.RigidBody(1.0 + 0.1 * k), ls.Prismatic("x"), to=to, name=f"m{k}")
        if k or grounded:
            loads.append(ls.JointSpring(f"m{k}", 40.0 + 7 * k, damping=damping))
    system = model.compile()
    inputs = ["m1"] if grounded else ["m0"]  # the force between two of them moves no free chain
    outputs = [f"m{n - 1}.position.x", "m0.velocity.x"]
    return ls.linearize(system, loads=loads, inputs=inputs, outputs=outputs)


def test_gramians_solve_lyapunovs_equations():
    model = chain()
    found = model.gramians()
    T = found.basis
    W_c = T @ found.controllability @ T.T
    W_o = np.linalg.inv(T).T @ found.observability @ np.linalg.inv(T)
    exact_c = solve_continuous_lyapunov(model.A, -model.B @ model.B.T)
    exact_o = solve_continuous_lyapunov(model.A.T, -model.C.T @ model.C)
    assert np.allclose(W_c, exact_c, rtol=1e-8)
    assert np.allclose(W_o, exact_o, rtol=1e-8)
    singular = np.sqrt(np.sort(np.linalg.eigvals(exact_c @ exact_o).real)[::-1])
    assert np.allclose(found.hankel, singular, rtol=1e-6)
    assert not len(found.excluded)


def test_gains_of_light_modes_are_hankel_singular_values():
    model = chain(damping=0.002)
    poles, gains = model.modal_gains()
    ratios = -poles.real / np.abs(poles)
    pairs = np.sort(np.repeat(gains / (2 * ratios), 2))[::-1]
    assert np.allclose(model.gramians().hankel, pairs, rtol=5e-3)


def test_discrete_gramians_are_sums_over_samples():
    model = chain(damping=2.0).discrete(0.05)
    found = model.gramians()
    total, power = np.zeros((model.n, model.n)), model.B
    for _ in range(4000):
        total += power @ power.T
        power = model.A @ power
    assert np.allclose(found.basis @ found.controllability @ found.basis.T, total, rtol=1e-6)


def test_error_of_balanced_truncation_is_within_its_bound():
    model = chain(damping=0.4)
    small = model.reduced(6)
    assert small.n == 6
    assert "6 of 10 balanced states kept" in small.notes
    hankel = model.gramians().hankel
    apart = model.frequency_response(W) - small.frequency_response(W)
    errors = np.linalg.svd(apart, compute_uv=False)[:, 0]
    assert errors.max() <= 2 * hankel[6:].sum()
    assert errors.max() > 1e-3 * hankel[6:].sum()
    assert model.reduced(tolerance=1e-12).n == 10


@pytest.mark.parametrize("damping", [0.0, 0.05])
def test_free_motions_are_kept_and_a_full_modal_model_is_the_same(damping):
    model = chain(damping=damping, grounded=False)
    found = model.gramians()
    assert len(found.excluded) == (10 if damping == 0 else 2)
    for method in ("modal", "auto"):
        whole = model.reduced(10, method=method)
        assert np.allclose(whole.frequency_response(W), model.frequency_response(W), rtol=1e-6)
    small = model.reduced(6, method="modal")
    assert "2 of 4 modes kept" in small.notes
    assert "2 states of free motions" in small.notes
    # poles are poles of the model
    for pole in small.poles():
        assert np.abs(model.poles() - pole).min() < 1e-6 * max(1.0, abs(pole))
    if damping:  # at the resonances that are kept
        at = np.abs(small.poles()[-4::2])
        exact = model.frequency_response(at)
        assert np.allclose(small.frequency_response(at), exact, atol=0.05 * np.abs(exact).max())


def test_free_motions_that_only_rounding_moves_are_left_out():
    """A force between two masses does not move their centre."""
    model, loads = ls.Model("pair"), [ls.JointSpring("m1", 30.0, damping=0.1)]
    model.add(ls.RigidBody(1.0), ls.Prismatic((1, 2, 3)), name="m0")
    model.add(ls.RigidBody(1.7), ls.Prismatic((1, 2, 3)), to="m0", name="m1")
    whole = ls.linearize(model.compile(), loads=loads, inputs=["m1"], outputs=["m1", "m0"])
    small = whole.reduced(2, method="modal")
    assert small.n == 2 and "free" not in small.notes
    exact = whole.frequency_response(W)
    assert np.allclose(small.frequency_response(W), exact, atol=1e-9 * np.abs(exact).max())


def test_modes_of_largest_gain_are_kept():
    """Bending in the plane of the motor stays, bending across it goes."""
    boom = ls.beam(1.0, ls.Rectangle(0.01, 0.013), ls.ALUMINIUM, bending=3)
    model = ls.Model("arm")
    model.add(ls.RigidBody(1.0, inertia=0.01 * np.eye(3)), ls.Revolute("y"), name="hub")
    model.add(boom, ls.Fixed(), to="hub", name="boom")
    system = model.compile()
    whole = ls.linearize(system, inputs=["hub"], outputs=["boom.tip.position.z", "hub"])
    small = whole.reduced(tolerance=1e-6, method="modal")
    assert small.n == 8  # one free motion, and three modes in the plane
    assert "2 states of free motions" in small.notes
    apart = small.frequency_response(W) - whole.frequency_response(W)
    # rounding of the whole response is eps |A| / w^2, 1e-8 of it at 0.1 rad/s
    assert np.abs(apart).max() < 1e-7 * np.abs(whole.frequency_response(W)).max()
    assert np.abs(apart[W > 1]).max() < 1e-9 * np.abs(whole.frequency_response(W)).max()


@pytest.mark.parametrize("method", ["balanced", "modal"])
def test_free_motions_that_no_input_moves_are_left_out(method):
    """Of twelve states of a floating hub, a torque about one axis needs two."""
    boom = ls.beam(2.0, ls.Tube(radius=0.02, thickness=0.001), ls.ALUMINIUM, bending=2)
    model = ls.Model("satellite")
    model.add(ls.RigidBody.box(20.0, (1, 1, 1), com=(0.1, 0, 0.2)), ls.Free(), name="hub")
    model.add(boom, ls.Fixed(), to="hub", at=(0.5, 0, 0), name="boom")
    system = model.compile()
    whole = ls.linearize(system, inputs=["hub.turn_y"], outputs=["hub.attitude.y"])
    small = whole.reduced(tolerance=1e-9, method=method)
    assert small.n < whole.n - 10
    assert "2 states of free motions" in small.notes
    assert np.sum(np.abs(small.poles()) < 1e-6) == 2
    exact = whole.frequency_response(W)
    assert np.all(np.abs(small.frequency_response(W) - exact) < 1e-6 * np.abs(exact))


def test_mistakes_are_named():
    model = chain()
    with pytest.raises(ls.StateError, match="method is 'modul'; did you mean 'modal'"):
        model.reduced(4, method="modul")
    with pytest.raises(ls.StateError, match="n is 0"):
        model.reduced(0)
    with pytest.raises(ls.StateError, match="inputs and outputs"):
        model.chosen([], []).reduced(2)
    with pytest.raises(ls.StateError, match="continuous models"):
        model.discrete(0.1).reduced(4, method="modal")


def test_a_model_of_free_motions_alone_is_reduced_to_those_that_move():
    body = ls.Model("body")
    body.add(ls.RigidBody.box(2.0, (1, 1, 1)), ls.Free(), name="body")
    model = ls.linearize(body.compile(), inputs=["body.move_x"], outputs=["body.position.x"])
    small = model.reduced(2, method="modal")
    assert small.n == 2 and np.isclose(small.frequency_response(3.0), -1 / 18)


# Modes along a parameter


def test_modes_that_cross_keep_their_columns():
    """A mass on two springs across each other: sqrt(k/m) of one passes that of the other."""
    model = ls.Model("mass")
    model.add(ls.RigidBody(0.0), ls.Prismatic("x"), name="a")
    model.add(ls.RigidBody(2.0), ls.Prismatic("y"), to="a", name="b")
    system = model.compile()

    def build(k):
        return ls.modes(system, loads=[ls.JointSpring("a", 18.0), ls.JointSpring("b", k)])

    k = np.linspace(2.0, 50.0, 13)
    found = ls.mode_sweep(build, k, label="stiffness [N/m]")
    assert np.allclose(2 * np.pi * found.frequencies[:, 0], np.sqrt(k / 2.0))
    assert np.allclose(2 * np.pi * found.frequencies[:, 1], 3.0)
    assert np.allclose(found.mac, 1.0)
    assert np.isclose(abs(found.shape(12, 0)[1]), 1 / np.sqrt(2.0))


def test_a_frequency_passes_through_zero_in_axes_that_turn():
    """A mass on equal springs seen from a turntable: omega_0 + Omega and omega_0 - Omega."""
    model = ls.Model("turntable")
    model.add(ls.RigidBody(0.0, inertia=np.eye(3)), ls.Revolute("z"), name="table")
    model.add(ls.RigidBody(0.0), ls.Prismatic("x"), to="table", name="a")
    model.add(ls.RigidBody(0.5), ls.Prismatic("y"), to="a", name="b")
    system = model.compile()
    loads = [ls.JointSpring("a", 8.0), ls.JointSpring("b", 8.0)]
    spin = np.linspace(0.1, 9.1, 19)
    found = ls.mode_sweep(system, spin, joint="table", rates=True, loads=loads)
    rates = np.sort(found.eigenvalues.imag, axis=1)
    assert np.allclose(rates, np.stack([4.0 - spin, 4.0 + spin], axis=1))
    assert found.label == "table angle [rad/s]"
    # each column is one of them throughout
    assert np.allclose(np.ptp(np.diff(found.eigenvalues.imag, axis=0), axis=0), 0, atol=1e-9)


def test_campbell_diagram_of_an_overhung_disc():
    """Shaft without mass: [m, I_d] [w, b] with E I / L^3 [[12, -6L], [-6L, 4L^2]] and I_p Omega."""
    L, radius, m, I_d, I_p = 0.4, 0.01, 4.0, 0.02, 0.036
    light = ls.Material("light", youngs_modulus=2.1e11, density=1e-3)
    shaft = ls.beam(L, ls.Circle(radius), light, bending=2, torsion=0, stretch=0, damping=0.0)
    model = ls.Model("rotor")
    model.add(shaft, ls.Fixed(), name="shaft")
    disc = ls.RigidBody(m, inertia=np.diag([I_p, I_d, I_d]))
    model.add(disc, ls.Revolute("x"), to="shaft.tip", name="disc")
    system = model.compile()
    spin = np.linspace(0.0, 600.0, 13)
    found = ls.mode_sweep(system, spin, joint="disc", rates=True, n=4)
    EI = 2.1e11 * np.pi * radius**4 / 4
    K = EI / L**3 * np.array([[12, -6 * L], [-6 * L, 4 * L**2]])
    # complex deflection w = y + i z: M w'' - i G w' + K w = 0
    for k, rate in enumerate(spin):
        A = np.block(
            [
                [np.zeros((2, 2)), np.eye(2)],
                [-np.diag([1 / m, 1 / I_d]) @ K, np.diag([0, 1j * I_p * rate / I_d])],
            ]
        )
        exact = np.sort(np.abs(np.linalg.eigvals(A).imag))
        assert np.allclose(np.sort(2 * np.pi * found.frequencies[k]), exact, rtol=1e-5)
    assert found.mac[2:].min() > 0.95  # at rest the planes of both are any
    # backward whirl falls, forward whirl rises, at every step
    changes = np.diff(found.frequencies, axis=0)
    assert np.all((changes > 0).all(axis=0) | (changes < 0).all(axis=0))


def test_frequencies_against_a_joint_angle(tmp_path):
    """Two booms with a locked elbow: the sweep is that of single calls."""
    boom = ls.beam(1.0, ls.Tube(radius=0.02, thickness=0.001), ls.ALUMINIUM, bending=2)
    model = ls.Model("arm")
    model.add(boom, ls.Fixed(), name="upper")
    model.add(boom, ls.Revolute("z"), to="upper.tip", name="lower")
    system = model.compile()
    angles = np.linspace(0.0, 2.5, 9)
    found = ls.mode_sweep(system, angles, joint="lower", n=5, damped=False)
    single = ls.modes(system, system.state(lower=angles[4]), held=["lower"], damped=False)
    assert np.allclose(found.frequencies[4], single.frequencies[found.order[4]])
    figure = found.plot(file=tmp_path / "sweep.png", lines=[(1.0, "1P")])
    assert figure.axes[0].get_xlabel() == "lower angle [rad]"
    assert max(map(len, repr(found).splitlines())) <= 80
    with pytest.raises(ls.StateError, match="lines is 5"):
        found.plot(lines=5)
    with pytest.raises(ls.StateError, match="mode is 99; expected a number from 0 to 4"):
        found.shape(0, 99)
    with pytest.raises(ls.StateError, match="held is 5"):
        ls.mode_sweep(system, angles, joint="lower", held=5)
    with pytest.raises(ls.StateError, match="other is 3"):
        single.mac(3)


def test_frequencies_against_the_angle_of_a_crank_in_a_loop():
    """Five bars, one crank held: the loop is closed at each angle, on the branch of the start."""
    model = ls.Model("five bars")
    for name, to, place in (("a", None, 0), ("b", "a", 1), ("c", None, 2), ("d", "c", 1)):
        rod = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
        model.add(rod, ls.Revolute("z"), to=to, at=(place, 0, 0), name=name)
    model.close(ls.Revolute("z"), "b", "d", at_a=(1, 0, 0), at_b=(1, 0, 0), name="pin")
    system = model.compile()
    springs = [ls.JointSpring("c", 20.0, rest=2.0), ls.JointSpring("d", 30.0, rest=0.7)]
    start = ls.assemble(system, system.state(a=1.8, b=-1.3, c=2.0, d=0.7), held=["a", "c"])
    angles = np.linspace(1.8, 1.2, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ls.SimulationWarning)  # the springs are not at rest
        found = ls.mode_sweep(system, angles, state=start, joint="a", loads=springs, n=1)
        for k, angle in enumerate(angles):
            closed = ls.assemble(system, system.state(start.q, a=angle), held=["a"])
            start = closed
            single = ls.modes(system, closed, held=["a"], loads=springs)
            assert np.isclose(found.frequencies[k, 0], single.frequencies[0], rtol=1e-9)
    assert np.ptp(found.frequencies) > 0.01


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((3.0, [1.0]), "build is 3.0"),
        ((lambda x: x, [1.0]), "returned 1.0"),
        ((lambda x: x, [[1.0]]), "row of finite numbers"),
        ((lambda x: x, [1.0], {"joint": "a"}), "belong to a System"),
        ((lambda x: x, [1.0], {"rates": "yes"}), "rates is 'yes'"),
    ],
)
def test_mistakes_of_a_sweep_are_named(arguments, words):
    *given, options = [*arguments, {}] if len(arguments) == 2 else arguments
    with pytest.raises(ls.LissomError, match=words):
        ls.mode_sweep(*given, **options)
