"""Runs that end early: interruptions, limits, failures, stalls; and what a run says meanwhile."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from numba import njit

import lissom as ls
from lissom.errors import SimulationWarning
from lissom.sim.run import runner, stall
from tests.samples.kernel_cases import far_state, random_system
from tests.samples.mechanisms import pendulum
from tests.samples.simulation_cases import contents, run as run_everything

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of Unix")

FOREVER = 1e7  # [s]
PROMPT = 3.0  # [s] on a busy computer; without an end these runs go on for minutes


def swing(**options) -> ls.Trajectory:
    options = {"duration": FOREVER, "output_step": 1.0, "progress": False, **options}
    return ls.simulate(pendulum(), pendulum().state(rod=0.3), **options)


@pytest.fixture(scope="module", autouse=True)
def kernels():
    """Loaded before anything is timed."""
    swing(duration=0.1)


def slowly(result, seconds=0.1):
    """Plain function that takes its time."""

    def function(t, state):
        time.sleep(seconds)
        return result

    return function


@contextmanager
def interrupts(*delays):
    """Ctrl-C after these times in a run; yields the instants at which they were sent."""
    sent, before = [], signal.getsignal(signal.SIGINT)

    def send():
        begun = time.monotonic()
        while signal.getsignal(signal.SIGINT) is before and time.monotonic() - begun < 60:
            time.sleep(1e-3)  # the run has not begun: kernels may still have to be loaded
        for delay in delays:
            time.sleep(delay)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield sent
    finally:
        thread.join()


CHATTER = {
    "loads": [ls.Actuator("rod", 0.01, name="push")],
    "events": [ls.Event(lambda t, s: slowly(np.sin(50 * t + 1), 0.02)(t, s), ls.Switch("push"))],
}
WAYS = {
    "fixed steps": {"step": 1e-4},
    "one output in a while": {"step": 1e-4, "output_step": 1e6},
    "adaptive": {},
    "a row for every step": {"output_step": None, "duration": 1e5},
    "implicit": {"integrator": "generalized_alpha", "step": 1e-3},
    "plain forces": {"forces": lambda t, state: [0.0]},
    "slow forces": {"forces": slowly([0.0])},
    "slow forces, implicit": {
        "forces": slowly([0.0]),
        "integrator": "generalized_alpha",
        "step": 1e-3,
        "output_step": None,
        "duration": 1.0,
    },
    "slow controller": {"forces": ls.Controller(slowly([0.0], 0.2), 0.01)},
    "slow motion": {"loads": [ls.Motion("rod", lambda t: slowly(0.3 * np.cos(t), 0.005)(t, None))]},
    "slow events": CHATTER,
}


@pytest.mark.parametrize("way", WAYS)
def test_ctrl_c_ends_a_run_promptly_with_its_results(way):
    before = signal.getsignal(signal.SIGINT)
    with interrupts(0.6) as sent, pytest.warns(SimulationWarning, match="interrupted"):
        run = swing(**WAYS[way])
        ended = time.monotonic()
    assert ended - sent[0] < PROMPT
    assert run.status == "interrupted" and run.message.startswith("interrupted by the user at t =")
    assert len(run) >= 1 and np.all(np.isfinite(run.q))
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("way", WAYS)
def test_a_time_limit_ends_a_run_promptly_with_its_results(way):
    begun = time.monotonic()
    with pytest.warns(SimulationWarning, match="time limit of 0.4 s was reached"):
        run = swing(**WAYS[way], time_limit=0.4)
    assert 0.4 <= time.monotonic() - begun < 0.4 + PROMPT
    assert run.status == "time limit" and len(run) >= 1


@pytest.mark.parametrize("way", ["adaptive", "slow forces"])
def test_a_time_limit_works_in_another_thread(way):
    found = []

    def work():
        begun = time.monotonic()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(swing(**WAYS[way], time_limit=0.3).status)
        found.append(time.monotonic() - begun)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(5)
    assert found[0] == "time limit" and found[1] < 0.3 + PROMPT


def test_a_second_ctrl_c_ends_a_function_that_does_not_return():
    calls = []

    def hang(t, state):
        calls.append(t)
        time.sleep(0 if len(calls) < 200 else 30)
        return [0.0]

    with interrupts(0.6, 0.3) as sent, pytest.warns(SimulationWarning, match="interrupted"):
        run = swing(forces=hang, step=0.01, output_step=None, duration=10.0)
        ended = time.monotonic()
    assert ended - sent[1] < PROMPT
    assert run.status == "interrupted" and 0 < run.time[-1] < 1


def test_a_ctrl_c_outside_a_function_leaves_a_journal_that_can_be_resumed(tmp_path, monkeypatch):
    path = tmp_path / "run.nc"
    options = {"duration": 1.0, "step": 0.01, "output_step": None}
    with monkeypatch.context() as patch:
        patch.setattr(
            runner.Runner, "_note_spins", lambda self: signal.default_int_handler(2, None)
        )
        with pytest.raises(KeyboardInterrupt):
            swing(**options, file=path)
    assert contents(swing(**options, resume=path)) == contents(swing(**options))


def test_handlers_of_the_user_come_back_and_ignored_signals_stay_ignored():
    def own(number, frame):
        raise AssertionError("not while a run lasts")

    before = signal.signal(signal.SIGINT, own)
    try:
        swing(duration=0.1)
        assert signal.getsignal(signal.SIGINT) is own
        with pytest.raises(ls.SimulationError):
            swing(forces=lambda t, state: [0.0] if t < 0.05 else 1 / 0, duration=0.1)
        assert signal.getsignal(signal.SIGINT) is own
        signal.signal(signal.SIGINT, signal.SIG_IGN)

        def forces(t, state):
            os.kill(os.getpid(), signal.SIGINT)
            return [0.0]

        run = swing(duration=0.3, step=0.01, output_step=None, forces=forces)
        assert run.status == "finished"
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("kind", ["rk4", "alpha", "dopri5"])
def test_a_run_cut_short_by_its_limit_goes_on_to_the_same_result(kind, tmp_path):
    """Slow functions are left in the middle of a step; the journal ends before that step."""
    path, rounds = tmp_path / "run.nc", 0
    where = {"file": path}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        while rounds < 100:
            limit = 0.1 + 0.02 * rounds  # a busy computer may need most of it to begin
            run = run_everything(kind, slow=2e-4, time_limit=limit, **where)
            where, rounds = {"resume": path}, rounds + 1
            if run.status == "finished":
                break
            assert run.status == "time limit"
    assert rounds > 1
    assert contents(run) == contents(run_everything(kind))


# Runs that cannot go on


def unstable(**options) -> ls.Trajectory:
    """A spring that is far too stiff for the step."""
    spring = ls.JointSpring("rod", 1e9)
    return swing(loads=[spring], integrator="rk4", step=0.01, output_step=None, **options)


def test_a_motion_that_grows_without_bound(tmp_path):
    with pytest.warns(SimulationWarning, match="implausible.*'rod'.*a shorter one at t = "):
        run = unstable(duration=10.0, file=tmp_path / "run.nc")
    assert run.status == "diverged" and 0 < run.time[-1] < 10
    assert np.all(np.isfinite(run.q))
    assert not (tmp_path / "run.nc.part").exists()
    assert ls.load(tmp_path / "run.nc").message == run.message


@njit
def nan_later(t, q, v, out):
    out[0] = np.nan if t > 0.5 else 0.0


@pytest.mark.parametrize("options", [{"step": 0.01, "output_step": None}, {"rtol": 1e-6}])
def test_a_compiled_force_that_is_not_a_number(options):
    with pytest.warns(SimulationWarning, match="body 'rod'.* is nan at t = 0.[45]"):
        run = swing(forces=nan_later, duration=1.0, **options)
    assert run.status == "not finite" and run.message.startswith("forces returned nan at t = 0.5")
    assert run.time[-1] == (0.5 if "step" in options else 0.0)  # rows at whole seconds


@njit
def dry_friction(t, q, v, out):
    out[0] = -20.0 * np.sign(v[0])


def test_a_run_whose_steps_become_too_small_stops_and_says_so(tmp_path):
    """Friction that jumps at standstill: the error can be kept with ever smaller steps only."""
    begun = time.monotonic()
    with pytest.warns(SimulationWarning, match="stalled"):
        run = swing(forces=dry_friction, duration=100.0, file=tmp_path / "run.nc")
    assert run.status == "stalled" and time.monotonic() - begun < 20
    for word in ("steps are too small", "'rod'", "at t = ", "rtol"):
        assert word in run.message
    assert run.time[-1] < 10


def test_a_run_into_singular_coordinates_stalls(monkeypatch):
    monkeypatch.setattr(stall, "STALL_STEPS", 2000)
    monkeypatch.setattr(stall, "MANY_STEPS", 2e7)
    system = random_system(4)
    state = far_state(system, np.random.default_rng(4), deformation=0.05, spread=0.5, speed=0.5)
    with pytest.warns(SimulationWarning) as caught:
        run = ls.simulate(system, state, duration=0.2, integrator="generalized_alpha", rtol=1e-6)
    assert run.status == "stalled" and 0.16 < run.time[-1] < 0.165
    assert "body 'body5'" in run.message
    assert any("stalled" in str(x.message) for x in caught)


def test_a_long_run_of_many_small_steps_does_not_stall(monkeypatch):
    """However many they are: they have not shrunk."""
    monkeypatch.setattr(stall, "STALL_STEPS", 100)
    monkeypatch.setattr(stall, "MANY_STEPS", 1000)
    assert swing(duration=300.0, rtol=1e-12).status == "finished"


def test_a_run_that_would_take_far_too_many_steps_stalls(monkeypatch):
    monkeypatch.setattr(stall, "STALL_STEPS", 100)
    monkeypatch.setattr(stall, "TOO_MANY_STEPS", 1000)
    with pytest.warns(SimulationWarning, match="stalled"):
        assert swing(duration=300.0, rtol=1e-12).status == "stalled"


def test_an_event_that_happens_for_ever():
    """Two forces that switch each other on at standstill hold the speed at zero, for ever."""
    loads = [
        ls.Actuator("rod", -60.0, name="back"),
        ls.Actuator("rod", 60.0, name="forth"),
        ls.JointDamper("rod", 0.1),
    ]
    events = [
        ls.Event("rod", [ls.Switch("forth", False), ls.Switch("back", True)], rate=True,
                 direction=1, name="up"),
        ls.Event("rod", [ls.Switch("back", False), ls.Switch("forth", True)], rate=True,
                 direction=-1, name="down"),
        ls.Event(lambda t, s: t - 0.1, ls.Switch("forth", False), name="begin"),
    ]  # fmt: skip
    begun = time.monotonic()
    with pytest.warns(SimulationWarning, match="keeps firing"):
        steps = {"integrator": "generalized_alpha", "step": 0.01, "output_step": None}
        run = swing(loads=loads, events=events, duration=100.0, time_limit=30.0, **steps)
    assert run.status == "stalled" and time.monotonic() - begun < 15
    for word in ("event 'up'", " times from t = ", "direction", "once=True"):
        assert word in run.message.replace("'down'", "'up'")


def test_events_that_are_apart_by_rounding_only_both_happen():
    """Twins whose angles differ in the last bits lock at almost, but not quite, one instant."""
    model = ls.Model("twins", gravity=(0, 0, -9.81))
    rod = ls.RigidBody.rod(1.0, 2.0, com=(1, 0, 0))
    model.add(rod, ls.Revolute("y"), name="left")
    model.add(rod, ls.Revolute("y"), name="right", at=(0, 1, 0))
    system = model.compile()
    values = {"left": 0.5, "right": 0.5}
    for ulps in (1, 5, 40, 400):
        values["right"] = 0.5 + ulps * np.spacing(0.5)
        events = [ls.Event(n, ls.Lock(n), value=x, once=True) for n, x in values.items()]
        for options in ({}, {"step": 0.01, "integrator": "rk4"}):
            run = ls.simulate(system, duration=1.0, events=events, **options)
            assert run.status == "finished", run.message
            assert [name for _, name in run.meta["events"]] == ["left", "right"]
            assert np.allclose(run.q[-1], 0.5, rtol=0, atol=1e-12)


def test_an_event_that_does_not_depend_on_the_state_alone():
    noise = np.random.default_rng(0)
    events = [ls.Event(lambda t, s: noise.choice([-1.0, 1.0]), ls.Switch("push"), name="noise")]
    with pytest.warns(SimulationWarning, match="not when that step was repeated.*event 'noise'"):
        run = swing(loads=[ls.Actuator("rod", 1.0, name="push")], events=events, duration=100.0)
    assert run.status == "failed"


def test_a_step_that_fails_while_an_event_is_sought():
    """The function of the event is fine where steps end, and not where the search looks."""

    def touchy(t, state):
        if 0.4 < t < 0.4999:
            raise ValueError("no answer here")
        return t - 0.45

    with pytest.raises(ls.SimulationError, match="no answer here") as caught:
        swing(events=[ls.Event(touchy)], step=0.1, output_step=None, duration=1.0)
    assert caught.value.trajectory.time[-1] == pytest.approx(0.4)


def test_a_function_that_raises_in_a_run_with_a_file_leaves_a_journal(tmp_path):
    path = tmp_path / "run.nc"
    broken = [True]

    def forces(t, state):
        if broken[0] and t > 0.5:
            raise ConnectionError("the wire is cut")
        return [-float(state["rod.rates"][0])]

    options = {"forces": forces, "duration": 1.0, "step": 0.01, "output_step": None}
    with pytest.raises(ls.SimulationError, match="forces raised ConnectionError: the wire") as info:
        swing(**options, file=path)
    assert isinstance(info.value.__cause__, ConnectionError)
    assert "resume=" in str(info.value) and str(path) in str(info.value)
    assert info.value.trajectory.time[-1] == pytest.approx(0.5)
    broken[0] = False
    whole, resumed = contents(swing(**options)), contents(swing(**options, resume=path))
    del whole["statistics"], resumed["statistics"]  # the step that failed counts
    assert whole == resumed


# Warnings and words


def spinning(rate) -> ls.System:
    model = ls.Model("rotor")
    boom = ls.beam(
        3.0, ls.Rectangle(width=0.02, height=0.01), ls.ALUMINIUM, bending=1, torsion=0, stretch=0
    )
    model.add(ls.RigidBody.box(5.0, (1, 1, 1)), ls.Revolute("z"), name="hub")
    model.add(boom, ls.Fixed(), to="hub", at=(0.5, 0, 0), name="left")
    model.add(
        boom, ls.Fixed(), to="hub", at=(-0.5, 0, 0), rotation=np.diag([-1.0, -1, 1]), name="right"
    )
    model.add(boom, ls.Revolute("z"), to="hub", at=(0, 0.5, 0), name="loose")
    return model.compile()


def test_one_warning_names_every_flexible_body_that_spins_fast():
    system = spinning(1.0)
    first = np.sqrt(system.bodies[1].stiffness.min())
    speeds = {"hub.rates": 0.2 * first, "loose.rates": -0.2 * first}
    with pytest.warns(SimulationWarning) as caught:
        ls.simulate(system, system.state(**speeds), duration=0.5, step=1e-3)
    caught = [w for w in caught if "turns at" in str(w.message)]
    (entry,) = caught
    words = str(entry.message)
    assert words.startswith("body 'left'") and words.endswith("(also 'right')")
    assert "rad/s" in words and "first frequency" in words and "'full'" in words
    assert entry.filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        slow = system.state(**{"hub.rates": 0.05 * first})
        assert ls.simulate(system, slow, duration=0.1, step=1e-3).status == "finished"


PROGRESS = """
import sys, time
import lissom as ls
model = ls.Model("swing", gravity=(0, 0, -9.81))
model.add(ls.RigidBody.rod(1.0, 2.0, com=(1, 0, 0)), ls.Revolute("y"), name="rod")
system = model.compile()
shown = {"None": None, "True": True, "False": False}[sys.argv[1]]
def slow(t, state):
    time.sleep(1e-4)
    return [0.0]
