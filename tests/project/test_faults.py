"""The seeded faults of `make verify` still fit the source."""

import ast

import pytest

from tests.tools.faults import FAULTS
from tests.verify_faults import ROOT, SOURCE, SUITE, try_fault


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_a_fault_changes_the_source_into_a_program(fault):
    source = (SOURCE / fault.path).read_text(encoding="utf-8")
    faulty = fault.applied(source)
    assert faulty != source
    ast.parse(faulty)


def test_the_suite_that_must_notice_the_faults_exists():
    assert all((ROOT / tests).is_file() for tests in SUITE)
    assert {fault.first for fault in FAULTS} <= set(SUITE)


def test_a_seeded_fault_is_noticed():
    fault = next(fault for fault in FAULTS if "product of turns" in fault.what)
    assert try_fault(fault).caught_by.startswith(
        "dynamics/test_joints.py::test_bias_is_derivative_of_map"
    )
