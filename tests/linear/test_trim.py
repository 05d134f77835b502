"""Steady motions against closed forms and runs."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from tests.samples.mechanisms import pendulum

G = 9.81


def test_conical_pendulum():
    """A rod on a shaft that spins: cos(angle from the vertical) = 3 g / (2 L Omega^2)."""
    L, spin = 0.8, 6.0
    model = ls.Model("governor", gravity=(0, 0, -G))
    model.add(ls.RigidBody(0.0), ls.Revolute("z"), name="shaft")
    model.add(ls.RigidBody.rod(1.4, L, com=(L / 2, 0, 0)), ls.Revolute("y"), to="shaft", name="rod")
    system = model.compile()
    start = system.state(rod=0.9, **{"shaft.rates": spin})
    found = ls.trim(system, start, held=["shaft"])
    angle = np.arccos(3 * G / (2 * L * spin**2))  # from the vertical; q is from the horizontal
    assert np.isclose(found.state["rod"][0], np.pi / 2 - angle, atol=1e-12)
    assert np.allclose(found.forces, 0, atol=1e-9)
    # small motions about it: omega = Omega sin(angle)
    rate = 2 * np.pi * ls.modes(system, found.state, held=["shaft"]).frequencies[0]
    assert np.isclose(rate, spin * np.sin(angle))


@pytest.mark.parametrize("guess", [1.0, 80.0])
def test_steady_precession_of_a_top(guess):
    """C (spin + p cos a) p - A p^2 cos a = m g l has a slow and a fast root p."""
    m, length, A, C, spin, a = 0.5, 0.2, 0.03, 0.01, 150.0, 0.7
    own = np.diag([A - m * length**2, A - m * length**2, C])
    model = ls.Model("top", gravity=(0, 0, -G))
    model.add(ls.RigidBody(0.0), ls.Revolute("z"), name="precession")
    model.add(ls.RigidBody(0.0), ls.Revolute("x"), to="precession", name="nutation")
    body = ls.RigidBody(m, com=(0, 0, length), inertia=own)
    model.add(body, ls.Revolute("z"), to="nutation", name="spin")
    system = model.compile()
    start = system.state(nutation=a, **{"spin.rates": spin, "precession.rates": guess})
    found = ls.trim(system, start, fixed=["nutation"], speeds=["precession"])
    p = found.state["precession.rates"][0]
    roots = np.roots([(C - A) * np.cos(a), C * spin, -m * G * length])
    assert np.isclose(p, min(roots) if guess == 1.0 else max(roots), rtol=1e-9)
    assert found.state["nutation"][0] == a
    assert not np.any(found.forces)
    end = ls.simulate(system, found.state, duration=0.5).state(0.5)
    assert np.allclose(end.v, found.state.v, atol=1e-6)


def test_masses_on_springs_of_a_spinning_hub_move_outwards():
    """r = k r_0 / (k - m Omega^2), without any force on the hub."""
    k, m, r0, spin = 80.0, 0.5, 0.6, 7.0
    model = ls.Model("spinner")
    model.add(ls.RigidBody(3.0, inertia=np.diag([1.0, 1.2, 1.5])), ls.Free(), name="hub")
    loads = []
    for i, side in enumerate((1, -1)):
        name = f"mass{i}"
        model.add(
            ls.RigidBody(m), ls.Prismatic((side, 0, 0)), to="hub", at=(side * r0, 0, 0), name=name
        )
        loads.append(ls.JointSpring(name, k, damping=0.3))
    system = model.compile()
    tilted = [np.cos(0.4), 0, np.sin(0.4), 0, 1, 2, 3]
    start = system.state(hub=tilted, **{"hub.rates": [0, 0, spin, 0, 0, 0]})
    found = ls.trim(system, start, loads=loads)
    radius = k * r0 / (k - m * spin**2)
    assert np.allclose([found.state["mass0"][0], found.state["mass1"][0]], radius - r0)
    assert not np.any(found.forces)
    assert np.allclose(found.state["hub"], start["hub"])


def test_a_lopsided_body_turns_about_its_centre_of_mass():
    """Speeds of the hub are found: its centre of mass moves along the axis only."""
    com = np.array([0.3, -0.2, 0.1])
    model = ls.Model("body")
    model.add(ls.RigidBody(2.0, com=com, inertia=np.diag([1.0, 1.4, 2.0])), ls.Free(), name="body")
    system = model.compile()
    start = system.state(**{"body.rates": [0, 0, 3.0, 0, 0, 0]})
    found = ls.trim(system, start, speeds=["body"])
    w, v = np.split(found.state["body.rates"], 2)
    assert np.linalg.norm(w) > 1.0
    assert np.allclose(np.cross(w, v + np.cross(w, com)), 0, atol=1e-9)


def test_a_flexible_satellite_stays_in_its_trimmed_spin():
    boom = ls.beam(
        2.0, ls.Tube(radius=0.02, thickness=0.001), ls.ALUMINIUM, bending=3, level="stiffened"
    )
    model = ls.Model("satellite")
    model.add(ls.RigidBody.box(20.0, (1, 1, 1)), ls.Free(), name="hub")
    for i, angle in enumerate((0.0, np.pi)):
        turn = {"axis": "z", "angle": angle}
        at = 0.5 * np.array([np.cos(angle), np.sin(angle), 0])
        model.add(boom, ls.Fixed(), to="hub", at=at, rotation=turn, name=f"boom{i}")
        tip = ls.RigidBody.box(0.5, (0.1, 0.2, 0.1), com=(0, 0.05, 0))
        model.add(tip, ls.Fixed(), to=f"boom{i}.tip", name=f"tip{i}")
    system = model.compile()
    found = ls.trim(system, system.state(**{"hub.rates": [0, 0, 3.0, 0, 0, 0]}))
    assert np.abs(found.state["boom0.modes"]).max() > 5e-5
    run = ls.simulate(system, found.state, duration=1.0)
    assert np.allclose(run.v[-1], found.state.v, atol=1e-7)
    assert np.allclose(run["boom0.modes"], found.state["boom0.modes"], atol=1e-8)


def test_without_speeds_it_is_the_equilibrium_and_the_force_that_holds():
    model = ls.Model("arm", gravity=(0, 0, -G))
    boom = ls.beam(2.0, ls.Tube(radius=0.02, thickness=0.002), ls.ALUMINIUM, modes=4)
    model.add(boom, ls.Revolute("y"), name="upper")
    model.add(
        ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0)), ls.Revolute("y"), to="upper.tip", name="w"
    )
    system = model.compile()
    start = system.state(upper=0.3)
    found, rest = (
        ls.trim(system, start, held=["upper"]),
        ls.equilibrium(system, start, held="upper"),
    )
    assert np.allclose(found.state.q, rest.q, atol=1e-9)
    needed = ls.inverse_dynamics(system, rest, np.zeros(system.n_v))
    assert np.allclose(found.forces, needed, atol=1e-6)
    assert abs(found.forces[system.layout.hinge_v("upper")][0]) > 10
    assert "upper force" in repr(found)


def test_what_is_not_steady_is_refused_with_the_reason():
    system = pendulum()
    with pytest.raises(ls.SingularError, match="not steady.*'rod'"):
        ls.trim(system, system.state(**{"rod.rates": 3.0}), held=["rod"])
    with pytest.raises(ls.SingularError, match=r"no steady motion.*'rod'.*held=\['rod'\]"):
        ls.trim(system, system.state(), loads=[ls.Actuator("rod", 50.0)], fixed=["rod"])
    with pytest.raises(ls.StateError, match="both held and among speeds"):
        ls.trim(system, held=["rod"], speeds=["rod"])
    with pytest.raises(ls.StateError, match="follows a Motion"):
        ls.trim(
            system,
            system.state(**{"rod.rates": 1.0}),
            held=["rod"],
            loads=[ls.Motion("rod", lambda t: t)],
        )


def test_a_satellite_with_a_boom_that_turns_with_its_orbit():
    """The field turns, too; tension by gravity and rotation, 3 n^2 m r, stretches the boom."""
    rate, tip = 1e-3, 8.0
    tube = ls.Tube(radius=0.008, thickness=0.0004)
    boom = ls.beam(20.0, tube, ls.CARBON, bending=2, torsion=0, damping=0.0)
    model = ls.Model("satellite")
    model.add(ls.RigidBody(1e6, inertia=1e6 * np.eye(3)), ls.Free(), name="hub")
    model.add(boom, ls.Fixed(), to="hub", name="boom")
    model.add(ls.RigidBody(tip), ls.Fixed(), to="boom.tip", name="tip")
    system = model.compile()
    loads = [ls.GravityGradient(rate)]
    center = ls.center_of_mass(system, system.state())
    spin = [0, 0, rate, *np.cross([0, 0, rate], -center)]
    start = system.state(hub=[1, 0, 0, 0, *-center], **{"hub.rates": spin})
    steady = ls.trim(system, start, loads=loads).state
    stretched = ls.pose(system, steady, "tip").position - ls.pose(system, steady, "hub").position
    line = ls.CARBON.density * tube.area
    pull = 3 * rate**2 * (tip * 20.0**2 + line * 20.0**3 / 3) / ls.CARBON.youngs_modulus / tube.area
    assert np.isclose(stretched[0] - 20.0, pull, rtol=1e-2)
    with pytest.raises(ls.SingularError, match="not steady"):
        ls.trim(system, start.replace(v=2 * start.v), loads=loads)
