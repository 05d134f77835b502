"""Couplings between hinge coordinates: closed forms, ratios that are known, and what follows."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import lissom as ls
from tests.samples.closures import four_bar
from tests.samples.couplings import flexible_arm, geared_rotors, rotor
from tests.tools.measures import error

METHODS = ("auto", "articulated", "composite", "reference")


@pytest.mark.parametrize("method", METHODS)
def test_geared_rotors_accelerate_by_the_reflected_inertia(method):
    """a + 3 b = 0 with torques T_a, T_b:  (I_a + I_b / 9) a' = T_a - T_b / 3."""
    system, (I_a, I_b), (T_a, T_b) = geared_rotors(), (0.03, 0.5), (0.7, -0.4)
    alpha = (T_a - T_b / 3) / (I_a + I_b / 9)
    found = ls.forward_dynamics(system, system.state(), {"motor": T_a, "wheel": T_b}, method=method)
    assert error(found, [alpha, -alpha / 3]) < 1e-14
    force = ls.coupling_forces(system, system.state(), {"motor": T_a, "wheel": T_b})
    # the motor receives ratio 1 times the force, the wheel 3 times
    assert error(force, [I_a * alpha - T_a]) < 1e-13
    assert error(3 * force, [-I_b * alpha / 3 - T_b]) < 1e-13


def test_rack_and_pinion():
    """The rack falls, x = r angle: (m + I / r^2) x' = m g, and the force on the rack."""
    m, inertia, r, g = 2.0, 0.004, 0.05, 9.81
    model = ls.Model("rack", gravity=(0, 0, -g))
    model.add(ls.RigidBody(m), ls.Prismatic((0, 0, -1)), name="rack")
    model.add(rotor(inertia), ls.Revolute("z"), name="pinion")
    model.couple({"rack": 1.0, "pinion": -r}, name="teeth")
    system = model.compile()
    a = m * g / (m + inertia / r**2)
    assert error(ls.forward_dynamics(system, system.state()), [a, a / r]) < 1e-14
    assert error(ls.coupling_forces(system, system.state()), [m * a - m * g]) < 1e-13


def test_rotor_inertia_of_an_actuator_is_seen_through_the_gear():
    system = geared_rotors()
    run = ls.simulate(
        system,
        duration=1.0,
        loads=[ls.Actuator("motor", 0.2, ratio=2.0, rotor_inertia=0.01)],
        output_step=0.5,
    )
    alpha = 0.4 / (0.03 + 0.04 + 0.5 / 9)
    assert error(run["motor.rates"][-1], [alpha]) < 1e-10
    armature = {"motor": 0.04}
    for method in METHODS:
        found = ls.forward_dynamics(
            system, system.state(), {"motor": 0.4}, armature=armature, method=method
        )
        assert error(found, [alpha, -alpha / 3]) < 1e-13


def planetary(sun=20, planet=15, ring=50) -> ls.System:
    """Carrier on the ground, planet on the carrier; angles of wheels, teeth as ratios.

    In the frame of the carrier the wheels mesh as if it stood still.
    """
    model = ls.Model("planetary")
    for name, inertia in (("sun", 0.01), ("ring", 0.09), ("carrier", 0.05)):
        model.add(rotor(inertia), ls.Revolute("z"), name=name)
    model.add(rotor(0.004, 0.3), ls.Revolute("z"), to="carrier", at=(0.1, 0, 0), name="planet")
    # planet is relative to the carrier already
    model.couple({"sun": sun, "carrier": -sun, "planet": planet}, name="inner")
    model.couple({"ring": ring, "carrier": -ring, "planet": -planet}, name="outer")
    return model.compile()


def test_planetary_gear_has_its_known_ratio():
    """With the ring held: sun / carrier = 1 + ring / sun teeth."""
    system = planetary()
    given = system.state(**{"carrier.rates": 1.0, "ring.rates": 0.0})
    state = ls.assemble(system, given, held=["carrier", "ring"])
    assert error(state.v[system.layout.hinge_v("sun")], [1 + 50 / 20]) < 1e-12
    assert error(state.v[system.layout.hinge_v("planet")], [-50 / 15]) < 1e-12
    found = ls.closure(system, state)
    assert found.rank == 2 and len(found.independent.indices) == 2


