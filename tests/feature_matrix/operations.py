"""What users call, each on one mechanism with what acts on it.

An operation returns what it computed, for a look at its numbers, and checks an identity where one
is cheap.  `EXEMPT` are public functions that act on no mechanism.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import lissom as ls
from lissom.algorithms.tree.coordinates import moved
from tests.feature_matrix.loads import DURATION, Acting
from tests.feature_matrix.mechanisms import Mechanism

PATIENCE = 5.0  # seconds on the wall for a run
STEP = DURATION / 10
FINE = STEP / 20  # of fixed steps, short enough for most vibrations
EXEMPT = {
    "beam rod frame panel from_matrices from_modes from_mesh": "bodies of the mechanisms",
    "read_calculix read_frd read_inp read_bulk read_nastran read_op4 load_body": "files of solvers",
    "read_urdf": "files of robots",
    "principal_strains principal_stresses von_mises": "functions of tensors",
    "flexible_drive": "in the mechanisms",
    "load_sweep": "a command's file",
}


class WrongError(AssertionError):
    """Two ways to the same numbers differ."""


@dataclass
class Case:
    """A mechanism, what acts on it, and where files may be written."""

    mechanism: Mechanism
    acting: Acting
    rng: np.random.Generator
    folder: Path

    @property
    def system(self) -> ls.System:
        """Compiled mechanism."""
        return self.mechanism.system

    @property
    def state(self) -> ls.State:
        """State that is closed."""
        return self.mechanism.state

    @property
    def plain_forces(self) -> np.ndarray:
        """Generalized forces of a call without time."""
        return np.random.default_rng(1).normal(size=self.system.n_v)

    def place(self) -> str:
        """Body, node or frame."""
        names = list(self.system.names) + [f.name for f in self.system.frames]
        i = int(self.rng.integers(len(names)))
        nodes = (
            list(getattr(self.system.bodies[i], "node_names", {})) if i < self.system.n_body else []
        )
        return f"{names[i]}.{nodes[-1]}" if nodes else names[i]

    def joint(self) -> str:
        """Joint, by its body."""
        return str(self.rng.choice(self.system.names))

    def flexible(self) -> str:
        """Flexible body if there is one."""
        names = [
            name
            for name, body in zip(self.system.names, self.system.bodies, strict=True)
            if body.n_mode
        ]
        return str(self.rng.choice(names)) if names else self.joint()

    def run(self, **settings) -> ls.Trajectory:
        """Short run under all that acts."""
        usual = {"duration": DURATION, "time_limit": PATIENCE, "output_step": STEP}
        acting = {
            "loads": self.acting.loads,
            "events": self.acting.events,
            "forces": self.acting.forces,
        }
        return ls.simulate(self.system, self.state, **(usual | acting | settings))


def same(what: str, a, b, tolerance: float = 1e-8, scale: float = 1.0) -> None:
    """Check that two arrays are equal, relative to the larger one or to what they are made of."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    size = max(np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0), scale)
    if a.shape != b.shape:
        raise WrongError(f"{what}: shapes {a.shape} and {b.shape}")
    if a.size and not np.abs(a - b).max() <= tolerance * size:
        raise WrongError(f"{what}: {np.abs(a - b).max():.3g} apart, of {size:.3g}")


OPERATIONS: dict[str, Callable[[Case], object]] = {}


def operation(function: Callable[[Case], object]) -> Callable[[Case], object]:
    """Enter a function into the operations by its name."""
    OPERATIONS[function.__name__.replace("_", " ")] = function
    return function


# Dynamics in one state


@operation
def forward_and_inverse(c: Case):
    vdot = ls.forward_dynamics(c.system, c.state, c.plain_forces)
    other = ls.forward_dynamics(c.system, c.state, c.plain_forces, method="composite")
    same("articulated and composite", vdot, other, 1e-6)
    if not c.mechanism.closed:
        forces = ls.inverse_dynamics(c.system, c.state, vdot)
        large = np.abs(ls.bias_force(c.system, c.state)).max(initial=1.0)
        same("inverse of forward", forces, c.plain_forces, 1e-8, large)
    loops = ls.loop_forces(c.system, c.state) if c.system.loops else ()
    couplings = ls.coupling_forces(c.system, c.state) if c.system.couplings else ()
    return vdot, loops, couplings


