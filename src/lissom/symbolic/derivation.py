"""Symbolic quantities of a model, computed on demand by running the recursions on nodes.

The code is `algorithms.tree.reference`, the same that runs on numbers; no equation is implemented
twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, TypeVar

import numpy as np
import sympy

from ..algorithms.tree import reference
from ..algorithms.tree.body_terms import NodeMotion, first_moment, node_motion
from ..bodies import RigidBody, Rod
from ..errors import SymbolicError, name_list
from ..joints import Joint
from ..model import Model
from ..model.compile import converted_model
from ..spatial import block_diagonal
from ..spatial.scalar import solve_spd, zeros
from ..system import GROUND, Frame, System
from .bridge import Bridge
from .calculus import differentiated, symbols_in
from .constrained import constrained_accelerations
from .constraints import Constraints
from .graph import Graph, GraphNode, ordered
from .loads import AppliedLoads
from .names import Names, as_symbols, check_choice
from .poincare import coriolis_by_connection, leaves_span, structure_constants
from .rank import generic_rank

Array = np.ndarray

# Up to this many speeds, a dense solution is tried as an alternative to the recursion.
_DENSE = 12
# Largest number of consecutive angles whose sums are considered.
_RUN = 6


class Derivation:
    """Quantities of a model as arrays of nodes.

    `level`: level of all flexible bodies; None: the level of each body.
    """

    def __init__(
        self,
        model: Model,
        level: str | None,
        form: str = "poincare",
        coordinates: Any = None,
        speeds: Any = None,
        constraints: Any = (),
        independent: Any = None,
        loads: Any = (),
        forces: Any = None,
        time: Any = None,
        *,
        sums: bool = False,
    ) -> None:
        self._model, self._level = model, level
        self.graph = Graph()
        self.bridge = Bridge(self.graph)
        self.time = None if time is None else _one_symbol(time)
        self.t = None if self.time is None else self.bridge.symbol(self.time, "time")
        self.system = symbolic_system(model, level, form, self.bridge)
        names = Names.of(self.system, coordinates, speeds)
        self.coordinates, self.speeds = names.coordinates, names.speeds
        self.q = self._coordinates()
        self.v = self._symbols(self.speeds, "speed")
        if sums:
            self._combine_angles()
        self.constraints = Constraints(self, constraints, independent)
        self.loads = AppliedLoads(self, loads, forces)
        self._check_time()
        variables = {*self.coordinates, *self.speeds, *self.loads.inputs, self.time}
        parameters = [s for s in self.bridge.symbols.values() if s not in variables]
        self.parameters = tuple(sorted(parameters, key=lambda s: s.name))

    def _check_time(self) -> None:
        """Refuse inertia and geometry that depend on time, whose rates are not in the equations."""
        if self.time is None:
            return
        poses = [x for motion in self.at_rest for x in (motion.world_rotation.ravel())]
        poses += [x for motion in self.at_rest for x in motion.world_position]
        nodes = [*self.bridge.nodes(poses), *self.mass.ravel()]
        if self.time.name in symbols_in(nodes):
            raise SymbolicError(
                f"model {self.system.name!r}: a length or a mass depends on the time {self.time}; "
                "for a length that changes, add a Prismatic joint and the constraint "
                "constraints=[coordinate - length]; gravity, forces and stiffness may depend on "
                "time"
            )

    def _symbols(self, symbols: Sequence[sympy.Symbol], what: str) -> Array:
        return np.array([self.bridge.symbol(s, what) for s in symbols], dtype=object)

    def _coordinates(self) -> Array:
        """Symbols of the coordinates; the squares of those of a quaternion add up to 1."""
        layout = self.system.layout
        for i, joint in enumerate(self.system.joints):
            if joint.has_quaternion:
                start = layout.hinge_q(i).start
                four = [s.name for s in self.coordinates[start : start + 4]]
                if not set(four) & set(self.bridge.symbols):
                    self.graph.unit_symbols(four)
        return self._symbols(self.coordinates, "coordinate")

    def _combine_angles(self) -> None:
        """Register sines and cosines of sums and differences of the angles of adjacent joints."""
        chains: dict[int, list[GraphNode]] = {GROUND: []}
        for i, joint in enumerate(self.system.joints):
            p = int(self.system.parent[i])
            angles = [] if joint.has_quaternion else list(self.q[self.system.layout.hinge_q(i)])
            for x, y in combinations([*chains[p][-3:], *angles], 2):
                for total in (x + y, x - y):
                    total.sin(), total.cos()
            chains[i] = [*chains[p], *angles]
            run = chains[i][-_RUN:]
            for start in range(len(run) - 2):
                total = sum(run[start + 1 :], run[start])
                total.sin(), total.cos()

    @cached_property
    def motions(self) -> list[reference.BodyMotion]:
        """Kinematics of all bodies."""
        return reference.kinematics_base_to_tip(self.system, self.q, self.v)

    @cached_property
    def at_rest(self) -> list[reference.BodyMotion]:
        """Kinematics of all bodies at zero speed."""
        return reference.kinematics_base_to_tip(self.system, self.q, zeros(self.system.n_v))

    @cached_property
    def rates(self) -> Array:
        """Matrix N (n_q, n_v) with qdot = N v."""
        blocks = []
        for i, (body, joint) in enumerate(zip(self.system.bodies, self.system.joints, strict=True)):
            theta = self.q[self.system.layout.hinge_q(i)]
            blocks += [np.eye(body.n_mode), joint.rate_map(theta)]
        return self.bridge.nodes(block_diagonal(zeros(0, 0), *blocks))

    @cached_property
    def flow(self) -> dict[GraphNode, GraphNode]:
        """Rates of all symbols at zero acceleration: qdot of coordinates, 1 of time."""
        rates = dict(zip(self.q, self.bridge.nodes(self.rates @ self.v), strict=True))
        return rates if self.t is None else rates | {self.t: self.graph.one}

    def formula(self, expression: sympy.Expr) -> GraphNode:
        """Node of a user's formula, whose symbols are known by their names or new parameters."""
        symbols = self.bridge.symbols
        named = {s: symbols[s.name] for s in expression.free_symbols if s.name in symbols}
        return self.bridge.node(expression.xreplace(named))

    def node_of(self, value: Any, what: str) -> GraphNode:
        """Node of a user's number or formula; `what` names it in messages."""
        try:
            is_formula = isinstance(value, sympy.Expr)
            return self.formula(value) if is_formula else self.bridge.node(value)
        except SymbolicError as error:
            raise SymbolicError(f"{what}: {error}") from None

    @cached_property
    def mass(self) -> Array:
        """Mass matrix M (n_v, n_v)."""
        M = self.bridge.nodes(reference.mass_matrix(self.system, self.at_rest))
        return self.bridge.nodes(M + np.diag(self.loads.armature))

    @cached_property
    def bias(self) -> Array:
        """Bias forces (n_v,): all forces except M vdot."""
        return self.inverse(zeros(self.system.n_v))

    def inverse(self, vdot: Array) -> Array:
        """Generalized forces for accelerations (n_v,)."""
        forces, _ = reference.inverse_dynamics(self.system, self.motions, vdot)
        return self.bridge.nodes(forces + self.loads.armature * vdot - self.load_forces)

    @cached_property
    def load_forces(self) -> Array:
        """Generalized forces of the loads (n_v,), without those of actuators."""
        return self.loads.forces(self.v)

    @cached_property
    def velocity_terms(self) -> Array:
        """Forces quadratic in the speeds (n_v,)."""
        floating = replace(self.system, gravity=zeros(3))
        forces, _ = reference.inverse_dynamics(
            floating, self.motions, zeros(self.system.n_v), elastic=False
        )
        return self.bridge.nodes(forces)

    @cached_property
    def static(self) -> Array:
        """Forces of gravity, stiffness and loads at rest (n_v,)."""
        still = zeros(self.system.n_v)
        forces, _ = reference.inverse_dynamics(self.system, self.at_rest, still)
        return self.bridge.nodes(forces - self.loads.forces(self.bridge.nodes(still)))

    @cached_property
    def force(self) -> Array:
        """Forces F of gravity, stiffness, damping and loads (n_v,)."""
        forces, _ = reference.inverse_dynamics(self.system, self.at_rest, zeros(self.system.n_v))
        return self.bridge.nodes(forces + self.damping - self.load_forces)

    @cached_property
    def damping(self) -> Array:
        """Forces of modal damping (n_v,)."""
        pieces = []
        for i, (body, joint) in enumerate(zip(self.system.bodies, self.system.joints, strict=True)):
            pieces += [body.damping @ self.v[self.system.layout.modal_v(i)], zeros(joint.n_v)]
        return self.bridge.nodes(np.concatenate([zeros(0), *pieces]))

    @cached_property
    def structure_constants(self) -> Array:
        """Structure constants of the columns of N, see `poincare`."""
        return structure_constants(self.system, self.bridge)

    @cached_property
    def coriolis(self) -> Array:
        """Matrix C (n_v, n_v) such that C v are the velocity terms.

        Mdot - 2 C is skew if they derive from the kinetic energy.  For flexible bodies at level
        "linear" they do not, and C is half their derivative by the speeds.
        """
        if all(body.n_mode == 0 or body.level != "linear" for body in self.system.bodies):
            C = coriolis_by_connection(
                self.mass, self.rates, self.structure_constants, self.q, self.v
            )
        else:
            C = differentiated(self.velocity_terms, self.v) / 2
        return self.bridge.nodes(C)

    @cached_property
    def kinetic(self) -> GraphNode:
        """Kinetic energy, v^T M v / 2."""
        return self.graph.node(self.v @ self.mass @ self.v / 2)

    @cached_property
    def potential(self) -> GraphNode:
        """Potential energy of gravity and strain."""
        total: Any = self.graph.zero
        for body, motion in zip(self.system.bodies, self.at_rest, strict=True):
            moment = motion.world_rotation @ first_moment(body, motion.eta)
            total = total - self.system.gravity @ (body.mass * motion.world_position + moment)
            total = total + motion.eta @ (body.stiffness * motion.eta) / 2
        return self.graph.node(total)

    def forward(self, forces: Array) -> Array:
        """Generalized accelerations (n_v,), which satisfy the constraints."""
        if len(self.constraints):
            return constrained_accelerations(self, forces)[0]
        return self.tree_forward(forces)

    def tree_forward(self, forces: Array) -> Array:
        """Accelerations (n_v,) of the tree: by the recursion, or by M if that takes less."""
        if not self.parameters:  # inertia due to rounding is detected only in numbers
            self._model.compile(level=self._level)
        try:
            by_recursion = self._by_recursion(forces + self.load_forces)
            if self.system.n_v > _DENSE:
                return by_recursion
            dense = self.bridge.nodes(solve_spd(self.mass, forces - self.bias))
        except ZeroDivisionError:
            raise SymbolicError(
                f"body {self._without_inertia()!r}: its joint has a motion that moves no inertia, "
                "so that accelerations are undefined; give the body mass and inertia about that "
                "axis, or omit forward_dynamics with functions="
            ) from None
        return min((by_recursion, dense), key=lambda x: operations(list(x)))

    def _by_recursion(self, forces: Array) -> Array:
        layout, a = self.system.layout, self.loads.armature
        blocks = [
            (a[layout.modal_v(i)], np.diag(a[layout.hinge_v(i)])) for i in range(self.system.n_body)
        ]
        armature = blocks if any(a) else None
        return self.bridge.nodes(
            reference.forward_dynamics(self.system, self.motions, forces, armature=armature)
        )

    def _without_inertia(self) -> str:
        """Name of the last body whose joint has a motion without inertia."""
        system = self.system
        for i in reversed(range(system.n_body)):
            start = system.layout.modal_v(i).start
            if generic_rank(self.mass[start:, start:]) < system.n_v - start:
                return system.names[i]
        return system.names[0]

    def pose(self, where: str, at: Any = (0, 0, 0)) -> Array:
        """Configuration matrix (4, 4) of a body, node or frame, its origin moved by `at`."""
        return self._configuration(*self.frame_pose(self._located(where, at)))

    def frame_pose(self, frame: Frame) -> tuple[Array, Array]:
        """Rotation (3, 3) and position (3,) of a frame in the world."""
        if frame.grounded:
            return frame.rotation, frame.position
        body, node = self.at_rest[frame.body], self._node(frame)
        rotation = body.world_rotation @ node.rotation
        position = body.world_position + body.world_rotation @ node.position
        return frame.pose(rotation, position)

    def joint_configuration(self, body: str) -> Array:
        """Configuration matrix (4, 4) of a body's joint."""
        i = self.system.layout.index(str(body))
        return self._configuration(
            *self.system.joints[i].pose(self.q[self.system.layout.hinge_q(i)])
        )

    def _configuration(self, rotation: Array, position: Array) -> Array:
        above = np.concatenate([rotation, position[:, None]], axis=1)
        return self.bridge.nodes(np.concatenate([above, [[0, 0, 0, 1]]]))

    def _located(self, where: str, at: Any) -> Frame:
        if np.shape(at) != (3,):
            raise SymbolicError(f"at is {at!r}; expected three numbers or symbols")
        frame = self.system.place(where)
        moved = any(x != 0 for x in at)
        return frame.at(np.asarray(self.bridge.nodes(at))) if moved else frame

    def _node(self, frame: Frame) -> NodeMotion:
        body, eta = self.system.bodies[frame.body], self.at_rest[frame.body].eta
        return node_motion(body, frame.node, eta, zeros(len(eta)), zeros(6))

    def jacobian(self, where: str, axes: str, at: Any = (0, 0, 0)) -> Array:
        """J (6, n_v): speeds -> [omega; v] of a body, node or frame, world or own axes."""
        return self.frame_jacobian(self._located(where, at), axes)

    def frame_jacobian(self, frame: Frame, axes: str) -> Array:
        """J (6, n_v) of a frame, world or own axes."""
        if frame.grounded:
            return self.bridge.nodes(np.zeros((6, self.system.n_v)))
        J, frame_axes = self._in_body_axes(frame)
        R = frame_axes.T if axes == "body" else self.at_rest[frame.body].world_rotation
        return self.bridge.nodes(block_diagonal(R, R) @ J)

    def _in_body_axes(self, frame: Frame) -> tuple[Array, Array]:
        """J (6, n_v) of a frame on a body, in the body's axes, and the frame's axes in those."""
        layout, J = self.system.layout, np.zeros((6, self.system.n_v), dtype=object)
        i, node = frame.body, self._node(frame)
        rotation, _ = frame.pose(node.rotation, node.position)
        shift = frame.velocity(node.shift.T, node.rotation)  # from the body's frame to this one
        J[:, layout.modal_v(i)] = frame.velocity(node.shapes, node.rotation)
        J[:, layout.hinge_v(i)] = shift @ self.at_rest[i].motion_map
        while (p := int(self.system.parent[i])) != GROUND:
            carrier = reference.carrying_node(self.system, self.at_rest, i)
            shift = shift @ self.at_rest[i].transform
            J[:, layout.modal_v(p)] = shift @ carrier.shapes
            shift = shift @ carrier.shift.T
            J[:, layout.hinge_v(p)] = shift @ self.at_rest[p].motion_map
            i = p
        return J, rotation

    def operators(self) -> tuple[Array, Array, Array]:
        """Factors Phi, H and inertia of M = H^T Phi^T inertia Phi H.

        Source: (E 46), (E 48), (E 49), (E 50), (E 51), (E 52b).
        """
        system, n = self.system, 6 * self.system.n_body
        flexible = [name for name, b in zip(system.names, system.bodies, strict=True) if b.n_mode]
        if flexible:
            raise SymbolicError(
                f"Phi and H are available for rigid bodies only; {name_list(flexible)} can bend; "
                "use lissom.operators, which supports flexible bodies, with numbers"
            )
        Phi = np.eye(n).astype(object)
        H = np.zeros((n, system.n_v), dtype=object)
        for i, motion in enumerate(self.at_rest):
            rows, p = slice(6 * i, 6 * i + 6), int(system.parent[i])
            H[rows, system.layout.hinge_v(i)] = motion.motion_map
            if p != GROUND:
                node = reference.carrying_node(system, self.at_rest, i)
                across = motion.transform @ node.shift.T
                Phi[rows, : 6 * p + 6] = across @ Phi[6 * p : 6 * p + 6, : 6 * p + 6]
        inertia = block_diagonal(*(motion.terms.M_rr for motion in self.at_rest))
        return self.bridge.nodes(Phi), self.bridge.nodes(H), self.bridge.nodes(inertia)


