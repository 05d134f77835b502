"""The page of benchmarks: results that are not measured again stay as they are."""

from __future__ import annotations

import json

import pytest

from benchmarks import run, with_drake
from benchmarks.depth import DEPTHS


def test_results_come_back_from_the_page_s_folder_as_they_were():
    whole = json.loads((run.FOLDER / "results.json").read_text(encoding="utf-8"))
    kept = run.kept(run.FOLDER)
    assert list(kept) == list(whole["results"])
    for name, (result, made) in kept.items():
        data = whole["results"][name]
        assert json.loads(json.dumps(result.as_json())) == {
            key: value for key, value in data.items() if key != "made"
        }
        assert made["commit"] == data.get("made", whole["made"])["commit"]


def test_every_section_says_when_and_at_which_commit_it_was_measured():
    kept = run.kept(run.FOLDER)
    text = run.page(list(kept.values()), DEPTHS["full"], "")
    for result, made in kept.values():
        section = text.partition(f"## {result.title}\n")[2].partition("\n## ")[0]
        assert f"Measured {made['date']}, commit {made['commit']}" in section


def test_every_section_of_the_stored_page_has_a_date_and_versions():
    text = (run.FOLDER / "index.md").read_text(encoding="utf-8")
    first, *sections = text.split("\n## ")
    assert "| machine |" in first and "| packages |" in first
    for section in sections[1:]:  # the first one gathers the others
        assert "\nMeasured 20" in section and "numpy" in section, section.partition("\n")[0]


def test_unknown_benchmarks_are_refused(capsys):
    assert run.main(["simbolic"]) == 2
    assert "simbolic" in capsys.readouterr().out


@pytest.mark.parametrize("word", ["quick", "normal", "full"])
def test_depths_are_not_names_of_benchmarks(word):
    assert word in DEPTHS and word not in run.NAMES


def test_the_tables_beside_drake_are_those_that_were_measured():
    found = json.loads((run.FOLDER / "drake.json").read_text(encoding="utf-8"))
    text = (run.FOLDER.parent / "comparison.md").read_text(encoding="utf-8")
    for table in with_drake.page(found).split("\n\n"):
        assert table in text
    assert found["provenance"]["date"].split()[0] in text
    assert f"drake` ({found['provenance']['drake']}" in text