run = ls.simulate(system, system.state(rod=0.3), duration=1000.0, step=1e-3, output_step=1.0,
                  integrator="rk4", progress=shown, forces=slow, time_limit=1.6)
"""


def on_a_terminal(progress) -> str:
    """What a run writes to a terminal of 100 columns."""
    import pty

    parent, child = pty.openpty()
    environment = {**os.environ, "COLUMNS": "100", "TERM": "xterm"}
    command = [sys.executable, "-W", "ignore", "-c", PROGRESS, progress]
    with subprocess.Popen(command, stderr=child, stdout=child, env=environment) as process:
        os.close(child)
        written = b""
        while True:
            try:
                piece = os.read(parent, 4096)
            except OSError:  # Linux: the other end is closed
                break
            if not piece:
                break
            written += piece
    os.close(parent)
    assert process.returncode == 0, written
    return written.decode()


def test_a_terminal_shows_time_speed_and_time_left():
    shown = on_a_terminal("None")
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)
    assert "swing" in text
    found = re.findall(r"([\d.]+) of 1000 s\s+([\d.]+) x real time\s+(\d+ .*?) left", text)
    assert len(found) >= 2
    times = [float(t) for t, *_ in found]
    assert times == sorted(times) and times[-1] > times[0]
    assert shown.endswith("\x1b[2K") or "\x1b[?25h" in shown  # the bar is gone, the cursor is back
    assert not on_a_terminal("False").strip()


def test_nothing_is_shown_where_there_is_no_terminal():
    for progress, silent in (("None", True), ("True", False)):
        command = [sys.executable, "-W", "ignore", "-c", PROGRESS, progress]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert not done.stdout
        assert (done.stderr.strip() == "") == silent
        assert "\x1b" not in done.stderr
        assert silent or re.fullmatch(r"swing: .* of 1000 s .* left\n", done.stderr)


def euler_heads() -> tuple[ls.System, ls.State]:
    """Two bodies on three turns in a row; the second is at the angle where these are singular."""
    turns = np.eye(6)[:, :3]
    model = ls.Model("heads")
    box = ls.RigidBody.box(1.0, (0.3, 0.2, 0.1))
    model.add(box, ls.SimpleJoint(turns), name="neck")
    model.add(box, ls.SimpleJoint(turns), to="neck", name="head")
    system = model.compile()
    return system, system.state(np.array([0.2, 0.9, 0.1, 0.2, np.pi / 2, 0.3]))


def test_singular_coordinates_are_those_of_a_joint_by_its_name():
    system, state = euler_heads()
    near = state.q - 0.01 * np.eye(6)[4]
    turns = np.linalg.solve(system.joints[1].rate_map(near[3:]), (0.0, 1.0, 0.0))
    start = system.state(near, np.concatenate([np.zeros(3), turns]))
    with pytest.warns(SimulationWarning, match="singular"):
        run = ls.simulate(system, start, duration=0.1, step=0.01, integrator="euler_cromer")
    assert run.status == "singular" and "of the joint of body 'head' are singular" in run.message
    with pytest.raises(ls.SingularError, match="of the joint of body 'head' are singular"):
        ls.load_derivatives(system, state, forces=lambda t, state: np.sin(state.q))