@operation
def inverse_with_actuated(c: Case):
    vdot = ls.forward_dynamics(c.system, c.state, c.plain_forces)
    return ls.inverse_dynamics(c.system, c.state, vdot, actuated=list(c.system.names))


@operation
def external_forces(c: Case):
    return ls.forward_dynamics(c.system, c.state, external={c.place(): c.rng.normal(size=6)})


@operation
def mass(c: Case):
    M, x = ls.mass_matrix(c.system, c.state), c.rng.normal(size=c.system.n_v)
    same("symmetry", M, M.T)
    same("product", ls.multiply_mass(c.system, c.state, x), M @ x)
    if c.system.n_v and np.linalg.cond(M) < 1e8:
        same("solution", M @ ls.solve_mass(c.system, c.state, x), x, 1e-6)
    return M


@operation
def bias_and_energy(c: Case):
    M, bias = ls.mass_matrix(c.system, c.state), ls.bias_force(c.system, c.state)
    energy = ls.energy(c.system, c.state)
    same("kinetic energy", energy.kinetic, 0.5 * c.state.v @ M @ c.state.v)
    return (
        bias,
        ls.gravity_force(c.system, c.state),
        ls.qdot(c.system, c.state),
        ls.momentum(c.system, c.state),
        ls.center_of_mass(c.system, c.state),
    )


@operation
def kinematics(c: Case):
    where = c.place()
    J, V = ls.jacobian(c.system, c.state, where), ls.velocity(c.system, c.state, where)
    same("velocity", J @ c.state.v, V)
    return ls.pose(c.system, c.state, where), J


@operation
def accelerations(c: Case):
    where, vdot = c.place(), c.rng.normal(size=c.system.n_v)
    return (
        ls.acceleration(c.system, c.state, where, vdot),
        ls.frame_derivatives(c.system, c.state, where, vdot),
    )


def slope(c: Case, function: Callable[[ls.State], np.ndarray], by_q, by_v) -> tuple:
    """Change along a direction of configuration and speeds, by derivatives and by differences."""
    s, w = c.rng.normal(size=(2, c.system.n_v))
    rough, fine = (
        (
            function(c.system.state(moved(c.system, c.state.q, h * s), c.state.v + h * w))
            - function(c.system.state(moved(c.system, c.state.q, -h * s), c.state.v - h * w))
        )
        / (2 * h)
        for h in (2e-5, 1e-5)
    )
    derived, expected = by_q @ s + by_v @ w, (4 * fine - rough) / 3
    return derived, expected, np.abs(fine - rough).max(initial=0.0)


def same_slope(what: str, derived, expected, doubt: float) -> None:
    """Check a derivative by differences that doubt themselves."""
    size = max(1.0, np.abs(expected).max(initial=0.0))
    if not np.abs(derived - expected).max(initial=0.0) <= 1e-5 * size + 10 * doubt:
        worst = np.abs(derived - expected).max()
        raise WrongError(f"{what}: {worst:.3g} from differences, of {size:.3g}")


@operation
def derivatives(c: Case):
    by_state = ls.forward_dynamics_derivatives(c.system, c.state, c.plain_forces)
    if not c.mechanism.closed:

        def vdot(state):
            return ls.forward_dynamics(c.system, state, c.plain_forces)

        same_slope("derivatives", *slope(c, vdot, by_state.q, by_state.v))
    return by_state


@operation
def inverse_derivatives(c: Case):
    vdot = c.rng.normal(size=c.system.n_v)
    by_state = ls.inverse_dynamics_derivatives(c.system, c.state, vdot)

    def forces(state):
        return ls.inverse_dynamics(c.system, state, vdot)

    same_slope("derivatives", *slope(c, forces, by_state.q, by_state.v))
    return by_state


@operation
def design(c: Case):
    name = c.joint()
    return ls.design_derivatives(c.system, c.state, [f"{name}.mass", f"{name}.at", "gravity"])


@operation
def stiffness_as_design(c: Case):
    return ls.design_derivatives(c.system, c.state, [f"{c.flexible()}.stiffness"])


@operation
def regressor(c: Case):
    return ls.inertial_regressor(c.system, c.state, c.plain_forces)


@operation
def spatial_operators(c: Case):
    op = ls.operators(c.system, c.state)
    M = op.mass.as_matrix()
    same("mass by operators", M, ls.mass_matrix(c.system, c.state), 1e-7)
    return M


