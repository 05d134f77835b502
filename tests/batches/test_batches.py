"""Many states at once: on cores against single calls, on a simulated device against the cores."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lissom as ls
from lissom.algorithms.tree import threads
from lissom.batches import arrays
from tests.oracle.random_mechanism import draw
from tests.samples.batches import PARTS, answers, same, states
from tests.samples.four_bars import four_bar_of_a_chain
from tests.samples.mechanisms import arm_with_hand
from tests.samples.random_trees import build
from tests.tools.simulated_device import Simulated


def one_by_one(system, where, q, v, x):
    found = {name: [] for name in PARTS}
    for k in range(len(q)):
        state = system.state(q[k], v[k])
        pose, energy = ls.pose(system, state, where), ls.energy(system, state)
        found["forward_dynamics"].append(ls.forward_dynamics(system, state, x[k]))
        found["inverse_dynamics"].append(ls.inverse_dynamics(system, state, x[k]))
        found["mass_matrix"].append(ls.mass_matrix(system, state))
        found["pose"].append(np.concatenate([pose.rotation.ravel(), pose.position]))
        found["jacobian"].append(ls.jacobian(system, state, where))
        found["energy"].append([energy.kinetic, energy.potential, energy.strain])
    return {name: np.array(x) for name, x in found.items()}


@pytest.mark.parametrize("threads", [1, 3])
def test_a_batch_on_cores_is_what_single_calls_give(threads):
    system = arm_with_hand()
    given = states(system, 70)
    found = answers(ls.batch(system, threads=threads), "hand", *given)
    same(found, one_by_one(system, "hand", *given), 1e-13)


def test_each_variant_has_its_own_constants():
    systems = [arm_with_hand(mass) for mass in (0.5, 1.0, 2.0, 4.0)]
    given = states(systems[0], 4)
    singles = [one_by_one(s, "hand", *(x[k : k + 1] for x in given)) for k, s in enumerate(systems)]
    expected = {name: np.concatenate([x[name] for x in singles]) for name in PARTS}
    same(answers(ls.batch(systems), "hand", *given), expected, 1e-13)
    same(answers(ls.batch(systems, device=Simulated()), "hand", *given), expected, 1e-12)


def test_variants_whose_entries_have_other_meanings_are_refused():
    """As many coordinates in all, but those of a row would belong to other bodies."""

    def two(first, second):
        model = ls.Model("two")
        for name, n in (("a", first), ("b", second)):
            body = ls.beam(1.0, ls.Tube(0.03, 0.002), ls.STEEL, bending=n, torsion=0, stretch=0)
            model.add(body, ls.Revolute("y"), to="a.tip" if name == "b" else None, name=name)
        return model.compile()

    systems = [two(2, 3), two(3, 2)]
    assert systems[0].n_q == systems[1].n_q
    for call in (ls.batch, lambda x: ls.simulate_batch(x, duration=0.1)):
        with pytest.raises(ls.StateError, match="variant 1 .*another mechanism.*numbers of modes"):
            call(systems)


@pytest.mark.parametrize("seed", range(8))
def test_a_device_gives_the_numbers_of_the_cores(seed):
    """All joints, rigid and flexible bodies, branches."""
    tree = build(draw(seed))
    system, where = tree.system, tree.system.names[-1]
    given = states(system, 37, seed)
    expected = answers(ls.batch(system), where, *given)
    same(answers(ls.batch(system, device=Simulated()), where, *given), expected, 1e-9)


@pytest.mark.parametrize("level", ["linear", "full", "stiffened"])
def test_levels_on_a_device(level):
    system = arm_with_hand(modes=2, level=level)
    given = states(system, 33)
    expected = answers(ls.batch(system), "hand", *given)
    same(answers(ls.batch(system, device=Simulated()), "hand", *given), expected, 1e-12)


def test_rods_on_a_device():
    model = ls.Model("rod", gravity=(0, 0, -9.81))
    model.add(ls.rod(1.0, ls.Circle(0.01), ls.STEEL, bending=2), ls.Revolute("y"), name="rod")
    system = model.compile()
    given = states(system, 5)
    expected = answers(ls.batch(system), "rod.tip", *given)
    same(answers(ls.batch(system, device=Simulated()), "rod.tip", *given), expected, 1e-12)


def test_loops_stay_closed_on_a_device():
    system = four_bar_of_a_chain().compile()
    start = ls.assemble(system, system.state(crank=0.9))
    rates = np.linspace(-1.0, 1.0, 5)
    closed = [ls.assemble(system, system.state(start.q, x * start.v)) for x in rates]
    q, v = np.array([x.q for x in closed]), np.array([x.v for x in closed])
    expected = [ls.forward_dynamics(system, x) for x in closed]
    for device in ("cpu", Simulated()):
        found = ls.batch(system, device=device).forward_dynamics(q, v)
        assert np.allclose(found, expected, rtol=1e-9, atol=1e-9)
    with pytest.raises(ls.StateError, match="row 2"):
        q[2] += 0.1
        ls.batch(system, device=Simulated()).forward_dynamics(q, v)


def test_a_batch_larger_than_the_device_is_fed_in_turns():
    systems = [arm_with_hand(1.0 + 0.1 * k) for k in range(70)]
    given = states(systems[0], 70)
    one = ls.batch(systems, device=Simulated())
    room = 8 * one._backend.arrays_of("forward").n * 32
    small = Simulated(free=room + 100)
    found = ls.batch(systems, device=small).forward_dynamics(*given)
    assert np.array_equal(found, one.forward_dynamics(*given))
    assert [count for _, count, _ in small.launched] == [32, 32, 6]
    with pytest.raises(ls.KernelError, match="MB"):
        ls.batch(systems, device=Simulated(free=room - 100)).forward_dynamics(*given)


def test_states_larger_than_the_device_are_fed_in_turns():
    system = arm_with_hand()
    q, v, x = states(system, 150)
    whole = ls.batch(system, device=Simulated())
    workspace = 8 * whole._backend.arrays_of("forward").n * 32
    per_state = 8 * (3 * system.n_v + system.n_v + 1)
    small = Simulated(threads=32, free=workspace + 70 * per_state)
    batch, expected = ls.batch(system, device=small), ls.batch(system)
    found = batch.forward_dynamics(q, v, x)
    assert np.allclose(found, expected.forward_dynamics(q, v, x), rtol=1e-11)
    assert [count for _, count, _ in small.launched] == [64, 64, 22]
    with pytest.raises(ls.StateError, match="row 149: "):
        v[149, 0] = np.nan
        batch.forward_dynamics(q, v, x)


def test_threads_take_several_states_each():
    system, device = arm_with_hand(), Simulated(threads=32)
    given = states(system, 100)
    expected = ls.batch(system).forward_dynamics(*given)
    assert np.allclose(ls.batch(system, device=device).forward_dynamics(*given), expected, 1e-11)
    assert device.launched == [("forward_state", 100, 32)]


def test_arrays_of_jax_and_lists_are_taken():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    system = arm_with_hand()
    q, v, x = states(system, 20)
    expected = ls.batch(system).forward_dynamics(q, v, x)
    found = ls.batch(system).forward_dynamics(*(jax.numpy.asarray(y) for y in (q, v, x)))
    assert isinstance(found, jax.Array) and np.array_equal(np.asarray(found), expected)
    batch, there = ls.batch(system), jax.numpy.asarray(q)
    several = [*batch.pose(there, "hand"), *batch.energy(there, v), batch.mass_matrix(there)]
    same = [*batch.pose(q, "hand"), *batch.energy(q, v), batch.mass_matrix(q)]
    for one, other in zip(several, same, strict=True):
        assert isinstance(one, jax.Array) and np.array_equal(np.asarray(one), other)
    assert arrays.library(q) == "numpy" and not arrays.on_gpu(q)
    assert np.array_equal(ls.batch(system).forward_dynamics(q.tolist(), v, x), expected)
    assert np.array_equal(ls.batch(system).forward_dynamics(np.asfortranarray(q), v, x), expected)

    coarse = there.astype("bfloat16")
    found = batch.mass_matrix(coarse)
    assert np.array_equal(np.asarray(found), batch.mass_matrix(np.asarray(coarse, dtype=float)))


def test_tensors_of_pytorch_are_taken():
    torch = pytest.importorskip("torch")
    system = arm_with_hand()
    q, v, x = states(system, 5)
    batch, expected = ls.batch(system), ls.batch(system).forward_dynamics(q, v, x)
    there = torch.tensor(-q, requires_grad=True).detach()
    signs = torch.complex(there, there).conj().imag  # a view whose sign is not in its memory
    for given in (torch.tensor(q), torch.tensor(q.T.copy()).T, signs):
        found = batch.forward_dynamics(given, torch.tensor(v), torch.tensor(x))
        assert isinstance(found, torch.Tensor) and np.array_equal(found.numpy(), expected)
    half = torch.tensor(q).bfloat16()
    found = batch.mass_matrix(half).numpy()
    assert np.array_equal(found, batch.mass_matrix(half.double().numpy()))
    assert all(isinstance(x, torch.Tensor) for x in batch.pose(there, "hand"))


class Foreign:
    """Array of a library that NumPy knows by DLPack only."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


