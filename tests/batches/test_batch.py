"""Many states at once, many threads at once, and calls that leave nothing behind."""

import sys
import threading
import tracemalloc

import numpy as np
import pytest

import lissom as ls
from lissom.algorithms.tree import engine
from tests.samples.kernel_cases import STRUCTURES, chain, far_state, flexible, random_system, rigid

SIZES = (0, 1, 2, 7, 100)
THREADS = (1, 2, 3)
NAMES = ("many children", "mixed levels", "massless links", "welded rigid bodies", "several roots")


@pytest.fixture(scope="module", params=NAMES)
def system(request):
    return STRUCTURES[request.param]().compile()


def rows_of(system, n, seed=0):
    """Q, V, F and A of n random states, and the states."""
    rng = np.random.default_rng(seed)
    states = [far_state(system, rng) for _ in range(n)]
    Q = np.array([state.q for state in states]).reshape(n, system.n_q)
    V = np.array([state.v for state in states]).reshape(n, system.n_v)
    return Q, V, *rng.standard_normal((2, n, system.n_v)), states


def row_by_row(function, states, vectors):
    """Results of single calls, one a row."""
    rows = [function(s.system, s, x) for s, x in zip(states, vectors, strict=True)]
    return np.array(rows).reshape(vectors.shape)


def assert_same_rows(actual, expected):
    """Bit for bit, or the first row that differs."""
    assert actual.shape == expected.shape
    rows = np.flatnonzero(np.any(actual != expected, axis=1))
    if len(rows):
        error = np.abs(actual - expected)[rows[0]].max()
        size = np.abs(expected)[rows[0]].max()
        raise AssertionError(
            f"{len(rows)} of {len(actual)} rows differ, row {rows[0]} by {error:.2e} of {size:.2e}"
        )


@pytest.mark.parametrize("threads", THREADS)
def test_batch_of_forward_dynamics_is_the_calls_row_by_row(system, threads):
    for n in SIZES:
        Q, V, F, _, states = rows_of(system, n)
        forced = row_by_row(ls.forward_dynamics, states, F)
        free = row_by_row(ls.forward_dynamics, states, np.zeros(F.shape))
        assert_same_rows(ls.forward_dynamics_batch(system, Q, V, F, threads=threads), forced)
        assert_same_rows(ls.forward_dynamics_batch(system, Q, V, threads=threads), free)


@pytest.mark.parametrize("threads", THREADS)
def test_batch_of_inverse_dynamics_is_the_calls_row_by_row(system, threads):
    for n in SIZES:
        Q, V, _, A, states = rows_of(system, n)
        expected = row_by_row(ls.inverse_dynamics, states, A)
        assert_same_rows(ls.inverse_dynamics_batch(system, Q, V, A, threads=threads), expected)


@pytest.mark.parametrize("threads", THREADS)
def test_batches_write_where_they_are_told(system, threads):
    Q, V, F, A, _ = rows_of(system, 7)
    out = np.full((7, system.n_v), np.nan)
    expected = ls.forward_dynamics_batch(system, Q, V, F)
    assert ls.forward_dynamics_batch(system, Q, V, F, threads=threads, out=out) is out
    assert np.array_equal(out, expected)
    expected = ls.inverse_dynamics_batch(system, Q, V, A)
    assert ls.inverse_dynamics_batch(system, Q, V, A, threads=threads, out=out) is out
    assert np.array_equal(out, expected)


def test_result_may_replace_an_argument(system):
    """Forces or accelerations may be given away as the place of the result."""
    Q, V, F, A, states = rows_of(system, 7)
    for method in ("auto", "articulated", "composite"):
        expected = ls.forward_dynamics(system, states[0], F[0], method=method)
        given = F[0].copy()
        ls.forward_dynamics(system, states[0], given, method=method, out=given)
        assert np.array_equal(given, expected), method
    forward = ls.forward_dynamics_batch(system, Q, V, F)
    inverse = ls.inverse_dynamics_batch(system, Q, V, A)
    assert_same_rows(ls.forward_dynamics_batch(system, Q, V, F, out=F), forward)
    assert_same_rows(ls.inverse_dynamics_batch(system, Q, V, A, out=A), inverse)


