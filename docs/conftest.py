"""A warning that an example of a page causes, and does not show, is an error of the page."""

import pytest

WARNINGS = "SimulationWarning", "ModelWarning"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.suffix == ".md":
            for name in WARNINGS:
                item.add_marker(pytest.mark.filterwarnings(f"error::lissom.errors.{name}"))