def _one_symbol(time: Any) -> sympy.Symbol:
    symbols = as_symbols(time, "time")
    if len(symbols) != 1:
        raise SymbolicError(f"time is {time!r}; give one name or symbol")
    return symbols[0]


def operations(roots: Sequence[GraphNode]) -> int:
    """Number of operations to evaluate nodes, each expression once, without counting signs."""
    free = ("number", "symbol", "neg")
    return sum(x.op not in free for x in ordered(roots))


T = TypeVar("T")

# Size of an entry of an array of floats, relative to the largest, that counts as rounding.
_ROUNDING = 1e-15


def symbolic_system(model: Model, level: str | None, form: str, bridge: Bridge) -> System:
    """Compiled model with nodes as parameters."""
    if not isinstance(model, Model):
        raise SymbolicError(
            f"derive takes a Model, whose parameters may be symbols, not {type(model).__name__}"
        )
    for part in model.parts.values():
        if isinstance(part.body, Rod):
            raise SymbolicError(
                f"body {part.name!r} is a rod, whose equations cannot be derived: its sections are "
                'found by numbers; use ls.beam, with level="stiffened" for the nearest equations'
            )
        if isinstance(part.body, RigidBody):
            _register_inertia(part.body, bridge)
    system = converted_model(model, level=level, convert=bridge.nodes)
    system = replace(system, bodies=tuple(_without_rounding(body) for body in system.bodies))
    for name, joint in zip(system.names, system.joints, strict=True):
        _check_map(name, joint, bridge)
    if check_choice(form, ("poincare", "lagrange"), "form") == "poincare":
        return system
    pairs = zip(system.names, system.joints, strict=True)
    return replace(system, joints=tuple(_with_rates(name, joint) for name, joint in pairs))