def test_arguments_stay_as_they_are(system):
    Q, V, F, A, _ = rows_of(system, 5)
    copies = [x.copy() for x in (Q, V, F, A)]
    ls.forward_dynamics_batch(system, Q, V, F, threads=2)
    ls.inverse_dynamics_batch(system, Q, V, A, threads=2)
    for given, copy in zip((Q, V, F, A), copies, strict=True):
        assert np.array_equal(given, copy)


def test_results_of_two_calls_are_two_arrays(system):
    """No result is a view of a workspace that the next call overwrites."""
    first, second = (far_state(system, np.random.default_rng(k)) for k in (1, 2))
    before = quantities(system, first)
    kept = [x.copy() for x in before]
    quantities(system, second)
    for result, copy in zip(before, kept, strict=True):
        assert np.array_equal(result, copy)


def quantities(system, state):
    """Every public quantity of a state, as a list of arrays."""
    n, last = system.n_v, system.names[-1]
    x = np.linspace(-1, 1, n)
    pose, energy = ls.pose(system, state, last), ls.energy(system, state)
    external = {last: np.arange(6.0), system.names[0]: np.ones(6)}
    armature = np.linspace(0.1, 1, n)
    arrays = [
        *(ls.forward_dynamics(system, state, x, method=m) for m in ("articulated", "composite")),
        ls.forward_dynamics(system, state, external=external, armature=armature),
        ls.inverse_dynamics(system, state, x),
        ls.inverse_dynamics(system, state, x, external=external),
        ls.mass_matrix(system, state),
        ls.bias_force(system, state),
        ls.gravity_force(system, state),
        ls.joint_forces(system, state, x),
        ls.joint_forces(system, state),
        ls.momentum(system, state),
        ls.center_of_mass(system, state),
        *(pose.position, pose.rotation),
        ls.velocity(system, state, last),
        ls.acceleration(system, state, last, x),
        ls.jacobian(system, state, last),
        ls.qdot(system, state),
        ls.multiply_mass(system, state, x),
        ls.solve_mass(system, state, x),
        ls.solve_mass(system, state, x, armature=armature),
    ]
    return [*arrays, np.array([energy.kinetic, energy.potential, energy.strain, energy.total])]


def same_bits(a, b):
    return all(x.tobytes() == y.tobytes() for x, y in zip(a, b, strict=True))


def test_repeated_calls_give_the_same_bits(system):
    state = far_state(system, np.random.default_rng(0))
    first = quantities(system, state)
    quantities(system, far_state(system, np.random.default_rng(1)))
    assert same_bits(first, quantities(system, state))


def test_a_system_compiled_again_gives_the_same_bits():
    one, two = (random_system(3) for _ in range(2))
    state = far_state(one, np.random.default_rng(0))
    assert same_bits(quantities(one, state), quantities(two, two.state(state.q, state.v)))


def in_threads(jobs, calls):
    """Run each job `calls` times in a thread of its own, all at once; errors are raised here."""
    barrier, errors, interval = threading.Barrier(len(jobs)), [], sys.getswitchinterval()

    def run(job):
        try:
            barrier.wait()
            for _ in range(calls):
                job()
        except Exception as error:
            errors.append(error)

    workers = [threading.Thread(target=run, args=(job,)) for job in jobs]
    sys.setswitchinterval(1e-5)
    try:
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    finally:
        sys.setswitchinterval(interval)
    if errors:
        raise errors[0]


def job_of(system, state):
    """Check that all quantities have the bits they have in one thread."""
    expected = quantities(system, state)

    def job():
        assert same_bits(quantities(system, state), expected)

    return job


def test_threads_on_one_system(system):
    states = [far_state(system, np.random.default_rng(k)) for k in range(4)]
    in_threads([job_of(system, state) for state in states], calls=25)


