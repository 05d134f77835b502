"""What pyproject.toml says of versions is in a form that can be tried, and the same everywhere."""

import re
import tomllib

import pytest

from benchmarks.provenance import ROOT
from tests import verify_oldest

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_every_requirement_has_a_lower_bound_which_is_what_gets_tried():
    bounds = verify_oldest.requirements()
    needed = {re.split(r"[^\w-]", x)[0] for x in PROJECT["dependencies"]}
    assert needed <= set(bounds)
    for line in PROJECT["dependencies"]:
        name, version = line.split(",")[0].split(">=")
        assert f"{name}=={version}" in verify_oldest.pins()


def test_one_package_has_one_bound():
    seen = {}
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    for name, version in (verify_oldest.lower_bound(x) for group in groups for x in group):
        assert seen.setdefault(name, version) == version, name


@pytest.mark.parametrize("text", ["numpy", "numpy<2", "numpy>=1.26,!=2.0", "numpy~=1.26"])
def test_other_forms_are_refused(text):
    with pytest.raises(ValueError, match="name>=version"):
        verify_oldest.lower_bound(text)


def test_the_tests_that_are_tried_exist():
    for name in verify_oldest.TESTS.split():
        assert (ROOT / "tests" / f"{name}.py").exists(), name