@operation
def closure(c: Case):
    return ls.closure(c.system, c.state)


@operation
def joint_forces(c: Case):
    return ls.joint_forces(c.system, c.state, forces=c.plain_forces)


@operation
def interface_loads(c: Case):
    return ls.interface_load(c.system, c.state, c.place())


@operation
def sections(c: Case):
    name = c.flexible()
    loads = ls.section_loads(c.system, c.state, name)
    rigid = c.system.bodies[c.system.names.index(name)].rod is not None
    return np.nan_to_num(loads, nan=0.0) if rigid else loads  # NaN where a rod is rigid


@operation
def stresses(c: Case):
    body = c.flexible()
    return ls.stress(c.system, c.state, body), ls.strain(c.system, c.state, body)


@operation
def duality(c: Case):
    problem = ls.optimal_control_dual(c.system, c.state, c.plain_forces)
    solution = ls.solve_lq(problem)
    vdot = ls.forward_dynamics(c.system, c.state, c.plain_forces)
    same("accelerations of the dual", ls.dual_accelerations(solution), vdot, 1e-5)
    return ls.dual_joint_forces(solution), ls.constraint_forces(problem, solution)


@operation
def estimation(c: Case):
    filtered = ls.filter_and_smoother(c.system, c.state, c.plain_forces)
    vdot = ls.forward_dynamics(c.system, c.state, c.plain_forces)
    same("accelerations of the filter", filtered.acceleration, vdot, 1e-5)
    return ls.gibbs_function(c.system, c.state, vdot, c.plain_forces)


@operation
def nodal(c: Case):
    ls.nodal_operators(c.system, c.state, {})
    solution = ls.nodal_forward_dynamics(c.system, c.state, {}, c.plain_forces)
    return ls.nodal_inverse_dynamics(c.system, c.state, {}), solution


@operation
def evaluator(c: Case):
    e, q, v = c.system.evaluator(), c.state.q, c.state.v
    vdot = ls.forward_dynamics(c.system, c.state, c.plain_forces)
    same("accelerations", e.forward_dynamics(q, v, c.plain_forces), vdot)
    same("mass", e.mass_matrix(q), ls.mass_matrix(c.system, c.state))
    return e.bias_force(q, v), e.energy(q, v), e.jacobian(q, c.place())


@operation
def many_states(c: Case):
    Q, V = np.tile(c.state.q, (3, 1)), np.tile(c.state.v, (3, 1))
    vdot = ls.forward_dynamics(c.system, c.state)
    many = ls.batch(c.system)
    same("batch", many.forward_dynamics(Q, V)[2], vdot)
    same("function", ls.forward_dynamics_batch(c.system, Q, V)[1], vdot)
    if not c.mechanism.closed:
        ls.inverse_dynamics_batch(c.system, Q, V, np.tile(vdot, (3, 1)))
    return many.mass_matrix(Q), many.energy(Q, V), many.jacobian(Q, c.place())


# Positions


@operation
def assembled(c: Case):
    state = ls.assemble(c.system, c.system.neutral(), loads=c.acting.loads, held=[])
    if c.system.loops:
        same("gap", ls.closure(c.system, state).gap, 0 * ls.closure(c.system, state).gap, 1e-9)
    return state


@operation
def reached(c: Case):
    place = c.place()
    aim = ls.pose(c.system, c.state, place).position + 0.05
    return ls.reach(c.system, c.state, {place: aim}, starts=3)


@operation
def equilibrium(c: Case):
    acting = {"loads": c.acting.loads, "forces": c.acting.forces}
    state = ls.equilibrium(c.system, c.state, **acting)
    if not any(isinstance(x, (ls.Motion, ls.Controller)) for x in c.acting.loads):
        forces = ls.load_derivatives(c.system, state, **acting).forces
        vdot = ls.forward_dynamics(c.system, state, forces)
        M, weight = ls.mass_matrix(c.system, state), ls.gravity_force(c.system, state)
        left = np.abs(M @ vdot).max(initial=0.0)
        size = max(1.0, np.abs(weight).max(initial=0.0), np.abs(forces).max(initial=0.0))
        if not left <= 1e-6 * size:
            raise WrongError(f"equilibrium: forces of {left:.3g} are left, of {size:.3g}")
    return state


@operation
def equilibrium_held(c: Case):
    return ls.equilibrium(c.system, c.state, loads=c.acting.loads, held=[c.joint()])