def _without_rounding(part: T) -> T:
    """Copy of a compiled body, or of a part of it, without what rounding left of zeros.

    Integrals over a body are sums in floats, in which what cancels leaves some 1e-20.
    """
    if not is_dataclass(part) or isinstance(part, type):
        return part
    new: dict[str, Any] = {}
    for f in fields(part):
        value = getattr(part, f.name)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size:
            dust = np.abs(value) < _ROUNDING * np.abs(value).max()
            new[f.name] = np.where(dust, 0.0, value)
        elif is_dataclass(value):
            new[f.name] = _without_rounding(value)
    return replace(part, **new)


def _register_inertia(body: RigidBody, bridge: Bridge) -> None:
    """Register first moment and inertia about the origin in their shortest form.

    The graph keeps the first form of an expression.
    """
    try:
        m, c, inertia = (bridge.nodes(x) for x in (body.mass, body.com, body.inertia))
    except SymbolicError:  # reported by `converted_model`, with the body's name
        return
    p = m * c
    for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
        others = [k for k in range(3) if k != i]
        if i == j:
            _ = inertia[i, i] + (p[others[0]] * c[others[0]] + p[others[1]] * c[others[1]])
        else:
            _ = inertia[i, j] - p[i] * c[j]


def _check_map(name: str, joint: Joint, bridge: Bridge) -> None:
    """Refuse a joint whose map, known with symbols only, is nonholonomic or of too many motions."""
    for H in joint.maps:
        if generic_rank(H) < H.shape[1]:
            raise SymbolicError(
                f"body {name!r}: its joint ({joint.label}) has linearly dependent columns; "
                "remove the redundant ones"
            )
        if pair := leaves_span(bridge, H):
            raise SymbolicError(
                f"body {name!r}: its joint ({joint.label}) is nonholonomic: the Lie bracket of "
                f"columns {pair[0]} and {pair[1]} (counted from 0) is a motion outside their span; "
                "use CompoundJoint([column, column, ...]) for a sequence of joints"
            )


def _with_rates(name: str, joint: Joint) -> Joint:
    """A joint with the same coordinates whose speeds are their rates."""
    rate_joint = joint.with_rates()
    if rate_joint is None:
        raise SymbolicError(
            f"body {name!r}: its joint ({joint.label}) has a quaternion, whose rates are not "
            "independent; for Lagrange's equations use CompoundJoint with one column for each angle"
        )
    return rate_joint