def test_differential_shares_the_torque():
    """left + right = 2 cage: both wheels receive the same torque, whatever their speeds."""
    model = ls.Model("differential")
    for name, inertia in (("cage", 0.02), ("left", 0.3), ("right", 0.1)):
        model.add(rotor(inertia), ls.Revolute("z"), name=name)
    model.couple({"left": 1.0, "right": 1.0, "cage": -2.0}, name="differential")
    system = model.compile()
    state = ls.assemble(system, system.state(**{"left.rates": 3.0, "cage.rates": 1.0}))
    a_c, a_l, a_r = ls.forward_dynamics(system, state, {"cage": 5.0})
    force = ls.coupling_forces(system, state, {"cage": 5.0})[0]
    assert error([0.3 * a_l, 0.1 * a_r], [force, force]) < 1e-13
    assert error([0.02 * a_c], [5.0 - 2 * force]) < 1e-13
    assert error([a_l + a_r], [2 * a_c]) < 1e-13


def test_one_coordinate_alone_is_locked():
    system = geared_rotors()
    model = ls.Model("lock")
    model.add(rotor(0.1), ls.Revolute("z"), name="wheel")
    model.couple({"wheel": 2.0}, offset=1.0, name="lock")
    system = model.compile()
    state = ls.assemble(system, system.state(wheel=0.2, **{"wheel.rates": 3.0}))
    assert state.q == pytest.approx(0.5, abs=1e-15) and state.v == pytest.approx(0, abs=1e-15)
    assert np.abs(ls.forward_dynamics(system, state, {"wheel": 4.0})).max() < 1e-13
    assert error(ls.coupling_forces(system, state, {"wheel": 4.0}), [-2.0]) < 1e-13


@pytest.mark.parametrize("method", METHODS)
def test_the_same_gear_twice_shares_the_force(method):
    model = ls.Model("twice")
    model.add(rotor(0.03), ls.Revolute("z"), name="motor")
    model.add(rotor(0.5), ls.Revolute("z"), name="wheel")
    for name in ("one", "two"):
        model.couple({"motor": 1.0, "wheel": 3.0}, name=name)
    twice, once = model.compile(), geared_rotors()
    state, forces = twice.state(), {"motor": 0.7}
    found = ls.forward_dynamics(twice, state, forces, method=method)
    assert error(found, ls.forward_dynamics(once, once.state(), forces)) < 1e-12
    shares = ls.coupling_forces(twice, state, forces)
    whole = ls.coupling_forces(once, once.state(), forces)
    assert error(shares, [whole[0] / 2] * 2) < 1e-9
    closure = ls.closure(twice, state)
    assert closure.rank == 1
    assert closure.redundant == {"one": (), "two": ("motor + 3 wheel = 0",)}
    assert "it follows from others" in repr(closure)


def coupled_four_bar(ratios=None, offset: float = 0.0) -> ls.System:
    """Four-bar with a coupling inside its loop."""
    model = ls.Model("four-bar", gravity=(0, -9.81, 0))
    for name, length, to, at in (
        ("crank", 1.0, None, (0, 0, 0)),
        ("coupler", 3.0, "crank", (1, 0, 0)),
        ("rocker", 2.5, None, (3.2, 0, 0)),
    ):
        body = ls.RigidBody.box(2.0 * length, (length, 0.05, 0.05), com=(length / 2, 0, 0))
        model.add(body, ls.Revolute("z"), to=to, at=at, name=name)
    model.close(ls.Revolute("z"), "coupler", "rocker", at_a=(3, 0, 0), at_b=(2.5, 0, 0), name="pin")
    model.add(rotor(0.2), ls.Revolute("z"), to="rocker", at=(1, 0, 0), name="wheel")
    model.couple(ratios or {"crank": 2.0, "wheel": -1.0}, offset=offset, name="gear")
    return model.compile()


