"""Names in the tables of the migration pages exist, theirs and ours."""

from __future__ import annotations

import functools
import importlib
import re
from pathlib import Path

import pytest

import lissom as ls
from tests.references.peers import peer

FOLDER = Path(__file__).parents[2] / "docs/coming_from"


def words(page: str, pattern: str) -> set[str]:
    """What the pattern finds in the code within the tables of a page."""
    lines = (FOLDER / page).read_text(encoding="utf-8").splitlines()
    codes = re.findall(r"`([^`]+)`", "\n".join(x for x in lines if x.startswith("| ")))
    return set(re.findall(pattern, "\n".join(codes)))


def test_names_of_pinocchio_exist():
    pin = peer("pin")
    found = words("pinocchio.md", r"\bpin\.(\w+)")
    assert len(found) > 20 and [x for x in found if not hasattr(pin, x)] == []
    model = pin.buildSampleModelManipulator()
    for name in words("pinocchio.md", r"\bmodel\.(armature|\w+Limit|\w+Id)\b") | {"effortLimit"}:
        assert hasattr(model, name), name


def test_names_of_mujoco_exist():
    mujoco = peer("mujoco")
    found = words("mujoco.md", r"\b(mj[du]?_\w+|MjModel\.\w+|MjSpec)\b")
    assert len(found) > 8
    for name in found:
        functools.reduce(getattr, name.split("."), mujoco)
    model = mujoco.MjModel.from_xml_string("<mujoco><worldbody/></mujoco>")
    for name in words("mujoco.md", r"\bdata\.(\w+)"):
        assert hasattr(mujoco.MjData(model), name), name


def test_names_of_exudyn_exist():
    exudyn = peer("exudyn")
    mbs = exudyn.SystemContainer().AddSystem()
    found = words("exudyn.md", r"\b((?:Create|Solve|Compute|Assemble)\w*)")
    assert len(found) > 12 and [x for x in found if not hasattr(mbs, x)] == []
    items = importlib.import_module("exudyn.itemInterface")
    for name in words("exudyn.md", r"\b(Object[A-Z]\w+|Sensor[A-Z]\w+)"):
        assert hasattr(items, name), name
    others = {"FEM": "FEMinterface", "processing": "ParameterVariation ProcessParameterList"}
    others |= {"utilities": "RigidBodyInertia", "interactive": "SolutionViewer"}
    for module, listed in others.items():
        for name in listed.split():
            assert hasattr(importlib.import_module(f"exudyn.{module}"), name), name


@pytest.mark.parametrize("page", sorted(path.name for path in FOLDER.glob("*.md")))
def test_our_names_exist(page):
    for name in words(page, r"\bls\.((?:symbolic\.|viz\.|library\.)?\w+)"):
        functools.reduce(getattr, name.split("."), ls)
