"""lissom selftest finds faults, and says so; docs/commands.md runs all of it without one."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

import lissom.cli as cli
import lissom.selftest as selftest
from lissom.model import Model
from lissom.results import Trajectory
from lissom.selftest import closed_forms, files, formulas, identities

CHECKS = {check.name: check for check in selftest.CHECKS}


def verdict(name):
    return selftest.run_check(CHECKS[name]).verdict


def test_names_are_unique_and_no_bound_is_loose():
    assert len(CHECKS) == len(selftest.CHECKS) == 23
    assert all(0 <= check.bound <= 5e-3 for check in selftest.CHECKS)


def test_a_wrong_sign_of_gravity_is_found(monkeypatch):
    right = Model.compile

    def wrong(self, *arguments, **keywords):
        system = right(self, *arguments, **keywords)
        return dataclasses.replace(system, gravity=-system.gravity)

    names = ("double pendulum: Lagrange's equations", "pendulum by elliptic functions: rk4")
    assert [verdict(name) for name in names] == ["ok", "ok"]
    monkeypatch.setattr(Model, "compile", wrong)
    assert [verdict(name) for name in names] == ["failed", "failed"]


def slightly_wrong(right):
    return lambda *arguments, **keywords: right(*arguments, **keywords) * (1 + 1e-6)


@pytest.mark.parametrize(
    ("place", "what", "names"),
    [
        (closed_forms, "forward_dynamics", ["double pendulum: Lagrange's equations"]),
        (closed_forms, "forward_dynamics", ["free body: Euler's equations"]),
        (identities, "inverse_dynamics", ["flexible tree: inverse of forward dynamics"]),
        (identities, "mass_matrix", ["flexible tree: mass matrix and products"]),
        (formulas, "mass_matrix", ["symbolic equations and numeric recursion"]),
    ],
)
def test_an_error_in_the_sixth_digit_is_found(monkeypatch, place, what, names):
    monkeypatch.setattr(place, what, slightly_wrong(getattr(place, what)))
    assert [verdict(name) for name in names] == ["failed"]


def test_a_kernel_that_differs_from_the_text_is_found(monkeypatch):
    right = identities.forward_dynamics

    def wrong(*arguments, method="auto"):
        return right(*arguments, method=method) * (1.0 if method == "reference" else 1 + 1e-8)

    monkeypatch.setattr(identities, "forward_dynamics", wrong)
    assert verdict("flexible tree: articulated kernel and reference") == "failed"
    assert verdict("flexible tree: composite kernel and reference") == "failed"


def test_a_bit_that_is_lost_in_a_file_is_found(monkeypatch):
    class Rounded:
        def __init__(self, run):
            self.run = run

        def __getitem__(self, name):
            values = np.array(self.run[name])
            values.flat[-1] = np.nextafter(values.flat[-1], np.inf)
            return values

    load = Trajectory.load
    monkeypatch.setattr(files.Trajectory, "load", lambda path: Rounded(load(path)))
    outcome = selftest.run_check(CHECKS["run saved to .npz and loaded, bit by bit"])
    assert outcome.verdict == "failed" and outcome.error == 4


def test_without_a_compiler_the_c_program_is_skipped_and_that_is_said(monkeypatch):
    monkeypatch.setattr(formulas.shutil, "which", lambda name: None)
    outcome = selftest.run_check(CHECKS["generated C program and numeric recursion"])
    assert outcome.verdict == "skipped" and "compiler" in outcome.words


def raising():
    raise RuntimeError("broken \x1b[31m")


@pytest.mark.parametrize(("measure", "code"), [(lambda: 0.5, 0), (lambda: 2.0, 1), (raising, 1)])
def test_the_command_ends_with_the_verdict(monkeypatch, capsys, measure, code):
    check = selftest.Check("the check", 1.0, measure)
    monkeypatch.setattr(selftest, "CHECKS", (check,))
    for words in (["selftest"], ["selftest", "--json"]):
        with pytest.raises(SystemExit) as end:
            cli.main(words)
        out = capsys.readouterr().out
        assert end.value.code == code and "\x1b" not in out
        if "--json" in words:
            facts = json.loads(out)
            assert facts["passed"] == (not code) and facts["checks"][0]["bound"] == 1.0
            assert {"lissom", "packages", "processor", "kernels"} == set(facts["environment"])
        else:
            last = out.strip().splitlines()[-1]
            assert ("computes correctly on this machine" in last) == (not code)
