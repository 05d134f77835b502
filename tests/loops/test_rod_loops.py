"""Rods with natural curvature and in loops: springs, rings, catenaries, closed circles."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, fsolve

import lissom as ls
from lissom.algorithms.loops.closed_loops import constrained_dynamics
from lissom.algorithms.tree.reference import kinematics_base_to_tip


def test_stiffness_of_a_helical_spring():
    """The section moments of a helix under an axial force are constant: T = F R cos, M = F R sin.

    Compliance L R² (cos²/GJ + sin²/EI) + L sin²/EA (A. E. H. Love, Mathematical Theory of
    Elasticity, art. 271, to first order in the force).
    """
    radius, rise, turns = 0.05, 0.15, 5
    GJ, EI, EA, force = 1.5, 2.0, 1e6, 1e-3
    c, s = np.cos(rise), np.sin(rise)
    length, curvature = 2 * np.pi * radius * turns / c, np.array([s * c, 0.0, c * c]) / radius
    wire = ls.Rod(
        length, (GJ, EI, EI, EA, 1, 1), 0.1, (1e-5,) * 3, bending=1, torsion=1, curvature=curvature
    )
    model = ls.Model("spring")
    model.add(wire, ls.Fixed(), name="wire")
    system = model.compile()
    axis, centre = curvature / np.linalg.norm(curvature), np.array([0.0, radius, 0.0])
    end = ls.pose(system, system.neutral(), "wire.tip")
    point = centre + axis * ((end.position - centre) @ axis)
    assert np.linalg.norm(end.position - point) == pytest.approx(radius, rel=1e-11)
    arm = end.rotation.T @ (point - end.position)
    rest = ls.equilibrium(system, loads=[ls.NodeForce("wire.tip", force * axis, at=arm)])
    end = ls.pose(system, rest, "wire.tip")
    moved = (end.position + end.rotation @ arm - point) @ axis
    compliance = length * (radius**2 * (c * c / GJ + s * s / EI) + s * s / EA)
    assert moved == pytest.approx(compliance * force, rel=3e-6)


def pressed_ring(load):
    """How far a ring of radius 1 and EI = 1 is pressed, by shooting along a quarter of it."""

    def shoot(moment):
        def rate(_, y):
            return [1 + y[1], load / 2 * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])]

        return solve_ivp(rate, (0, np.pi / 2), [0, moment, 0, 0], rtol=1e-11, atol=1e-12).y[:, -1]

    (moment,) = fsolve(lambda m: shoot(m[0])[0] - np.pi / 2, [-0.3 * load])
    return 2 - 2 * shoot(moment)[3]


def test_a_ring_is_pressed_flat():
    """Two half rings; linear theory: (π/4 - 2/π) P R³/EI (Timoshenko)."""
    half = ls.Rod(
        np.pi, (1, 1, 1, 1e7, 1, 1), 0.1, (1e-3,) * 3, bending=(8, 0), torsion=0,
        curvature=(0, 0, 1.0),
    )  # fmt: skip
    model = ls.Model("ring")
    model.add(half, ls.Fixed(), name="right")
    model.add(half, ls.Fixed(), to="right.tip", name="left")
    model.close(ls.Fixed(), "left.tip", None, name="closure")
    model.close(
        ls.Prismatic("y"), None, "right.tip", at_a=(0, 2, 0), name="guide",
        rotation_b={"axis": "z", "angle": np.pi},
    )  # fmt: skip
    system = model.compile()
    state = system.neutral()
    for load, bound in ((1e-3, 1e-5), (1.0, 1e-4), (3.0, 1e-3), (6.0, 4e-3)):
        state = ls.equilibrium(system, state, loads=[ls.NodeForce("right.tip", (0, -load, 0))])
        pressed = 2 - ls.pose(system, state, "right.tip").position[1]
        assert pressed == pytest.approx(pressed_ring(load), rel=bound)
        if load < 0.01:
            assert pressed == pytest.approx((np.pi / 4 - 2 / np.pi) * load, rel=1e-3)
    assert pressed > 1.4


def bent(body, moment):
    """Coordinates of a clamped rod under a moment at its tip."""
    model = ls.Model("bent")
    model.add(body, ls.Fixed(), name="rod")
    return ls.equilibrium(model.compile(), loads=[ls.NodeForce("rod.tip", moment=moment)]).q


def test_a_loop_joint_bends_a_rod_into_a_closed_circle():
    rod = ls.Rod(
        1.0, (1, 1, 1, 1e4, 1, 1), 0.1, (1e-3,) * 3, bending=(4, 0), torsion=0, stations=10,
        nodes={"middle": 0.5},
    )  # fmt: skip
    model = ls.Model("circle")
    model.add(rod, ls.Fixed(), name="rod")
    model.close(ls.Fixed(), "rod.tip", None, name="closure")
    system = model.compile()
    start = ls.assemble(system, system.state(bent(rod, (0, 0, 0.9 * 2 * np.pi))))
    rest = ls.equilibrium(system, start)
    middle = ls.pose(system, rest, "rod.middle").position
    assert middle == pytest.approx([0, 1 / np.pi, 0], abs=3e-6)
    assert ls.energy(system, rest).strain == pytest.approx(2 * np.pi**2, rel=1e-12)


def test_a_soft_cable_hangs_as_a_catenary():
    span, EI = 0.8, 1e-4
    cable = ls.Rod(
        1.0, (EI, EI, EI, 1e4, 1, 1), 1.0, (1e-6,) * 3, bending=(0, 8), torsion=0,
        nodes={"middle": 0.5},
    )  # fmt: skip
    model = ls.Model("catenary", gravity=(0, 0, -9.81))
    model.add(cable, ls.Revolute("y"), name="cable")
    model.close(ls.Revolute("y"), "cable.tip", None, at_b=(span, 0, 0), name="end")
    system = model.compile()
    half = brentq(lambda x: np.sin(x) / x - span, 0.1, 3.0)
    q = np.zeros(system.n_q)
    q[system.layout.modal_q(0)] = bent(cable, (0, -EI * 2 * half, 0))
    q[system.layout.hinge_q(0)] = half
    rest = ls.equilibrium(system, ls.assemble(system, system.state(q)))
    a = brentq(lambda x: 2 * x * np.sinh(span / 2 / x) - 1.0, 0.05, 5.0)
    sag = a * (np.cosh(span / 2 / a) - 1)
    middle = ls.pose(system, rest, "cable.middle").position
    assert middle == pytest.approx([span / 2, 0, -sag], abs=2e-3 * sag)


def free_ring():
    """A floating rod whose ends are joined."""
    rod = ls.Rod(
        2 * np.pi, (1, 1, 1, 50, 1, 1), 0.1, (1e-2,) * 3, bending=(4, 2), torsion=2, stretch=2,
        curvature=(0, 0, 1.0), damping=0.0,
    )  # fmt: skip
    model = ls.Model("ring")
    model.add(rod, ls.Free(), name="ring")
    model.close(ls.Fixed(), "ring.tip", "ring.root", name="closure")
    return model.compile()


def test_two_nodes_of_one_body_are_joined():
    system = free_ring()
    rng = np.random.default_rng(1)
    start = ls.assemble(system, system.state(v=0.2 * rng.standard_normal(system.n_v)))
    motions = kinematics_base_to_tip(system, start.q, start.v)
    readable, _ = constrained_dynamics(system, motions, np.zeros(system.n_v), dense=True)
    found = ls.forward_dynamics(system, start)
    assert np.abs(found - readable).max() < 1e-9 * np.abs(readable).max()
    run = ls.simulate(system, start, duration=2.0, rtol=1e-10)
    first, last = (ls.momentum(system, run.state(t)) for t in (0.0, 2.0))
    assert np.abs(last - first).max() < 1e-7 * np.abs(first).max()
    energies = [ls.energy(system, run.state(t)).total for t in (0.0, 2.0)]
    assert energies[1] == pytest.approx(energies[0], rel=1e-7)


def test_a_node_is_not_joined_to_itself():
    model = ls.Model("ring")
    model.add(ls.rod(1.0, ls.Circle(0.01), ls.STEEL), ls.Free(), name="ring")
    with pytest.raises(ls.ModelError, match="connects body 'ring' to itself; give two different"):
        model.close(ls.Fixed(), "ring.tip", "ring.tip", name="closure")
    model.close(ls.Fixed(), "ring.root", "ring", name="closure")
    with pytest.raises(ls.ModelError, match="joins a node of body 'ring' to itself; give another"):
        model.compile()


@pytest.mark.parametrize("stretch", [0, 1])
def test_a_rod_without_stretch_between_held_points_is_told(stretch):
    rod = ls.Rod(
        1.0, (1, 1, 1, 1e4, 1, 1), 1.0, (1e-4,) * 3, bending=(2, 0), torsion=0, stretch=stretch
    )
    model = ls.Model("held", gravity=(0, -9.81, 0))
    model.add(rod, ls.Revolute("z"), name="rod")
    model.close(ls.Spherical(), "rod.tip", None, at_b=(1, 0, 0), name="end")
    system = model.compile()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ls.simulate(system, duration=1e-3)
    told = [str(w.message) for w in caught if "no stretch" in str(w.message)]
    assert len(told) == 1 - stretch
    assert all("rod 'rod' has no stretch" in x and "give it stretch=1" in x for x in told)