def test_gear_beside_a_loop_adds_its_inertia():
    """The wheel turns twice as fast as the crank, on top of the rocker: Lagrange by one speed."""
    system = coupled_four_bar()
    state = ls.assemble(
        system,
        system.state(crank=0.5, coupler=0.3, rocker=1.8, **{"crank.rates": 2.0}),
        held=["crank"],
    )
    found = ls.closure(system, state)
    assert found.rank == 3 and found.names == ("pin", "gear")
    vdot = ls.forward_dynamics(system, state, {"crank": 5.0})
    # B of the free speed by geometry alone: one step of the assembled mechanism
    h, B = 1e-5, []
    for s in (h, -h):
        moved = state.q + s * state.v / state.v[0]
        B.append(ls.assemble(system, system.state(moved), held=["crank"], velocity=False).q)
    B = (B[0] - B[1]) / (2 * h)
    M, bias = ls.mass_matrix(system, state), ls.bias_force(system, state)
    applied = np.array([5.0, 0, 0, 0])
    assert abs(B @ (M @ vdot + bias - applied)) < 1e-7 * np.abs(bias).max()
    assert error([vdot[3]], [2 * vdot[0]]) < 1e-12


def test_coupling_that_the_loop_fixes_already_is_redundant():
    """A parallelogram: the loop makes crank and rocker turn alike, and so does the coupling."""
    model = ls.Model("parallelogram", gravity=(0, -9.81, 0))
    bar = ls.RigidBody.box(2.0, (1, 0.05, 0.05), com=(0.5, 0, 0))
    model.add(bar, ls.Revolute("z"), name="crank")
    model.add(bar, ls.Revolute("z"), to="crank", at=(1, 0, 0), name="coupler")
    model.add(bar, ls.Revolute("z"), at=(1, 0, 0), name="rocker")
    model.close(ls.Revolute("z"), "coupler", "rocker", at_a=(1, 0, 0), at_b=(1, 0, 0), name="pin")
    free = model.compile()
    model.couple({"crank": 1.0, "rocker": -1.0}, name="gear")
    system = model.compile()
    q, v = [0.7, -0.7, 0.7], [1.0, -1.0, 1.0]
    state = system.state(q, v)
    assert ls.closure(system, state).redundant["gear"] == ("crank - rocker = 0",)
    expected = ls.forward_dynamics(free, free.state(q, v), {"crank": 1.0})
    for method in METHODS:
        found = ls.forward_dynamics(system, state, {"crank": 1.0}, method=method)
        assert error(found, expected) < 1e-11
    run = ls.simulate(system, state, duration=1.0)
    same = ls.simulate(free, free.state(q, v), duration=1.0)
    assert run.status == "finished" and error(run.q[-1], same.q[-1]) < 1e-7


def test_inverse_dynamics_of_one_actuator():
    system = geared_rotors()
    state = system.state()
    vdot = ls.forward_dynamics(system, state, {"motor": 0.7})
    for actuated, torque in (("motor", [0.7, 0.0]), ("wheel", [0.0, 2.1])):
        # a torque at the wheel is worth a ninth of its work at the motor: tau_w / 3 = -tau_m
        sign = 1 if actuated == "motor" else -1
        found = ls.inverse_dynamics(system, state, vdot, actuated=[actuated])
        assert error(found, sign * np.array(torque)) < 1e-12
    with pytest.raises(ls.StateError, match=r"couplings \('gear'\).* actuated"):
        ls.inverse_dynamics(system, state, vdot)
    with pytest.raises(ls.StateError, match="violate coupling 'gear' by 1 per s"):
        ls.inverse_dynamics(system, state, [1.0, 0.0], actuated=["motor"])


def test_joint_forces_and_accelerations_of_frames_count_the_coupling():
    system, state = geared_rotors(), geared_rotors().state()
    force = ls.coupling_forces(system, state, {"motor": 0.7})[0]
    wrench = ls.joint_forces(system, state, forces={"motor": 0.7})
    # the whole moment through a joint: motor torque and gear
    assert error(wrench[:, 2], [0.7 + force, 3 * force]) < 1e-13
    assert ls.acceleration(system, state, "wheel")[2] == 0.0