def test_arrays_are_taken_by_dlpack():
    system = arm_with_hand()
    given = states(system, 5)
    found = ls.batch(system).forward_dynamics(*map(Foreign, given))
    assert np.array_equal(found, ls.batch(system).forward_dynamics(*given))


def test_inverse_dynamics_with_loops_is_that_of_single_calls():
    system = four_bar_of_a_chain().compile()
    closed = [ls.assemble(system, system.state(crank=x)) for x in (0.8, 0.9, 1.0)]
    q, v = np.array([x.q for x in closed]), np.array([x.v for x in closed])
    forces = np.zeros((3, system.n_v))
    forces[:, system.layout.hinge_v("crank")] = 3.0
    for device in ("cpu", Simulated()):
        batch = ls.batch(system, device=device)
        rates = batch.forward_dynamics(q, v, forces)
        found = batch.inverse_dynamics(q, v, rates, actuated=["crank"])
        assert np.allclose(found, forces, rtol=0, atol=1e-9)
    for words, actuated in (("row 0: .*depend on which joints", None), ("row 0: .*'cranc'", "x")):
        with pytest.raises(ls.StateError, match=words):
            batch.inverse_dynamics(q, v, rates, actuated=actuated and ["cranc"])


def test_too_little_memory_is_a_sentence(monkeypatch):
    system, device = arm_with_hand(), Simulated()
    given = states(system, 5)
    here, there = ls.batch(system), ls.batch(system, device=device)

    def full(*_given, **_named):
        raise MemoryError

    monkeypatch.setattr(device, "launch", full)
    monkeypatch.setattr(here._backend, "evaluate", full)
    for batch in (here, there):
        with pytest.raises(ls.KernelError, match="no memory .* 5 results .*fewer states at a time"):
            batch.mass_matrix(given[0])
    with pytest.raises(ls.KernelError, match=r"no memory left for 5 runs .*use device=.cpu."):
        ls.simulate_batch(
            system, given[:2], duration=0.1, step=0.01, integrator="rk4", device=device
        )


