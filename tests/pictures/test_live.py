"""A run is watched while it goes on: the page grows, and nothing but the page is served."""

import http.client
import json
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import numpy as np
import pytest

import lissom as ls
from lissom.cli.live import follow_run, in_progress, shown_live
from lissom.results.files.journal.reader import JournalStore, is_being_written
from lissom.results.files.journal.writer import Journal
from lissom.results.store import Columns
from lissom.results.trajectory import Trajectory
from lissom.sim.run import record, runner
from lissom.viz.view.following import Followed
from lissom.viz.view.options import PageOptions
from tests.samples.motions_to_view import BOOM, Opened, shared_browser, until


@pytest.fixture
def system():
    model = ls.Model("swing", gravity=(0, 0, -9.81))
    model.add(BOOM, ls.Revolute("y"), name="boom")
    model.add(ls.RigidBody.sphere(1.0, 0.1), ls.Fixed(), to="boom.tip", name="ball")
    return model.compile()


@pytest.fixture
def often(monkeypatch):
    """Rows reach the disk at once."""
    monkeypatch.setattr(record, "PERIOD", 0.0)
    monkeypatch.setattr(runner, "SLICE", 0.0)


class Run:
    """A run in a thread that goes on to the time `until`, and waits there."""

    def __init__(self, system, path, fail_at=np.inf):
        self.system, self.path, self.fail_at = system, path, fail_at
        self.until, self.error = 0.25, None
        self.thread = threading.Thread(target=self.go)
        self.thread.start()

    def forces(self, t, state):
        while t > self.until:
            time.sleep(0.005)
        if t > self.fail_at:
            raise ValueError("the motor burnt out")
        return np.zeros(self.system.n_v)

    def go(self):
        try:
            ls.simulate(
                self.system,
                duration=1.0,
                step=0.01,
                integrator="generalized_alpha",
                forces=self.forces,
                events=[ls.Event(lambda t, state: t - 0.05, (), name="early")],
                file=self.path,
            )
        except ls.SimulationError as error:
            self.error = error

    def finish(self):
        self.until = np.inf
        self.thread.join()


def answer(view, path="", host=None):
    at = urlsplit(view.url)
    connection = http.client.HTTPConnection(at.hostname, at.port, timeout=10)
    connection.request("GET", at.path + path, headers={} if host is None else {"Host": host})
    reply = connection.getresponse()
    found = reply.status, reply.read().decode()
    connection.close()
    return found


def frames(view, first=0):
    status, text = answer(view, f"frames?from={first}")
    assert status == 200
    return json.loads(text)