@pytest.mark.parametrize("offset", [0.0, 2.0])
def test_assemble_moves_a_state_onto_the_coupling(offset):
    system = geared_rotors(offset=offset)
    state = ls.assemble(system, system.state(motor=90.0, **{"motor.rates": 6.0}), held=["motor"])
    assert error(state.q, [90.0, (offset - 90.0) / 3]) < 1e-14
    assert error(state.v, [6.0, -2.0]) < 1e-14
    near = ls.assemble(system, system.state(motor=1.0))
    assert abs(near.q @ [1, 3] - offset) < 1e-14 and near.q[0] != 1.0


def test_flexible_arm_by_all_methods():
    system, tree = flexible_arm(), flexible_arm(coupled=False)
    given = system.state(
        upper=0.4, cart=0.1, **{"upper.rates": 1.0, "lower.modes": [0.01, 0, 0, 0]}
    )
    state = ls.assemble(system, given, held=["upper"])
    assert error(state["lower.modes"], [0.01, 0, 0, 0]) < 1e-15  # hinges move first
    found = [ls.forward_dynamics(system, state, {"cart": 2.0}, method=m) for m in METHODS]
    for other in found[1:]:
        assert error(other, found[0]) < 1e-10
    # the tree with the forces of the couplings
    forces = np.zeros(system.n_v)
    for coupling, force in zip(
        system.couplings, ls.coupling_forces(system, state, {"cart": 2.0}), strict=True
    ):
        for i, k, ratio in zip(coupling.bodies, coupling.entries, coupling.ratios, strict=True):
            forces[system.layout.hinge_v(i).start + k] += ratio * force
    forces[system.layout.hinge_v("cart")] += 2.0
    assert error(ls.forward_dynamics(tree, tree.state(state.q, state.v), forces), found[0]) < 1e-10


def test_system_with_couplings_pickles_and_copies():
    system = flexible_arm()
    state = ls.assemble(system, system.state(upper=0.4))
    expected = ls.forward_dynamics(system, state)
    for other in (pickle.loads(pickle.dumps(system)), copy.deepcopy(system)):
        found = ls.forward_dynamics(other, other.state(state.q, state.v))
        assert np.array_equal(found, expected)


def test_violated_coupling_is_refused_with_the_remedy():
    system = geared_rotors()
    for function in (ls.forward_dynamics, ls.coupling_forces, ls.joint_forces):
        with pytest.raises(ls.StateError, match=r"'gear', motor \+ 3 wheel = 0.* 0.5; .*assemble"):
            function(system, system.state(motor=0.5))
        with pytest.raises(ls.StateError, match=r"speeds contradict coupling 'gear'.*assemble"):
            function(system, system.state(**{"motor.rates": 0.5}))


def test_couplings_that_contradict_each_other_are_named():
    model = ls.Model("stuck")
    model.add(rotor(0.1), ls.Revolute("z"), name="a")
    model.add(rotor(0.1), ls.Revolute("z"), name="b")
    model.couple({"a": 1.0, "b": -1.0}, name="one")
    model.couple({"a": 1.0, "b": -1.0}, offset=0.5, name="two")
    system = model.compile()
    with pytest.raises(ls.SingularError, match="couplings 'one', 'two' contradict each other") as e:
        ls.assemble(system)
    assert e.value.loops == ("one", "two")
    gear = geared_rotors()
    with pytest.raises(ls.SingularError, match="couplings cannot be satisfied while 'motor', 'whe"):
        ls.assemble(gear, gear.state(motor=1.0), held=["motor", "wheel"])
    speeds = gear.state(**{"motor.rates": 1.0})
    with pytest.raises(ls.StateError, match="contradict coupling 'gear', motor"):
        ls.assemble(gear, speeds, held=["motor", "wheel"])


def test_loop_and_coupling_that_contradict_each_other_are_named():
    system = coupled_four_bar({"crank": 1.0}, offset=0.5)
    with pytest.raises(ls.SingularError, match="cannot be satisfied|cannot be closed"):
        ls.assemble(system, system.state(crank=2.5, coupler=0.3, rocker=1.8), held=["crank"])
    assert four_bar().couplings == ()
