"""The recipe of docs/coming_from/mujoco.md on models of many kinds: accelerations are MuJoCo's."""

from __future__ import annotations

import doctest
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import lissom as ls
from tests.references.mujoco_robot import ROBOT
from tests.references.peers import peer

PAGE = Path(__file__).parents[2] / "docs/coming_from/mujoco.md"
BOX = '<geom type="box" size="0.1 0.07 0.03" mass="1.5" pos="0.05 0.02 0"/>'
ROD = '<geom type="capsule" fromto="0 0 0 0.1 0 -0.4" size="0.02" mass="0.7"/>'


def body(inside: str, more: str = 'pos="0.1 -0.2 0.3" quat="0.9 0.1 0.3 -0.3"') -> str:
    return f"<body {more}>{inside}</body>"


TWO = '<joint axis="0 1 0" pos="0.1 0 0"/><joint axis="1 0 0.3" pos="0 0.1 -0.05"/>'
WORLDS = {
    "robot of all joints": ROBOT.split("<worldbody>")[1].split("</worldbody>")[0],
    "two hinges beside each other": body(TWO + BOX),
    "two hinges, then a child with a slide": body(
        TWO + BOX + body('<joint type="slide" axis="1 1 0" pos="0.3 0 0"/>' + ROD)
    ),
    "hinge, slide and hinge in a child": body(
        f'<joint pos="0 0 0.1"/>{ROD}'
        + body(
            '<joint axis="0 1 1"/><joint type="slide" axis="0 0 1"/><joint axis="1 0 0" '
            f'pos="0 0.2 0"/>{BOX}'
        )
    ),
    "slides and a ball off the origin in one body": body(
        '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>'
        f'<joint type="ball" pos="0.1 0.2 0"/>{BOX}'
    ),
    "free body that carries a hinge": body("<freejoint/>" + BOX + body("<joint/>" + ROD)),
    "two free bodies": body("<freejoint/>" + BOX) + body("<freejoint/>" + ROD),
    "geoms of the world": '<geom type="plane" size="1 1 1"/>' + BOX + body("<joint/>" + ROD),
    "bodies without joints": body(BOX + body("<joint/>" + ROD + body(BOX))),
    "body without joints and mass": body(body('<joint axis="1 0 0"/>' + ROD)),
    "nested frames": '<frame pos="1 2 3" euler="0.3 0.1 -0.4"><frame quat="0.5 0.5 0.5 0.5">'
    + body(f'<frame pos="0.1 0 0" euler="0.2 0 0"><joint axis="0 1 0"/>{ROD}</frame>')
    + "</frame></frame>",
    "reference angles": body('<joint axis="0 1 0" ref="0.4"/><joint axis="1 0 0" ref="-1"/>' + BOX),
    "names with points and without": body('<joint name="a.b"/><joint axis="1 0 0"/>' + BOX)
    + body("<joint/>" + BOX, 'name="x.y"'),
    "site of the world": '<site name="mark" pos="1 2 3"/>' + body(f'<joint/>{ROD}<site name="s"/>'),
}


@pytest.fixture(scope="module")
def recipe() -> SimpleNamespace:
    """Functions of the page."""
    mujoco = peer("mujoco")
    space = {"mujoco": mujoco, "np": np, "ls": ls}
    examples = doctest.DocTestParser().get_examples(PAGE.read_text(encoding="utf-8"))
    wanted = ("def ", "HINGE", "MAKE")
    for example in examples:
        if example.source.startswith(wanted):
            exec(example.source, space)
    return SimpleNamespace(**space)


def compiled(recipe, world: str):
    text = '<mujoco><compiler angle="radian"/><option gravity="0.7 -1.3 -9.81">'
    text += '<flag contact="disable"/></option><worldbody>' + world + "</worldbody></mujoco>"
    return recipe.mujoco.MjModel.from_xml_string(text)


def moving(recipe, m, seed: int):
    """Data in a random state."""
    rng, d = np.random.default_rng(seed), recipe.mujoco.MjData(m)
    d.qpos, d.qvel = rng.normal(size=m.nq), rng.normal(size=m.nv)
    recipe.mujoco.mj_normalizeQuat(m, d.qpos)
    recipe.mujoco.mj_forward(m, d)
    return d


def accelerations(recipe, m, d, system, state) -> np.ndarray:
    """Ours, with those of free joints as MuJoCo has them."""
    vdot = ls.forward_dynamics(system, state)
    answers = vdot.copy()
    for j in np.flatnonzero(m.jnt_type == recipe.FREE):
        q, v = m.jnt_qposadr[j], m.jnt_dofadr[j]
        turn, rate = recipe.matrix(d.qpos[q + 3 : q + 7]), d.qvel[v + 3 : v + 6]
        speed = turn.T @ d.qvel[v : v + 3]
        answers[v : v + 3] = turn @ (vdot[v + 3 : v + 6] + np.cross(rate, speed))
        answers[v + 3 : v + 6] = vdot[v : v + 3]
    return answers


@pytest.mark.parametrize("world", WORLDS)
def test_forward_dynamics_of_a_model_taken_over_is_that_of_mujoco(recipe, world):
    m = compiled(recipe, WORLDS[world])
    model, joints, origin = recipe.from_mujoco(m)
    system = model.compile()
    assert system.n_v == m.nv and len(joints) == m.njnt
    for seed in range(3):
        d = moving(recipe, m, seed)
        state = recipe.state_of(system, m, d, joints)
        ours = accelerations(recipe, m, d, system, state)
        np.testing.assert_allclose(ours, d.qacc, atol=1e-10 * (1 + abs(d.qacc).max()))
        for i in range(m.nsite):
            place = ls.pose(system, state, m.site(i).name).position
            np.testing.assert_allclose(place, d.site_xpos[i], atol=1e-12)
        for k, name in enumerate(origin):
            if name is not None:
                pose = ls.pose(system, state, name)
                back = pose.position - pose.rotation @ origin[name]
                np.testing.assert_allclose(back, d.xpos[k], atol=1e-12)


@pytest.mark.parametrize(
    ("world", "word"),
    [
        ('<body name="a"><joint/>{0}</body></worldbody><equality>'
         '<connect body1="a" anchor="0 0 1"/></equality><worldbody>', "neq"),
        ('<body><joint name="j"/>{0}</body></worldbody><tendon><fixed><joint joint="j" coef="1"/>'
         "</fixed></tendon><worldbody>", "ntendon"),
        ('<body mocap="true">{0}</body><body><joint/>{0}</body>', "nmocap"),
        ('<body gravcomp="1"><joint/>{0}</body>', "gravcomp"),
    ],
)  # fmt: skip
def test_what_has_no_counterpart_is_refused_by_name(recipe, world, word):
    m = compiled(recipe, world.format(BOX))
    with pytest.raises(NotImplementedError, match=word):
        recipe.from_mujoco(m)


def test_a_model_of_nothing_that_moves_is_refused_by_lissom(recipe):
    model, joints, _ = recipe.from_mujoco(compiled(recipe, BOX))
    assert joints == []
    with pytest.raises(ls.ModelError, match="has no bodies"):
        model.compile()