@operation
def trimmed(c: Case):
    joints = zip(c.system.names, c.system.joints, strict=True)
    names = [name for name, joint in joints if joint.n_v]
    held = names if c.rng.random() < 0.7 else [c.joint()]
    return ls.trim(c.system, c.system.state(c.state.q), held=held, loads=c.acting.loads)


# Linear models


@operation
def linear(c: Case):
    model = ls.linearize(c.system, c.state, loads=c.acting.loads, forces=c.acting.forces)
    return model.A, model.B, model.poles()


@operation
def linear_in_and_out(c: Case):
    place, joint = c.place(), c.joint()
    moves = c.system.joints[c.system.names.index(joint)].n_v > 0
    model = ls.linearize(
        c.system,
        c.state,
        loads=c.acting.loads,
        inputs=[joint] * moves + [f"{place}.force.x"],
        outputs=[f"{place}.position.z"],
    )
    return model.frequency_response([1.0, 10.0]), model.discrete(0.01).A


@operation
def linear_sampled(c: Case):
    return ls.linearize(c.system, c.state, loads=c.acting.loads, step=DURATION / 5).A


@operation
def linear_reduced(c: Case):
    ends = {"inputs": [f"{c.place()}.force.x"], "outputs": [f"{c.place()}.position.z"]}
    model = ls.linearize(c.system, c.state, loads=c.acting.loads, held=[c.joint()], **ends)
    return model.reduced(2, method="modal").A if model.n > 2 else model.A


@operation
def modes(c: Case):
    table = ls.modes(c.system, c.state, loads=c.acting.loads)
    if len(table.frequencies):
        table.animate(0, frames=3)
    return table.frequencies, table.effective_fractions


@operation
def modes_held(c: Case):
    return ls.modes(c.system, c.state, loads=c.acting.loads, held=[c.joint()]).frequencies


@operation
def modes_along(c: Case):
    return ls.mode_sweep(c.system, [0.0, 0.1], state=c.state, joint=c.joint(), n=2).frequencies


@operation
def slopes_of_loads(c: Case):
    acting = {"loads": c.acting.loads, "forces": c.acting.forces}
    slopes = ls.load_derivatives(c.system, c.state, **acting)

    def forces(state):
        return ls.load_derivatives(c.system, state, **acting).forces

    rough = (ls.JointStop, ls.JointFriction, ls.Controller)
    if not any(
        isinstance(x, rough) or np.any(getattr(x, "limit", np.inf) < np.inf) for x in c.acting.loads
    ):
        same_slope("slopes", *slope(c, forces, slopes.q, slopes.v))
    return slopes


@operation
def forces_of_a_run(c: Case):
    """What a run computes first is what its loads do in the functions."""
    acting = {"loads": c.acting.loads, "forces": c.acting.forces}
    run = ls.simulate(c.system, c.state, duration=1e-6, step=1e-6, integrator="rk4", **acting)
    inertial = any(
        isinstance(x, (ls.Motion, ls.Controller, ls.Rotor)) or getattr(x, "rotor_inertia", 0)
        for x in c.acting.loads
    )
    if not inertial and not c.mechanism.drives:
        forces = ls.load_derivatives(c.system, c.state, **acting).forces
        same("acceleration", run.acceleration[0], ls.forward_dynamics(c.system, c.state, forces))
    return run


@operation
def sensitivities(c: Case):
    method = str(c.rng.choice(["rk4", "rk4", "generalized_alpha", "euler_cromer"]))
    settings = {"duration": 5 * FINE, "step": FINE, "integrator": method}
    parameters = [f"{c.joint()}.mass"] * int(c.rng.integers(2))
    result = ls.sensitivity(
        c.system, c.state, **settings, loads=c.acting.loads, parameters=parameters
    )
    last = result.state[-1]
    if method == "rk4" and not c.mechanism.closed:
        divided = []  # steps at kinks, which differences do not share with their middle

        def end(state):
            run = ls.simulate(c.system, state, **settings, loads=c.acting.loads)
            divided.append(run.statistics["divided_steps"])
            return run.v[-1]

        n = c.system.n_v
        run = ls.simulate(c.system, c.state, **settings, loads=c.acting.loads)
        trusted = run.statistics.get("estimated_error", 0.0) < 0.1  # else the steps are unstable
        if trusted and last.shape == (2 * n, 2 * n):
            slopes = slope(c, end, last[n:, :n], last[n:, n:])
            if not any(divided):
                same_slope("sensitivity", *slopes)
    return result.state


