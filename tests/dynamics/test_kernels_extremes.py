"""The compiled text against the readable one where numbers are far apart or many.

The readable text loses digits here as well, so forward dynamics is held to its residual and to
what the conditioning permits, and direct quantities to the sums of their absolute terms.
"""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings, strategies as st

import lissom as ls
from tests.references.reference_quantities import Reference
from tests.samples.kernel_cases import (
    GRAVITY,
    JOINTS,
    chain,
    far_state,
    flexible,
    rigid,
    scaled_flexible,
    scaled_rigid,
)
from tests.tools.kernel_comparison import (
    NEARLY_SINGULAR,
    RESIDUAL,
    Findings,
    compare,
)
from tests.tools.term_sizes import TermSizes


def extremes(examples):
    """The same examples on every run."""
    return settings(
        derandomize=True,
        deadline=None,
        max_examples=examples,
        database=None,
        phases=[Phase.generate],  # looking for a smaller failure would take minutes
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )


class Link(NamedTuple):
    """A body of an extreme tree; its numbers are powers of ten."""

    parent: int
    node: str
    joint: str
    log_mass: int
    log_size: int
    log_hertz: list[int]
    lumps: bool
    level: str


def links(*, masses=(0, 0), sizes=(0, 0), frequencies=(0, 2)):
    """Links of trees with two to seven bodies; those without frequencies are rigid."""
    link = st.builds(
        Link,
        parent=st.integers(0, 6),
        node=st.sampled_from(["", ".tip", ".side"]),
        joint=st.sampled_from(sorted(JOINTS)),
        log_mass=st.integers(*masses),
        log_size=st.integers(*sizes),
        log_hertz=st.lists(st.integers(*frequencies), max_size=4),
        lumps=st.booleans(),
        level=st.sampled_from(["full", "linear"]),
    )
    return st.lists(link, min_size=2, max_size=7)


def tree_of(plan) -> ls.System:
    """The mechanism of a list of links."""
    model = ls.Model("extreme", gravity=GRAVITY)
    for k, link in enumerate(plan):
        mass, size = 10.0**link.log_mass, 10.0**link.log_size
        body = scaled_rigid(k, mass, size)
        if link.log_hertz:
            hertz = 10.0 ** np.array(link.log_hertz)
            body = scaled_flexible(k, mass, size, hertz, lumps=link.lumps, level=link.level)
        where = {}
        if k:
            p = link.parent % k
            arm = 10.0 ** plan[p].log_size * np.array([0.3, -0.1, 0.2])
            where = {"to": f"b{p}{link.node if plan[p].log_hertz else ''}", "at": arm}
        model.add(body, JOINTS[link.joint], name=f"b{k}", **where)
    return model.compile()


def judge(system, state, rng, *, plain=False):
    """All functions; a state that is nearly singular is left out."""
    assume(Reference(system, state).hinge_margin() > NEARLY_SINGULAR)
    check(system, state, rng, plain=plain)


def check(system, state, rng, *, plain=False):
    """All functions at a state that is regular."""
    failures = compare("tree", system, state, rng, frames=2, plain=plain)
    assert not failures, "\n".join(failures)


SEEDS = st.integers(0, 99)


@extremes(40)
@given(links(masses=(-6, 6)), SEEDS)
def test_masses_over_twelve_decades(plan, seed):
    system = tree_of(plan)
    rng = np.random.default_rng(seed)
    judge(system, far_state(system, rng), rng, plain=True)


@extremes(40)
@given(links(sizes=(-4, 4), masses=(-3, 3)), SEEDS)
def test_very_long_and_very_short_bodies(plan, seed):
    system = tree_of(plan)
    rng = np.random.default_rng(seed)
    judge(system, far_state(system, rng, deformation=1e-3), rng, plain=True)


@extremes(40)
@given(links(frequencies=(-3, 6)), st.integers(-9, 2), SEEDS)
def test_soft_and_stiff_modes(plan, log_deformation, seed):
    """Node rotations range from 1e-9 rad to many turns."""
    system = tree_of(plan)
    rng = np.random.default_rng(seed)
    judge(system, far_state(system, rng, deformation=10.0**log_deformation), rng)


@extremes(25)
@given(links(), st.integers(-8, 3), SEEDS)
def test_slow_and_fast_motion(plan, log_speed, seed):
    system = tree_of(plan)
    rng = np.random.default_rng(seed)
    judge(system, far_state(system, rng, speed=10.0**log_speed), rng)


@extremes(25)
@given(st.integers(3, 8), SEEDS)
def test_far_from_the_origin(log_distance, seed):
    """A free base as far as a satellite from the centre of the earth, and farther."""
    rng = np.random.default_rng(seed)
    model = ls.Model("far", gravity=GRAVITY)
    model.add(rigid(1), ls.Free(), name="base")
    model.add(flexible(1), ls.Revolute("x"), name="boom", to="base")
    model.add(rigid(2), ls.Spherical(), name="load", to="boom.tip")
    system = model.compile()
    state = far_state(system, rng)
    q, v = state.q.copy(), state.v.copy()
    q[4:7] = 10.0**log_distance * rng.standard_normal(3)
    v[3:6] = 7.5e3 * rng.standard_normal(3)
    judge(system, system.state(q, v), rng)


def star(n, carrier, nodes):
    """A free body with n children that take turns through its nodes, joints of all kinds."""
    model = ls.Model("star", gravity=GRAVITY)
    model.add(carrier, ls.Free(), name="hub")
    bodies = [rigid(1), flexible(1, lumps=True), rigid(2), flexible(2, level="linear")]
    for k in range(n):
        body = bodies[k % 4] if n < 100 else rigid(k % 5)
        joint = JOINTS[sorted(JOINTS)[k % len(JOINTS)]] if n < 100 else ls.Revolute("xyz"[k % 3])
        at = (np.cos(k), np.sin(k), 0.01 * k)
        model.add(body, joint, name=f"b{k}", to=f"hub{nodes[k % len(nodes)]}", at=at)
    return model.compile()