def test_mistakes_are_answered_by_name():
    system = arm_with_hand()
    q, v, _ = states(system, 5)
    batch = ls.batch(system)
    for call, words in (
        (lambda: batch.forward_dynamics(q[:, 1:], v), r"q has shape \(5, 4\); expected \(k, 5\)"),
        (lambda: batch.forward_dynamics(q, v[:4]), r"v has shape \(4, 5\); expected \(5, 5\)"),
        (lambda: batch.forward_dynamics(q, v, "no"), "forces is not an array|array of"),
        (lambda: batch.forward_dynamics(q + 0j, v), "q is an array of complex128"),
        (lambda: batch.forward_dynamics(q * np.nan, v), "row 0"),
        (lambda: batch.pose(q, "finger"), "finger"),
        (lambda: batch.mass_matrix(np.ma.array(q, mask=q > 0)), "q has masked entries"),
        (lambda: ls.batch([]), "at least one system"),
        (lambda: ls.batch([system, arm_with_hand(modes=2)]), "variant 1 .*another mechanism"),
        (
            lambda: ls.batch([system, arm_with_hand(2.0)]).forward_dynamics(q, v),
            "one row per variant",
        ),
        (lambda: ls.batch(system, device="gpu"), 'expected "cpu", "cuda" or "cuda:1"'),
        (lambda: ls.batch(system, threads=0), "threads is 0"),
        (lambda: ls.batch(system, device=Simulated(), threads=2), "a GPU chooses"),
    ):
        with pytest.raises(ls.LissomError, match=words):
            call()