@operation
def gradients(c: Case):
    def objective(time, q, v):
        by_v = np.zeros_like(v)
        by_v[-1] = v[-1]
        return 0.5 * v[-1] @ v[-1], np.zeros_like(q), by_v

    settings = {"duration": 3 * FINE, "step": FINE, "loads": c.acting.loads}
    run = ls.simulate(c.system, c.state, **settings)
    if c.mechanism.closed and run.statistics["steps"] > 100:
        return run.v  # friction divides steps; differences of loops at each of them take minutes
    return ls.gradient(c.system, c.state, objective, **settings).state


# Runs


@operation
def run_auto(c: Case):
    return c.run()


@operation
def run_step_auto(c: Case):
    return c.run(step=STEP)


def _run_of(method: str, **settings) -> Callable[[Case], object]:
    def call(c: Case):
        return c.run(integrator=method, **settings)

    call.__name__ = f"run_{method}" + "_fixed" * ("step" in settings)
    return call


for _method in ("dop853", "dopri5", "rosenbrock", "generalized_alpha"):
    operation(_run_of(_method, rtol=1e-5))
for _method in ("rk4", "euler_cromer", "linearly_implicit_euler", "rosenbrock", "dop853"):
    operation(_run_of(_method, step=FINE))
operation(_run_of("generalized_alpha", step=FINE))


@operation
def run_baumgarte(c: Case):
    return c.run(drift=ls.Baumgarte(100.0, 20.0))


@operation
def run_composite(c: Case):
    return c.run(method="composite", rtol=1e-6)


@operation
def run_rate_linear(c: Case):
    return c.run(rate_linear=True, step=FINE, integrator="rk4")


@operation
def run_later(c: Case):
    return c.run(start=3.0, step=FINE, integrator="rk4")


@operation
def energy_balance(c: Case):
    """Without loads, damping and slip the energy of a run does not change."""
    settings = {"duration": DURATION, "output_step": STEP, "time_limit": PATIENCE, "rtol": 1e-9}
    run = ls.simulate(c.system, c.state, loads=c.mechanism.drives, **settings)
    damped = any(np.any(getattr(body, "damping", 0)) for body in c.system.bodies)
    exact = all(getattr(x, "level", "full") in ("full", "stiffened") for x in c.system.bodies)
    if run.status == "finished" and not (damped or c.mechanism.drives) and exact:
        total = run.energy.total
        size = max(1.0, np.abs(run.energy.kinetic).max(), np.abs(total).max())
        same("energy", total / size, np.full(len(total), total[0] / size), 1e-6)
    if run.status == "finished" and not c.mechanism.closed and not c.system.gravity.any():
        if all(isinstance(joint, ls.Free) for joint in _on_ground(c.system)):
            h = run.momentum()
            same(
                "momentum",
                h / max(1.0, np.abs(h).max()),
                h[[0] * len(h)] / max(1.0, np.abs(h).max()),
                1e-7,
            )
    return run


def _on_ground(system: ls.System) -> list[ls.Joint]:
    return [x for x, p in zip(system.joints, system.parent, strict=True) if p < 0]


@operation
def steps(c: Case):
    settings = {"step": FINE, "integrator": "rk4"}
    acting = {"loads": c.acting.loads, "events": c.acting.events}
    run = ls.simulate(c.system, c.state, duration=10 * FINE, output_step=FINE, **settings, **acting)
    stepper = ls.Stepper(c.system, c.state, **settings, **acting)
    for _ in range(10):
        stepper.step()
    if run.status == "finished":
        same("stepper and run", stepper.q, run.q[-1], 1e-10)
    return stepper.copy().state, run


@operation
def many_runs(c: Case):
    settings = {"duration": DURATION, "step": FINE, "integrator": "rk4", "output_step": STEP}
    acting = {"events": c.acting.events, "forces": c.acting.forces, "loads": c.acting.loads}
    single = ls.simulate(c.system, c.state, **settings, **acting, time_limit=PATIENCE)
    if single.status == "time limit":
        return single
    runs = ls.simulate_batch(c.system, [c.state, c.state], **settings, **acting, progress=False)
    if single.status == "finished":
        same("run of many", runs[1].q[-1], single.q[-1], 1e-10)
    return single