def waited(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_the_page_grows_with_the_run(system, tmp_path, often):
    path, browser = tmp_path / "swing.nc", shared_browser()
    with ls.viz.live(path, browser=False, theme="light", plot="boom.angle") as view:
        run = Run(system, path)
        try:
            waited(lambda: "Waiting" not in answer(view)[1])
            page = Opened(browser, view.url, size=(360, 260))
            assert page("live") and page("following")
            until(page.page, "window.lissom.end > 0.22 && window.lissom.time > 0.22")
            place = page("pose(1)")["position"]
            run.until = 0.5
            until(page.page, "window.lissom.end > 0.47 && window.lissom.time > 0.45")
            assert page("end") < 0.51
            assert float(page.page.locator("#slider").get_attribute("max")) > 0.47
            assert np.linalg.norm(np.subtract(page("pose(1)")["position"], place)) > 0.05
            assert "of 1 s" in page.page.locator("#status").inner_text()
            assert "early" in page.page.locator("#marks button").get_attribute("title")
            page.page.locator("#slider").fill("0.02")
            page.settle()
            assert not page("following") and page("time") == pytest.approx(0.02)
            assert page.page.locator("#live").inner_text() == "go live"
            page.press("live")
            assert page("following")
        finally:
            run.finish()
        until(page.page, "!window.lissom.live")
        assert page("end") == pytest.approx(1.0) and page("time") == pytest.approx(1.0)
    angle = Trajectory.load(path)["boom.angle"]
    assert page("plotted(0)") == pytest.approx(angle[-1], abs=1e-4 * np.ptp(angle))
    assert page.page.locator("#status").inner_text() == "the run has finished"
    assert not page.page.locator("#live").is_visible()
    assert page.complaints == [] and all(x.startswith(view.url) for x in page.requests)
    page.page.close()


def test_a_plot_that_a_live_view_cannot_show_says_why(system, tmp_path):
    path = tmp_path / "swing.nc"
    mistakes = {"energy.work": "summed over all rows", "boom.angel": "no 'angel'"}
    sources = [Followed(str(path), 50, PageOptions(plot=[name])) for name in mistakes]
    ls.simulate(system, duration=0.1, output_step=0.01, file=path)
    for source, words in zip(sources, mistakes.values(), strict=True):
        text, over = source.page()
        assert over and words in text


def test_the_page_says_why_a_run_failed(system, tmp_path, often):
    path = tmp_path / "swing.nc"
    with ls.viz.live(path, browser=False) as view:
        run = Run(system, path, fail_at=0.4)
        waited(lambda: "Waiting" not in answer(view)[1])
        page = Opened(shared_browser(), view.url, size=(360, 260))
        run.finish()
    assert "motor" in str(run.error)
    until(page.page, "document.getElementById('marks').querySelector('.bad')")
    assert "failed" in page.page.locator("#status").inner_text()
    assert "the motor burnt out" in page.page.locator("#status").inner_text()
    assert "motor burnt" in page.page.locator("#marks button.bad").get_attribute("title")
    assert page.complaints == []
    page.page.close()
    assert ls.load(f"{path}.part").status == "failed"


def test_frames_are_even_and_few_and_the_newest_row_comes_after_them(system, tmp_path, often):
    path = tmp_path / "swing.nc"
    with ls.viz.live(path, browser=False, frames=11) as view:
        assert "Waiting for the first rows of swing.nc" in answer(view)[1]
        assert answer(view, "frames?from=0")[0] == 404
        run = Run(system, path)
        try:
            waited(lambda: "Waiting" not in answer(view)[1])
            waited(lambda: frames(view)["end"] > 0.22)
            told = frames(view)
            assert told["running"] and not told["over"] and told["planned"] == 1.0
            assert told["from"] == 0 and told["next"] == 3 and told["n"] == 4
            assert frames(view, 3)["n"] == frames(view, 99)["n"] == 1
        finally:
            run.finish()
        waited(lambda: frames(view)["over"])
        assert frames(view)["n"] == 11 and frames(view)["status"] == "finished"
        assert [name for _, name in frames(view)["events"]] == ["early"]
    assert not view.is_open


def test_only_the_page_and_its_frames_are_served(system, tmp_path, often):
    path = tmp_path / "swing.nc"
    ls.simulate(system, duration=0.1, step=0.01, integrator="generalized_alpha", file=path)
    with ls.viz.live(path, browser=False) as view:
        assert "Waiting" in answer(view)[1]  # that file is of an earlier run
        path.unlink()
        ls.simulate(system, duration=0.1, step=0.01, integrator="generalized_alpha", file=path)
        assert answer(view)[0] == 200 and frames(view)["over"]
        for wrong in ("frames", "frames?from=", "frames?from=-1", "frames?from=0&x", "swing.nc"):
            assert answer(view, wrong)[0] == 404
        assert answer(view, "frames?from=0", host="example.org")[0] == 403
        assert "connect-src 'self'" in answer(view)[1]
        assert view._server.socket.getsockname()[0] == "127.0.0.1"


def test_a_run_that_cannot_begin_does_not_keep_the_block(system, tmp_path):
    begun = time.monotonic()
    with pytest.raises(ls.LoadError), ls.viz.live(tmp_path / "x.nc", browser=False):
        ls.simulate(system, duration=-1.0, file=tmp_path / "x.nc")
    assert time.monotonic() - begun < 2


def test_a_journal_is_read_as_it_grows(system, tmp_path):
    path = tmp_path / "swing.nc.part"
    columns = Columns.of(system)
    rows = np.zeros((3, columns.width))
    rows[:, 0] = [0.0, 0.1, 0.2]
    with Journal.create(path, system, columns, {}) as journal:
        store = JournalStore(path)
        assert len(store) == 0 and not store.refresh() and is_being_written(path)
        assert in_progress(tmp_path / "swing.nc") and in_progress(path)
        journal.append(rows, record.Checkpoint({}, {"events": [[0.1, "hit"]]}))
        assert store.refresh() and len(store) == 3
        assert store.notes == {"status": "unfinished", "events": [[0.1, "hit"]]}
    assert not is_being_written(path) and not in_progress(tmp_path / "other.nc")


@pytest.mark.parametrize(
    "path, options, words",
    [
        ("run.npz", {}, "expected the results file NAME.nc"),
        (3, {}, "path is 3"),
        ("nowhere/run.nc", {}, "there is no folder .*nowhere"),
        ("run.nc", {"frames": 1}, "frames is 1"),
        ("run.nc", {"theme": "pink"}, "theme"),
        ("run.nc", {"reactions": "all"}, "reactions is 'all'"),
    ],
)
def test_mistakes_are_named(path, options, words):
    with pytest.raises(ls.LissomError, match=words):
        ls.viz.live(path, browser=False, **options)


def test_the_command_shows_a_run_and_stops_with_it(system, tmp_path, monkeypatch, capsys):
    fetched = []

    def browse(url):
        def fetch():
            while not fetched or '"over":true' not in fetched[-1]:
                fetched.append(urlopen(url).read().decode())

        threading.Thread(target=fetch).start()
        return True

    monkeypatch.setattr("webbrowser.open", browse)
    path = tmp_path / "swing.nc"
    with shown_live(path, wanted=True):
        ls.simulate(system, duration=0.1, step=0.01, integrator="generalized_alpha", file=path)
    assert "<title>swing</title>" in fetched[-1]
    url = capsys.readouterr().err.split()[-1]
    with pytest.raises(OSError):
        urlopen(url)


def test_the_command_follows_a_file_until_it_is_stopped(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("lissom.viz.view.server.View.wait", lambda view: view.close())
    follow_run(tmp_path / "swing.nc", scale=2.0, browser=False)
    assert "http://127.0.0.1" in capsys.readouterr().out


def test_the_command_watches_runs_into_netcdf_only():
    with pytest.raises(ls.ResultError, match=r"run\.csv"), shown_live(Path("run.csv"), wanted=True):
        pass