def test_without_cupy_or_a_gpu_the_remedy_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(ls.KernelError, match=r"pip install lissom\[gpu\]"):
        ls.batch(arm_with_hand(), device="cuda")


def test_nothing_of_a_gpu_is_imported_without_one():
    words = "import sys, lissom as ls; ls.batch; print('cupy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True)
    assert found.stdout.strip() == "False", found.stderr


def test_the_kernels_of_a_device_in_the_simulator_of_cuda():
    """The same source as threads of CUDA, in Numba's simulator."""
    root = Path(__file__).resolve().parents[2]
    found = subprocess.run(
        [sys.executable, "-m", "tests.on_simulator"],
        capture_output=True,
        text=True,
        cwd=root,
        env=None,
        timeout=240,
    )
    assert found.returncode == 0 and "agree" in found.stdout, found.stderr[-2000:]


class FakeRuntime:
    CUDARuntimeError = RuntimeError

    @staticmethod
    def getDeviceCount():
        return 2

    @staticmethod
    def getDevice():
        return 0


def test_a_gpu_that_is_not_the_current_one_is_refused(monkeypatch):
    fake = type("cupy", (), {"cuda": type("cuda", (), {"runtime": FakeRuntime})})
    monkeypatch.setitem(sys.modules, "cupy", fake)
    with pytest.raises(ls.KernelError, match=r"select it first: cupy.cuda.Device\(1\).use\(\)"):
        ls.batch(arm_with_hand(), device="cuda:1")


def test_rows_on_threads_that_are_worth_it(monkeypatch):
    """Threads change nothing, whether they are used or not; a failed row is found in any part."""
    monkeypatch.setattr(threads, "WORTH", 0.0)
    system = ls.library.rigid_chain(4).compile()
    rng = np.random.default_rng(3)
    q, v = rng.normal(size=(2, 101, 4))
    one, three = ls.batch(system, threads=1), ls.batch(system, threads=3)
    for name, given in (
        ("forward_dynamics", (q, v)),
        ("mass_matrix", (q,)),
        ("jacobian", (q, system.names[-1])),
    ):
        found = getattr(three, name)(*given)
        assert np.array_equal(found, getattr(one, name)(*given))
    assert np.array_equal(three.mass_matrix(q)[77], ls.mass_matrix(system, (q[77], v[77])))
    v[90] = 1e300
    with pytest.raises(ls.SingularError, match="row 90"):
        three.forward_dynamics(q, v)


def test_a_row_that_asks_for_rows_does_not_wait_for_itself(monkeypatch):
    monkeypatch.setattr(threads, "WORTH", 0.0)

    def outer(start, stop):
        return threads.in_threads(40, 2, lambda a, b: (a, b))

    found = threads.in_threads(100, 2, outer)
    assert found[0][-1][1] == 40 and len(found) == 3