@operation
def run_resumed(c: Case):
    settings = {"step": FINE / 10, "integrator": "rk4"}
    run = c.run(file=c.folder / "run.nc", **settings, time_limit=1e-3)
    if run.status != "time limit":
        return run
    resumed, whole = c.run(resume=c.folder / "run.nc", **settings), c.run(**settings)
    if resumed.status == whole.status == "finished":
        same("resumed run", resumed.q[-1], whole.q[-1], 0.0)
    return whole


# Results


@operation
def saved_results(c: Case):
    run = c.run(step=FINE, integrator="rk4")
    run.save(c.folder / "run.nc")
    again = ls.Trajectory.load(c.folder / "run.nc")
    same("loaded coordinates", again.q, run.q, 0.0)
    for ending in ("npz", "csv", "mat"):
        run.save(c.folder / f"run.{ending}")
    return run, again.system.neutral()


@operation
def channels(c: Case):
    run = c.run(step=FINE, integrator="rk4")
    return run, {name: run[name] for name in run.channels()}


@operation
def tables(c: Case):
    run = c.run(step=FINE, integrator="rk4")
    run.load_table(c.folder / "loads.csv")
    run.to_xarray()
    run.to_pandas()
    return run, run.energy, run.momentum(), str(run.envelope())


@operation
def along_a_body(c: Case):
    run, body = c.run(step=FINE, integrator="rk4"), c.flexible()
    return run.along(body, "section_force"), run.stress(body), run.strain(body)


@operation
def pictures(c: Case):
    run = c.run(step=FINE, integrator="rk4")
    run.plot(file=c.folder / "run.svg")
    ls.viz.draw(c.system, c.state, file=c.folder / "state.svg")
    run.to_html(c.folder / "run.html", frames=3)
    return run


@operation
def film(c: Case):
    run = c.run(step=FINE, integrator="rk4")
    run.to_gif(c.folder / "run.gif", frames=2, size=(160, 120))
    return run


# Models


@operation
def model_files(c: Case):
    vdot = ls.forward_dynamics(c.system, c.state)
    for ending in ("toml", "json", "yaml"):
        path = c.folder / f"model.{ending}"
        c.mechanism.model.save(path)
        ls.check_file(path)
        same(f"model in {ending}", ls.forward_dynamics(ls.load(path).compile(), c.state), vdot)
    return vdot


@operation
def command_line(c: Case):
    from lissom.cli import main

    path, result = str(c.folder / "model.toml"), str(c.folder / "run.nc")
    c.mechanism.model.save(
        path, simulation={"duration": 0.01, "step": 0.001, "loads": c.acting.loads}
    )
    ls.load_run(path)
    for words in (["check", path], ["info", path], ["run", path, "-o", result], ["table", result]):
        try:
            main([*words, "--json"] if words[0] != "table" else [*words, "-o", f"{result}.csv"])
        except SystemExit as end:
            if end.code not in (0, None, 1):
                raise WrongError(f"lissom {words[0]} ended with {end.code}") from None


@operation
def copies(c: Case):
    vdot = ls.forward_dynamics(c.system, c.state)
    for again in (pickle.loads(pickle.dumps(c.system)), copy.deepcopy(c.system)):
        same("copy", ls.forward_dynamics(again, c.state), vdot, 0.0)
    model = copy.deepcopy(c.mechanism.model)
    pickle.loads(pickle.dumps(c.state))
    return repr(model), repr(c.system), model._repr_html_(), c.system._repr_html_()


@operation
def symbols(c: Case):
    if c.system.n_v > 4 or c.mechanism.closed or any(x.n_mode for x in c.system.bodies):
        return None
    equations = ls.symbolic.derive(c.mechanism.model)
    equations.to_c(c.folder)
    return equations.bias.shape


@operation
def study(c: Case):
    dataset = ls.sweep(
        lambda gain: c.system,
        {"gain": [1.0, 2.0]},
        lambda system, gain: ls.simulate(
            system, c.state, duration=0.01, step=0.002, loads=c.mechanism.drives
        ),
        "serial",
        channels=[f"{c.place()}.position"],
        times=[0.0, 0.01],
        store=c.folder / "study",
        progress=False,
    )
    again = ls.gather(c.folder / "study")
    return dataset["status"].values.tolist(), again["status"].values.tolist()
