"""Motions for the tests of the moving view, and a browser that opens their pages."""

import atexit
import base64
import os
import shutil
import time
from contextlib import ExitStack, contextmanager
from functools import cache

import numpy as np
import pytest

import lissom as ls
from lissom.library.demos import demo
from lissom.results.trajectory import Trajectory
from lissom.viz.scene.bodies import bent
from tests.samples.results import rows_of

BOOM = ls.beam(
    2.0, ls.Tube(radius=0.08, thickness=0.002), ls.ALUMINIUM, bending=(2, 1), torsion=0, stretch=0
)
# Software draws, so that no graphics card is needed.
FLAGS = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox")


def moved(system, states, duration=2.0, **more):
    """Run through given states, evenly spaced in time."""
    q = np.array([state.q for state in states])
    n, zero = len(q), np.zeros((len(q), system.n_v))
    return Trajectory(system, rows_of(system, np.linspace(0, duration, n), q, zero, zero, **more))


@cache
def arm_system():
    return demo("arm").system


@cache
def arm_run(frames=600):
    """The arm of the demo swings; made of formulas, because only its place matters here."""
    system = arm_system()
    states = []
    for t in np.linspace(0, 1, frames):
        s = np.sin(2 * np.pi * t)
        bent = {f"{x}.modes": np.array([1.5, -0.8, 0.1, 0.05]) * s for x in ("upper", "lower")}
        turn = [np.cos(0.2 * t), 0.0, np.sin(0.2 * t), 0.0, 0.1 * t, 0.0, -0.2 * t]
        states.append(system.state(hub=turn, upper=-1.1 + t, lower=1.5 * s, **bent))
    return moved(system, states)


@cache
def bending_run():
    """A boom that is held at its root and only bends."""
    model = ls.Model("boom <held>")
    model.add(BOOM, ls.Fixed(), name="boom")
    model.add(ls.RigidBody.sphere(1.0, 0.1), ls.Fixed(), to="boom.tip", name="ball")
    system = model.compile()
    bent = [[0.0, 0.0, 0.0], [0.5, 0.2, 0.05], [1.0, 0.4, 0.1]]
    return moved(system, [system.state(**{"boom.modes": eta}) for eta in bent])


@cache
def chain_run(n=40):
    """Many bodies that have no solids."""
    system = ls.library.rigid_chain(n).compile()
    states = [system.state(**dict.fromkeys(system.names, a)) for a in (0.0, 0.05, 0.1)]
    return moved(system, states)


def decoded(data, number):
    """Array of a page by its number."""
    kind, text = data["arrays"][number]
    return np.frombuffer(base64.b64decode(text), np.dtype(kind).newbyteorder("<"))


def chromium():
    """Path of a browser; without one the test is skipped, or fails where CI=true."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    reason = "no Chromium on this machine: apt-get install chromium"
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def browsing(*flags):
    """A browser."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags or FLAGS)
        yield browser
        browser.close()


@cache
def shared_browser():
    """The browser of all tests in this process: Playwright runs once in each."""
    browsers = ExitStack()
    atexit.register(browsers.close)
    return browsers.enter_context(browsing())


def until(page, condition, seconds=20):
    """Wait for a condition, without eval: the page's own rules forbid it."""
    end = time.monotonic() + seconds
    while not page.evaluate(f"() => Boolean({condition})"):
        assert time.monotonic() < end, f"not within {seconds} s: {condition}"
        page.wait_for_timeout(20)


class Opened:
    """Page in the browser, with all that it asked for and complained of."""

    def __init__(self, browser, url, size=(640, 420), ratio=1):
        viewport = {"width": size[0], "height": size[1]}
        self.page = browser.new_page(viewport=viewport, device_scale_factor=ratio)
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(url)
        until(self.page, "window.lissom && window.lissom.ready")

    def __call__(self, script):
        """Value of an expression of the page's hooks, such as "time"."""
        return self.page.evaluate(f"window.lissom.{script}")

    def pixels(self):
        """Colours of the picture, one row for each pixel."""
        text = self.page.evaluate(
            "() => { const p = window.lissom.pixels(); let s = '';"
            "for (let k = 0; k < p.length; k += 4096)"
            "s += String.fromCharCode(...p.subarray(k, k + 4096)); return btoa(s); }"
        )
        return np.frombuffer(base64.b64decode(text), np.uint8).reshape(-1, 4)[:, :3].astype(int)

    def press(self, id):
        self.page.evaluate(f"document.getElementById({id!r}).click()")
        self.settle()

    def settle(self):
        """Wait for the next picture."""
        self.page.evaluate(
            "() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))"
        )


def sent_corners(scene, i, frame):
    """Corners of body i in the world, from what the page was sent and the engine's pose."""
    data, body = scene.data(), scene.bodies[i]
    pose = ls.pose(scene.system, scene.rows.state(scene.rows.time[frame]), body.name)
    found = []
    for piece in data["bodies"][i]["surfaces"]:
        nodes = body.nodes[decoded(data, piece["nodes"])]
        offsets = decoded(data, piece["offsets"]).reshape(-1, 3)
        local = bent(body.body, nodes, offsets, scene.modes[i][frame])
        found.append(pose.position + local @ pose.rotation.T)
    return np.concatenate(found)
