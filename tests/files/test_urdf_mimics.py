"""Mimic joints of URDF files become couplings."""

from __future__ import annotations

import logging
import re
from functools import partial

import numpy as np
import pytest

import lissom as ls
from lissom import read_urdf
from tests.references.peers import peer
from tests.samples.urdf_files import ARM, robot_file, write_text
from tests.tools.measures import error

pin = peer("pin")

# With grippers.
ROBOTS = (
    "panda_description/urdf/panda.urdf",
    "pr2_description/urdf/pr2.urdf",
    "tiago_pro_description/robots/tiago_pro.urdf",
    "own",  # with a multiplier and an offset
)


@pytest.fixture
def write(tmp_path):
    return partial(write_text, tmp_path)


def test_a_mimic_is_a_coupling(write):
    robot = read_urdf(write(ARM))
    system = robot.model.compile()
    (coupling,) = system.couplings
    assert coupling.name == "slide_mimic" and coupling.offset == 0.1
    state = ls.assemble(system, system.state(upper=0.6), held=["upper"])
    assert error(state["slider"], [0.5 * 0.6 + 0.1]) < 1e-14
    assert "slide_mimic: coupling, slider - 0.5 upper = 0.1" in repr(robot.model)


def test_mimics_may_be_left_free(write):
    robot = read_urdf(write(ARM), mimics="free")
    assert robot.model.compile().couplings == () and robot.mimics["slide"].offset == 0.1
    with pytest.raises(ls.ModelError, match='mimics is True; use "couple" or "free"'):
        read_urdf(write(ARM), mimics=True)


def test_merged_links_keep_their_mimics(write):
    whole, merged = (read_urdf(write(ARM), merge_fixed=x).model.compile() for x in (False, True))
    vdot = []
    for system in (whole, merged):
        state = ls.assemble(system, system.state(upper=0.6, **{"upper.rates": 1.0}), held=["upper"])
        forward = ls.forward_dynamics(system, state, {"upper": 3.0})
        vdot.append([forward[system.layout.hinge_v(x)][0] for x in ("upper", "slider")])
    assert error(vdot[0], vdot[1]) < 1e-12


CHAIN = ARM.replace(
    "</robot>",
    """  <link name="finger"><inertial><mass value="0.1"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001"/></inertial></link>
  <joint name="grip" type="continuous">
    <parent link="slider"/><child link="finger"/><axis xyz="1 0 0"/>
    <mimic joint="slide" multiplier="-2" offset="0.3"/>
  </joint>
</robot>""",
)


def test_chains_of_mimics(write):
    system = read_urdf(write(CHAIN)).model.compile()
    state = ls.assemble(system, system.state(upper=0.6), held=["upper"])
    slide = 0.5 * 0.6 + 0.1
    assert error([*state["slider"], *state["finger"]], [slide, 0.3 - 2 * slide]) < 1e-14
    assert ls.closure(system, state).rank == 2


def test_multiplier_of_zero_is_a_lock(write):
    system = read_urdf(write(ARM.replace('multiplier="0.5"', 'multiplier="0"'))).model.compile()
    assert error(ls.assemble(system, system.state(upper=0.6))["slider"], [0.1]) < 1e-14


SLIDE = 'mimic joint="shoulder" multiplier'


@pytest.mark.parametrize(
    ("text", "old", "new", "words"),
    [
        (ARM, SLIDE, 'mimic joint="slide" multiplier', "joint 'slide' follows itself"),
        (ARM, SLIDE, 'mimic joint="weld" multiplier', "'weld' is fixed and does not have exactly"),
        (ARM, SLIDE, 'mimic joint="shoulders" multiplier', "did you mean 'shoulder'"),
        (CHAIN, SLIDE, 'mimic joint="grip" multiplier', "'slide' -> 'grip' -> 'slide' follow each"),
        (
            CHAIN.replace('"grip" type="continuous"', '"grip" type="floating"'),
            'mimic joint="slide"',
            'mimic joint="slide" ',
            "'grip' is floating and does not have exactly one coordinate",
        ),
    ],
)
def test_mistakes_are_named_by_line_and_element(write, text, old, new, words):
    changed = text.replace(old, new, 1)
    line = changed[: changed.index(new)].count("\n") + 1
    with pytest.raises(ls.ModelError) as failure:
        read_urdf(write(changed))
    assert words in str(failure.value)
    assert f"robot.urdf:{line}: <mimic" in str(failure.value)
    assert read_urdf(write(changed), mimics="free").model.compile()


def test_a_fixed_joint_follows_nothing(write, caplog):
    text = ARM.replace(
        '<origin xyz="0 0 1" rpy="0.1 0.2 0.3"/>', '<mimic joint="shoulder" multiplier="2"/>'
    )
    with caplog.at_level(logging.INFO, logger="lissom"):
        robot = read_urdf(write(text))
    assert list(robot.mimics) == ["slide"] and "'weld' is fixed and cannot follow" in caplog.text


@pytest.mark.parametrize("name", ROBOTS)
def test_dynamics_are_those_of_pinocchio_with_mimics(name, write):
    """Its model has the speeds of the joints that are followed only."""
    whole = re.sub("<inertia (?!.*ixy)", '<inertia ixy="0" ixz="0" iyz="0" ', ARM)
    path = write(whole) if name == "own" else robot_file(name)
    robot = read_urdf(path, unphysical="keep", meshes=False)
    system = robot.model.compile()
    model = pin.buildModelFromUrdf(str(path), mimic=True)
    data = model.createData()
    assert model.nv == system.n_v - len(robot.mimics) and robot.mimics
    assert len(system.couplings) == len(robot.mimics)
    rng = np.random.default_rng(3)
    v, tau = rng.normal(size=model.nv), rng.normal(size=model.nv)
    q = pin.integrate(model, pin.neutral(model), rng.normal(size=model.nv))
    free = [k for k in range(1, model.njoints) if model.names[k] not in robot.mimics]
    bodies = [robot.joints[model.names[k]] for k in free]
    pieces = {}
    for k, body in zip(free, bodies, strict=True):
        joint = model.joints[k]
        given = q[joint.idx_q : joint.idx_q + joint.nq]
        pieces[body] = given if joint.nq == 1 else [np.arctan2(given[1], given[0])]
        pieces[f"{body}.rates"] = v[joint.idx_v]
    state = ls.assemble(system, system.state(**pieces), held=bodies)
    order = np.zeros(model.nv, dtype=int)
    for k, body in zip(free, bodies, strict=True):
        order[model.joints[k].idx_v] = system.layout.hinge_v(body).start
    M = pin.crba(model, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    # the same matrix by the equations of the couplings
    found = ls.closure(system, state)
    B = found.basis @ np.linalg.inv(found.basis[order])
    reduced = B.T @ ls.mass_matrix(system, state) @ B
    assert np.abs(reduced - M).max() < 1e-11 * np.abs(M).max()
    vdot = np.linalg.solve(M, tau - pin.rnea(model, data, q, v, np.zeros(model.nv)))
    forces = np.zeros(system.n_v)
    forces[order] = tau
    for method in ("articulated", "composite"):
        forward = ls.forward_dynamics(system, state, forces, method=method)[order]
        assert np.abs(forward - vdot).max() < 1e-9 * np.linalg.cond(M) ** 0.5 * np.abs(vdot).max()