def test_threads_on_several_systems():
    systems = [random_system(seed) for seed in range(4)]
    rng = np.random.default_rng(0)
    in_threads([job_of(s, far_state(s, rng)) for s in systems], calls=25)


def test_batches_in_several_threads_at_once(system):
    def job_of_batch(seed):
        Q, V, F, _, _ = rows_of(system, 20, seed)
        expected = ls.forward_dynamics_batch(system, Q, V, F)

        def job():
            result = ls.forward_dynamics_batch(system, Q, V, F, threads=2)
            assert np.array_equal(result, expected)

        return job

    in_threads([job_of_batch(seed) for seed in range(3)], calls=20)


def test_first_calls_of_a_new_system_in_several_threads():
    """What is prepared on the first call is prepared once, or the same each time."""
    reference = chain(30, [rigid(1), flexible(1, lumps=True)])
    state = far_state(reference, np.random.default_rng(0))
    expected = quantities(reference, state)
    for _ in range(5):
        fresh = chain(30, [rigid(1), flexible(1, lumps=True)])
        own = fresh.state(state.q, state.v)

        def job(system=fresh, state=own):
            assert same_bits(quantities(system, state), expected)

        in_threads([job] * 4, calls=1)


def memory_of(call, calls=1000):
    """Bytes left behind by many calls, and the most that was in use at any time."""
    for _ in range(50):
        call()
    tracemalloc.start()
    try:
        call()
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        for _ in range(calls):
            call()
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return after - before, peak - before


@pytest.mark.parametrize("method", ["auto", "articulated"])
@pytest.mark.parametrize("lumps", [False, True])
def test_forward_dynamics_allocates_no_workspace(lumps, method):
    system = chain(20, [rigid(1), flexible(1, lumps=lumps)])
    state = far_state(system, np.random.default_rng(0))
    forces, out = np.ones(system.n_v), np.empty(system.n_v)

    def call():
        ls.forward_dynamics(system, state, forces, method=method, out=out)

    left, peak = memory_of(call)
    assert left < 2_000
    assert peak < 4_000 + 4 * out.nbytes < 8 * engine.workspace_size(system)


def test_batch_allocates_one_workspace_not_one_per_row():
    system = chain(10, [rigid(1), flexible(1)])
    Q, V, F, _, _ = rows_of(system, 200)
    out = np.empty((200, system.n_v))

    def call():
        ls.forward_dynamics_batch(system, Q, V, F, out=out)

    left, peak = memory_of(call, calls=20)
    copies = Q.nbytes + V.nbytes + F.nbytes
    assert left < 4_000
    assert peak < 8_000 + copies + 2 * 8 * engine.workspace_size(system)


def second_difference(sizes):
    """Of values at 1, 2 and 4 times a length: zero where they lie on a straight line."""
    one, two, four = sizes
    return (four - two) - 2 * (two - one)


@pytest.mark.parametrize("n_mode", [0, 2])
@pytest.mark.parametrize("lumps", [False, True])
def test_workspace_is_linear_in_the_number_of_bodies(n_mode, lumps):
    body = flexible(1, n_mode=n_mode, lumps=lumps) if n_mode else rigid(1)
    sizes = [engine.workspace_size(chain(n, [body])) for n in (10, 20, 40)]
    assert abs(second_difference(sizes)) <= 0.01 * sizes[0], sizes


def test_workspace_is_linear_in_the_number_of_modes():
    sizes = [
        engine.workspace_size(chain(4, [flexible(1, n_node=20, n_mode=m)])) for m in (10, 20, 40)
    ]
    assert abs(second_difference(sizes)) <= 0.01 * sizes[0], sizes


def test_states_of_a_mechanism_that_cannot_move_have_empty_matrices():
    model = ls.Model("wall")
    model.add(ls.RigidBody(1.0), ls.Fixed(), name="bracket")
    many, q = ls.batch(model.compile()), np.zeros((2, 0))
    assert many.mass_matrix(q).shape == (2, 0, 0)
    assert many.jacobian(q, "bracket").shape == (2, 6, 0)
    assert many.forward_dynamics(q, q).shape == (2, 0)
