"""A few of the combinations that `make verify` judges by the ten thousand, and their judge."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lissom as ls
from tests import verify_matrix
from tests.feature_matrix import loads, mechanisms, operations, verdicts
from tests.feature_matrix.operations import EXEMPT, OPERATIONS
from tests.feature_matrix.verdicts import first_bad, verdict_of


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_combinations_give_finite_numbers_or_a_known_refusal(first):
    failed = [x for k in range(first, first + 10) if (x := verdict_of(k)).kind == "failed"]
    assert not failed, "\n".join(map(str, failed))


def test_every_public_function_is_an_operation_or_exempt():
    text = "".join(inspect.getsource(x) for x in (operations, loads, mechanisms))
    stub = Path(ls.__file__).with_suffix(".pyi").read_text("utf-8")
    names = [
        alias.asname or alias.name
        for node in ast.parse(stub).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    exempt = " ".join(EXEMPT).split()
    functions = [x for x in names if x[0].islower() and callable(getattr(ls, x))]
    unused = [x for x in functions if not re.search(rf"ls\.{x}\b", text) and x not in exempt]
    assert not unused


def test_every_load_joint_and_action_is_drawn():
    text = "".join(inspect.getsource(x) for x in (operations, loads, mechanisms))
    stub = Path(ls.__file__).with_suffix(".pyi").read_text("utf-8")
    bases = (ls.Load, ls.Joint, ls.Action, ls.Integrator)
    kinds = [
        x
        for x in re.findall(r"(\w+) as \1", stub)
        if isinstance(getattr(ls, x), type) and issubclass(getattr(ls, x), bases)
    ]
    abstract = {"Load", "Joint", "Action", "ClosedContact", "FactoredJoint", "Integrator"}  # bases
    methods = {x for x in kinds if issubclass(getattr(ls, x), ls.Integrator)}  # by their names
    assert [x for x in kinds if f"ls.{x}" not in text and x not in abstract | methods] == []
    for method in methods - abstract:
        assert any(f'"{name}"' in text for name in getattr(ls, method).names), method


@pytest.mark.parametrize(
    "result, bad",
    [
        (np.ones(3), ""),
        ({"a": [1.0, np.array([1.0, np.nan])]}, "result.a.1"),
        ((1, np.inf), "result.1"),
    ],
)
def test_numbers_that_are_not_finite_are_found(result, bad):
    assert first_bad(result) == bad


@pytest.mark.parametrize(
    "error, what",
    [
        (ZeroDivisionError("division by zero"), "ZeroDivisionError"),
        (np.linalg.LinAlgError("Singular matrix"), "LinAlgError"),
        (ls.StateError("joint 'b0' has a mood of its own"), "nobody looked at"),
        (ls.StateError("it does not work"), "names nothing"),
        (ls.LissomError("body 'b0'"), "generic"),
    ],
)
def test_what_is_no_known_refusal_is_a_failure(monkeypatch, error, what):
    def broken(case):
        raise error

    monkeypatch.setitem(OPERATIONS, next(iter(OPERATIONS)), broken)
    verdict = next(
        x
        for k in range(0, 99 * len(OPERATIONS), len(OPERATIONS))
        if what in (x := verdict_of(k)).what
    )
    assert verdict.kind == "failed"


def test_a_combination_that_hangs_is_a_failure(monkeypatch):
    def hangs(case):
        while True:
            pass

    monkeypatch.setattr(verdicts, "BOUND", 1)
    monkeypatch.setitem(OPERATIONS, list(OPERATIONS)[2], hangs)
    assert "more than 1 s" in verdict_of(2).what


def test_a_process_that_dies_is_the_failure_of_what_it_had_begun(monkeypatch):
    """The second of three combinations kills its process; the others have their verdicts."""
    death = "import os, sys, tests.verify_matrix as m\n" + (
        "m.verdict_of = lambda k: os._exit(7) if k == 1 else m.Verdict(k, 'mass', 'fine')\n"
        "m.work(int(sys.argv[-2]), int(sys.argv[-1]))\n"
    )
    start = subprocess.Popen

    def dying(command, **settings):
        return start([sys.executable, "-c", death, *command[-2:]], **settings)

    monkeypatch.setattr(verify_matrix.subprocess, "Popen", dying)
    first, second, third = verify_matrix.judged(0, 3)
    assert (first.number, second.number, third.number) == (0, 1, 2)
    assert second.kind == "failed" and "ended with 7" in second.what
    assert first.kind == third.kind == "fine"