@pytest.mark.parametrize(
    "n, carrier, nodes",
    [
        (150, rigid(9), [""]),
        (40, flexible(9, n_node=7, n_mode=3, lumps=True), ["", ".tip", ".side", ".0", ".1", ".5"]),
    ],
    ids=["rigid", "flexible"],
)
def test_many_children_on_one_body(n, carrier, nodes):
    system, rng = star(n, carrier, nodes), np.random.default_rng(n)
    state = far_state(system, rng)
    failures = compare(f"star of {n}", system, state, rng, frames=3)
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize(
    "kind, ratio", [("soft", 1e3), ("soft", 1e12), ("beam", 1e3), ("beam", 1e6)]
)
def test_heavy_tip_on_flexible_links(kind, ratio):
    """A heavy tip on links that give way in all six directions, and on beams that do not."""
    link = flexible(3, n_node=8, n_mode=9, lumps=True)
    if kind == "beam":
        link = ls.beam(1.5, ls.Rectangle(width=0.02, height=0.03), ls.ALUMINIUM, modes=4)
    model = ls.Model("heavy", gravity=GRAVITY)
    for k, axis in enumerate("zyz"):
        model.add(link, ls.Revolute(axis), name=f"l{k}", **({"to": f"l{k - 1}.tip"} if k else {}))
    tip = scaled_rigid(1, ratio * link.masses.sum(), 0.2)
    model.add(tip, ls.Fixed(), name="tip", to="l2.tip")
    system, rng = model.compile(), np.random.default_rng(5)
    check(system, far_state(system, rng, deformation=1e-2), rng, plain=True)


@pytest.mark.parametrize(
    "joint, log_link, log_load, node, seed",
    [
        ("revolute x", -7, 0, ".tip", 59),
        ("universal xy", -7, 0, ".tip", 59),
        ("spherical", -7, 0, ".tip", 59),
        ("simple 3, ball", -6, 1, ".tip", 59),
        ("compound 6", -3, 6, ".side", 143),
        ("free", -3, 6, ".side", 143),
    ],
)
def test_light_flexible_link_under_a_heavy_load(joint, log_link, log_load, node, seed):
    """The link's one mode lets the load move in one direction of six."""
    link = Link(0, "", joint, log_link, 0, [0], lumps=False, level="linear")
    load = Link(0, node, "fixed", log_load, 0, [], lumps=False, level="linear")
    system, rng = tree_of([link, load]), np.random.default_rng(seed)
    check(system, far_state(system, rng), rng, plain=True)


LINKS = {
    "rigid": [scaled_rigid(k, 1.0, 0.5) for k in range(3)],
    "flexible": [flexible(k, stiffness=1e4, damping=0.01) for k in range(3)],
}


def norm_of_mass(of: Reference, n_v: int) -> float:
    """Largest eigenvalue of the mass matrix, from below, by power iteration without the matrix."""
    x = np.random.default_rng(0).standard_normal(n_v)
    for _ in range(3):
        y = of.multiply_mass(x)
        norm, x = np.linalg.norm(y) / np.linalg.norm(x), y / np.linalg.norm(y)
    return float(norm)


@pytest.mark.parametrize("kind", LINKS)
def test_chain_of_a_thousand_links(kind):
    system, rng = chain(1000, LINKS[kind]), np.random.default_rng(1)
    state = far_state(system, rng, deformation=1e-3, speed=0.1)
    of, findings = Reference(system, state), Findings(f"chain, {kind}")
    forces, vdot = rng.standard_normal((2, system.n_v))
    sizes = TermSizes(of).inverse_dynamics(vdot)
    findings.add(
        "inverse_dynamics",
        ls.inverse_dynamics(system, state, vdot),
        of.inverse_dynamics(vdot),
        sizes,
    )
    bias = of.bias_force()
    vdot = ls.forward_dynamics(system, state, forces)
    residual = np.linalg.norm(of.inverse_dynamics(vdot) - forces)
    norms = norm_of_mass(of, system.n_v) * np.linalg.norm(vdot) + np.linalg.norm(bias)
    findings.add("residual", residual, 0.0, norms + np.linalg.norm(forces), RESIDUAL)
    position, rotation = of.pose("link999")
    pose = ls.pose(system, state, "link999")
    findings.add("pose.position", pose.position, position, TermSizes(of).position[-1])
    findings.add("pose.rotation", pose.rotation, rotation, 1.0)
    findings.check()


def test_mass_matrix_of_a_long_chain():
    system, rng = chain(150, LINKS["flexible"]), np.random.default_rng(2)
    state = far_state(system, rng, deformation=1e-3)
    of, findings = Reference(system, state), Findings("chain of 150")
    findings.add("mass_matrix", ls.mass_matrix(system, state), of.mass_matrix, TermSizes(of).mass)
    findings.check()


def test_chain_of_ten_thousand_links():
    """Too long for the readable text: forward against inverse dynamics."""
    system, rng = chain(10_000, LINKS["rigid"]), np.random.default_rng(3)
    state = far_state(system, rng, speed=1e-2)
    forces = rng.standard_normal(system.n_v)
    vdot = ls.forward_dynamics(system, state, forces)
    back = ls.inverse_dynamics(system, state, vdot)
    bias = ls.bias_force(system, state)
    pull = np.linalg.norm(ls.inverse_dynamics(system, state, vdot) - bias)
    scale = pull + np.linalg.norm(bias) + np.linalg.norm(forces)
    assert np.linalg.norm(back - forces) <= RESIDUAL * scale
