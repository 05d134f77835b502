"""Section loads of beams against closed forms, equilibrium and an independent sum."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import lissom as ls

SECTION, MATERIAL, LENGTH = ls.Rectangle(0.04, 0.06), ls.ALUMINIUM, 1.6
LINE_MASS = MATERIAL.density * SECTION.area
AT = np.array([0.0, 0.13, 0.8, 1.47, LENGTH])
LEVELS = ("full", "linear", "ruthless", "stiffened")


def boom(**asked):
    return ls.beam(LENGTH, SECTION, MATERIAL, **asked)


def on_joint(joint, gravity=(0, 0, 0), **asked):
    model = ls.Model("boom", gravity=gravity)
    model.add(boom(**asked), joint, name="boom")
    return model.compile()


@pytest.mark.parametrize("asked", [{"bending": 1, "torsion": 0}, {"modes": 6, "shapes": "clamped"}])
def test_a_cantilever_carries_its_weight(asked):
    g = np.array([2.0, -3.0, -9.81])
    system = on_joint(ls.Fixed(), g, **asked)
    state, rest = system.neutral(), np.zeros(system.n_v)
    found = ls.section_loads(system, state, "boom", AT, acceleration=rest)
    out = LENGTH - AT
    n, q_y, q_z = LINE_MASS * g[:, None] * out
    m_y, m_z = -LINE_MASS * g[2] * out**2 / 2, LINE_MASS * g[1] * out**2 / 2
    assert np.allclose(found, np.stack([n, q_y, q_z, 0 * n, m_y, m_z], axis=1), atol=1e-9)


@pytest.mark.parametrize("bending", [1, 4])
def test_a_spinning_boom_is_pulled_by_the_mass_beyond(bending):
    system = on_joint(ls.Revolute("z"), bending=bending)
    state = system.state(**{"boom.rates": 7.0})
    found = ls.section_loads(system, state, "boom", AT, acceleration=np.zeros(system.n_v))
    pull = LINE_MASS * 7.0**2 * (LENGTH**2 - AT**2) / 2
    assert np.allclose(found[:, 0], pull, rtol=1e-12, atol=1e-10)
    assert np.abs(found[:, 1:]).max() < 1e-10


def test_a_slewing_boom_carries_the_inertia_of_its_rotation_and_of_its_vibration():
    """Its rigid rotation, with the rotary inertia of the sections; mode shapes as polynomials."""
    system, alpha = on_joint(ls.Revolute("z"), bending=(3, 0), torsion=0, stretch=0), 5.0
    rates = np.array([40.0, -9.0, 3.0])
    acceleration = np.concatenate([rates, [alpha]])
    found = ls.section_loads(system, system.neutral(), "boom", AT, acceleration=acceleration)
    nodes = np.linspace(0, LENGTH, 25)
    across = np.polynomial.Polynomial.fit(
        nodes, alpha * nodes + system.bodies[0].node_shapes[:25, 4] @ rates, 4
    )
    once = across.integ()
    shear = -LINE_MASS * (once(LENGTH) - once(AT))
    distance = np.polynomial.Polynomial.fit(nodes, nodes, 1)
    arm = (across * distance).integ()
    moment = -LINE_MASS * (arm(LENGTH) - arm(AT)) - shear * AT
    turned = MATERIAL.density * SECTION.second_moment_z * alpha * (LENGTH - AT)
    assert np.allclose(found[:, 1], shear, rtol=1e-10, atol=1e-9)
    assert np.allclose(found[:, 5], moment - turned, rtol=1e-10, atol=1e-9)


def test_a_connecting_rod_bends_as_the_textbook_says():
    """Uniform rod between pins under the inertia of its transverse acceleration, linear along it.

    M = EI v'' has M'' = w = -mu (a_A + (a_B - a_A) x / L) and vanishes at both pins:
    M = -mu (a_A (x^2 - L x) / 2 + (a_B - a_A) (x^3 / L - L x) / 6), y across the rod.
    """
    r, length, speed = 0.3, 1.0, 11.0
    model = ls.Model("slider-crank")
    model.add(
        ls.RigidBody.rod(mass=2.0, length=r, com=(r / 2, 0, 0)), ls.Revolute("z"), name="crank"
    )
    rod = ls.beam(length, SECTION, MATERIAL, bending=0, stretch=0)
    model.add(rod, ls.Revolute("z"), to="crank", at=(r, 0, 0), name="rod")
    model.add(ls.RigidBody(3.0), ls.Prismatic("x"), name="slider")
    model.close(ls.Revolute("z"), "rod.tip", "slider", name="pin")
    system = model.compile()
    angle = np.arcsin(-r * np.sin(0.4) / length)
    start = system.state(
        crank=0.4, rod=angle - 0.4, slider=r * np.cos(0.4) + length * np.cos(angle)
    )
    drive = ls.Motion("crank", lambda t: 0.4 + speed * t)
    start = ls.assemble(system, start, loads=[drive])
    run = ls.simulate(system, start, duration=0.3, loads=[drive], output_step=0.02)
    x = np.array([0.2, 0.5, 0.9])
    theta = 0.4 + speed * run.time
    phi = np.arcsin(-r / length * np.sin(theta))
    rate = -r * speed * np.cos(theta) / (length * np.cos(phi))
    change = (r * speed**2 * np.sin(theta) + length * rate**2 * np.sin(phi)) / (
        length * np.cos(phi)
    )
    pin = -r * speed**2 * np.stack([np.cos(theta), np.sin(theta)])
    a_start = -np.sin(phi) * pin[0] + np.cos(phi) * pin[1]  # across the rod
    a_end = a_start + length * change
    mu, a, b = LINE_MASS, a_start[:, None], (a_end - a_start)[:, None]
    moment = -mu * (a * (x**2 - length * x) / 2 + b * (x**3 / length - length * x) / 6)
    # the rotary inertia of the slices, alike everywhere, is carried by the pins alone
    found = run.along("rod", "section_moment", x)[:, :, 2]
    assert np.abs(found - moment).max() < 1e-6 * np.abs(moment).max()


def arm(level, shapes="static", gravity=(1.0, 2.0, -9.81)):
    """Two beams, one of them turned, bodies and loads on their nodes, closed by a loop."""
    model = ls.Model("arm", gravity=gravity)
    link = ls.beam(1.3, SECTION, MATERIAL, level=level, shapes=shapes, torsion=2)
    model.add(link, ls.Spherical(), name="a")
    turned = ls.beam(0.9, ls.Tube(0.03, 0.003), MATERIAL, level=level, shapes=shapes)
    turned = turned.turned({"axis": "z", "angle": 0.5})
    model.add(turned, ls.Universal("y", "z"), to="a.tip", name="b")
    model.add(
        ls.RigidBody.box(2.0, (0.1, 0.2, 0.3), com=(0.2, 0, 0)),
        ls.Revolute("x"),
        to="a",
        node=7,
        name="c",
    )
    if level != "ruthless":  # which loops do not take
        model.close(ls.Spherical(), "b.tip", None, at_b=(1.9, 0.5, 0.1), name="pin")
    return model.compile()


def random_state(system, seed):
    rng = np.random.default_rng(seed)
    q = np.array(system.neutral().q)
    for i in range(system.n_body):
        piece = system.layout.modal_q(i)
        q[piece] = 0.01 * rng.standard_normal(piece.stop - piece.start)
    return ls.assemble(system, system.state(q, rng.standard_normal(system.n_v))), rng


@pytest.mark.parametrize("level", LEVELS)
def test_root_loads_are_the_reaction_of_the_joint_and_shear_jumps_by_the_load(level):
    system = arm(level)
    state, rng = random_state(system, 3)
    external = {
        "a.12": rng.normal(size=6),
        "a.tip": rng.normal(size=6),
        "b.tip": 9 * rng.normal(size=6),
    }
    reactions = ls.joint_forces(system, state, external=external)
    turn = np.array([[np.cos(0.5), -np.sin(0.5), 0], [np.sin(0.5), np.cos(0.5), 0], [0, 0, 1]])
    for body, axes in (("a", np.eye(3)), ("b", turn)):
        root = ls.section_loads(system, state, body, 0.0, external=external)
        moment, force = reactions[system.names.index(body)].reshape(2, 3) @ axes
        assert (
            np.abs(root + np.concatenate([force, moment])).max() < 1e-10 * np.abs(reactions).max()
        )
    at = 1.3 / 2 + np.array([0.0, 1e-7])
    before, after = ls.section_loads(system, state, "a", at, external=external)
    jump = np.concatenate([external["a.12"][3:], external["a.12"][:3]])
    assert np.allclose(before - after, jump, atol=1e-5 * np.abs(before).max())


def random_tree(seed):
    """Beams and rigid bodies on joints of many kinds, at random nodes of each other."""
    rng = np.random.default_rng(seed)
    model = ls.Model("tree", gravity=rng.normal(size=3) * 5)
    joints = [ls.Revolute("y"), ls.Spherical(), ls.Prismatic("x"), ls.Fixed(), ls.Free()]
    beams = []
    for k in range(7):
        axes = Rotation.random(rng=rng).as_matrix()
        place = {"rotation": axes, "name": f"b{k}"}
        if k:
            place |= {"to": f"b{rng.choice(beams)}", "node": int(rng.integers(25))}
        if k % 3 == 2:
            body = ls.RigidBody.box(1.5, (0.1, 0.2, 0.3), com=rng.normal(size=3) / 5)
        else:
            level, shapes = LEVELS[rng.integers(2)], ("static", "clamped")[rng.integers(2)]
            body = ls.beam(rng.uniform(0.5, 2), SECTION, MATERIAL, level=level, shapes=shapes)
            beams.append(k)
        model.add(body, joints[rng.integers(5)], **place)
    system = model.compile()
    q = np.array(system.neutral().q)
    for i in range(system.n_body):
        piece = system.layout.modal_q(i)
        q[piece] = 0.02 * rng.normal(size=piece.stop - piece.start)
    state = system.state(q, rng.normal(size=system.n_v))
    return system, state, {f"b{k}.{rng.integers(25)}": rng.normal(size=6) * 20 for k in beams}


@pytest.mark.parametrize("seed", range(6))
def test_root_loads_are_the_reactions_of_random_trees(seed):
    system, state, external = random_tree(seed)
    reactions = ls.joint_forces(system, state, external=external)
    for i, name in enumerate(system.names):
        if system.bodies[i].line is not None:
            root = ls.section_loads(system, state, name, 0.0, external=external)
            expected = np.concatenate([reactions[i, 3:], reactions[i, :3]])
            assert np.abs(root + expected).max() < 1e-10 * np.abs(reactions).max()


@pytest.mark.parametrize("rate_linear", [False, True])
def test_runs_are_in_balance_too(rate_linear):
    system = arm("ruthless" if rate_linear else "full")  # the former without its loop
    start = ls.assemble(system, system.state(**{"c.rates": 5.0}))
    force = ls.NodeForce("a.12", force=(3.0, -40.0, 20.0))
    run = ls.simulate(
        system,
        start,
        duration=0.02,
        step=1e-4,
        loads=[force],
        rate_linear=rate_linear,
        integrator="generalized_alpha",
        output_step=0.005,
    )
    found = np.hstack([run["a.section_moment"], run["a.section_force"]])
    assert np.abs(found + run["a.reaction"]).max() < 1e-9 * np.abs(run["a.reaction"]).max()
    jump = run.along("a", "section_force", [0.65, 0.65 + 1e-8])
    size = np.linalg.norm(jump[:, 0] - jump[:, 1], axis=1)
    assert np.allclose(size, np.linalg.norm([3.0, -40.0, 20.0]), rtol=1e-4)


def test_inner_sections_carry_the_mass_times_the_acceleration_of_points_beyond():
    """Accelerations by differences of places; a thin beam, whose slices do not resist turning."""
    thin = ls.Circle(1e-4)
    model = ls.Model("free", gravity=(0.3, -9.0, 2.0))
    model.add(ls.beam(1.0, thin, ls.STEEL, bending=3, torsion=0), ls.Free(), name="beam")
    system = model.compile()
    rng, n = np.random.default_rng(8), system.bodies[0].n_mode
    mu = ls.STEEL.density * thin.area
    scale = np.sqrt(mu)  # modal coordinates [kg^0.5 m]
    eta, rate, change = scale * rng.normal(size=(3, n)) * np.array([[0.05], [0.5], [4.0]])
    spin, turning, moving, pushing = rng.normal(size=(4, 3))

    def points(t):
        """Positions of the nodes in the world at a small time, by Taylor's series."""
        w = spin * t + turning * t**2 / 2  # the turn to second order
        angle = np.linalg.norm(w) or 1.0
        e = w / angle
        modes = eta + rate * t + change * t**2 / 2
        place = system.bodies[0].node_positions[:25] + system.bodies[0].node_shapes[:25, 3:] @ modes
        turned = place * np.cos(angle) + np.cross(e, place) * np.sin(angle)
        turned += np.outer(place @ e, e) * (1 - np.cos(angle))
        return (turned if t else place) + moving * t + pushing * t**2 / 2

    h = 1e-3
    acceleration = (points(h) - 2 * points(0.0) + points(-h)) / h**2 - system.gravity
    state = system.state(
        np.concatenate([eta, [1, 0, 0, 0], np.zeros(3)]), np.concatenate([rate, spin, moving])
    )
    # the velocity of a Free joint is in body axes, its rate loses the turn of these
    given = np.concatenate([change, turning, pushing - np.cross(spin, moving)])
    found = ls.section_loads(system, state, "beam", [0.25, 0.5], acceleration=given)
    s, here = np.linspace(0, 1, 25), points(0.0)
    for k, row in zip((6, 12), found, strict=True):
        across = [np.polynomial.Polynomial.fit(s, acceleration[:, c], 6) for c in range(3)]
        place = [np.polynomial.Polynomial.fit(s, here[:, c] - here[k, c], 6) for c in range(3)]
        force = -mu * np.array([f.integ()(1.0) - f.integ()(s[k]) for f in across])
        moments = [place[a] * across[b] - place[b] * across[a] for a, b in ((1, 2), (2, 0), (0, 1))]
        moment = -mu * np.array([f.integ()(1.0) - f.integ()(s[k]) for f in moments])
        theta = system.bodies[0].node_shapes[k, :3] @ eta
        turn = Rotation.from_rotvec(theta).as_matrix()
        assert np.allclose(row, np.concatenate([turn.T @ force, turn.T @ moment]), atol=2e-5 * mu)


def test_sections_that_do_not_exist_and_beams_that_were_changed_are_named():
    system = on_joint(ls.Fixed())
    state = system.neutral()
    with pytest.raises(ls.StateError, match=r"at is 1.7; expected distances .* 0 to 1.6 m"):
        ls.section_loads(system, state, "boom", 1.7)
    with pytest.raises(ls.StateError, match="there is no body 'bom'; did you mean 'boom'"):
        ls.section_loads(system, state, "bom")
    model = ls.Model("changed")
    given = boom()
    heavy = np.array(given.masses)
    heavy[24] = 1.0
    model.add(dataclasses.replace(given, masses=heavy), ls.Fixed(), name="boom")
    model.add(ls.RigidBody(1.0), ls.Fixed(), to="boom.tip", name="tool")
    system = model.compile()
    with pytest.raises(ls.StateError, match="'boom' are unknown: its masses"):
        ls.section_loads(system, system.neutral(), "boom")
    with pytest.raises(ls.StateError, match="'tool' has no sections"):
        ls.section_loads(system, system.neutral(), "tool")
