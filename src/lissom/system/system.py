"""A compiled mechanism: immutable constants that every algorithm reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np

from ..bodies import NormalBody
from ..errors import StateError, name_list, shown, suggestion
from ..immutable import array_of, freeze, immutable
from ..joints import Joint
from ..shapes import ContactShape
from ..spatial.given import doubt_angle
from ..spatial.scalar import array, is_numeric
from .coupling import Coupling
from .frame import Frame
from .layout import Layout
from .loop import GROUND, Loop
from .shape import PlacedShape
from .state import State
from .tree import printed_tree, tree_table

if TYPE_CHECKING:
    from ..algorithms.tree.evaluator import Evaluator

Array = np.ndarray


@immutable("change the model and compile it again: model.gravity = ...; system = model.compile()")
@dataclass(frozen=True, eq=False)
class System:
    """Tree of bodies, numbered base to tip: ``parent[i] < i``, and the loops that close it.

    Made by `Model.compile`; immutable and independent of the model.  All lengths are in metres,
    masses in kilograms, angles in radians.

    Attributes
    ----------
    name : str
        Name of the model.
    gravity : array (3,)
        Gravitational acceleration, world axes [m/s^2].
    names : tuple of str
        Bodies.
    parent : array (n_body,)
        Number of the parent of each body, -1 for the ground.
    parent_node : array (n_body,)
        Node of the parent that carries the joint; -1 for the ground.
    frame_rotation : array (n_body, 3, 3)
        Inboard axes of the joint to the axes of the parent's node.
    frame_position : array (n_body, 3)
        Inboard origin of the joint in the frame of the parent's node [m].
    joints : tuple of Joint
        Joint inboard of each body.
    bodies : tuple of NormalBody
        Bodies in normalised form.
    loops : tuple of Loop
        Joints in addition to those of the tree, each closing a loop.
    couplings : tuple of Coupling
        Equations between hinge coordinates.
    drives : tuple of (str, str)
        Rotor and driven body of each drive with an elastic gear; a run needs their loads.
    frames : tuple of Frame
        Named frames, each fixed to a node of a body or to the ground.
    shapes : tuple of PlacedShape
        Shapes of contact.
    """

    name: str
    gravity: Array = field(metadata=array_of("m/s2", "axis"))
    names: tuple[str, ...]
    parent: Array = field(metadata=array_of("1", "body", whole=True))
    parent_node: Array = field(metadata=array_of("1", "body", whole=True))
    frame_rotation: Array = field(metadata=array_of("1", "body", "axis", "other_axis"))
    frame_position: Array = field(metadata=array_of("m", "body", "axis"))
    joints: tuple[Joint, ...]
    bodies: tuple[NormalBody, ...]
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    drives: tuple[tuple[str, str], ...] = ()
    frames: tuple[Frame, ...] = ()
    shapes: tuple[PlacedShape, ...] = ()

    def __post_init__(self) -> None:
        for name in ("gravity", "parent", "parent_node", "frame_rotation", "frame_position"):
            object.__setattr__(self, name, np.array(getattr(self, name)))
        for joint in self.joints:  # including user-defined joints
            freeze(joint)

    @property
    def n_body(self) -> int:
        """Number of bodies."""
        return len(self.names)

    @property
    def n_q(self) -> int:
        """Number of coordinates."""
        return self.layout.n_q

    @property
    def n_v(self) -> int:
        """Number of generalized speeds."""
        return self.layout.n_v

    @property
    def n_constraint(self) -> int:
        """Number of constraint equations of all loops and couplings."""
        return sum(one.n_constraint for one in self.constraints)

    @property
    def constraints(self) -> tuple[Loop | Coupling, ...]:
        """Loops, then couplings, in the order of their constraint equations."""
        return (*self.loops, *self.couplings)

    @cached_property
    def length(self) -> float:
        """Characteristic length: the largest distance between joints or nodes of a body [m], or 1.

        It makes moments comparable with forces, and angles with displacements.
        """
        lengths = [np.linalg.norm(self.frame_position, axis=-1).max(initial=0.0)]
        lengths += [np.linalg.norm(body.node_positions, axis=-1).max() for body in self.bodies]
        lengths += [np.linalg.norm(end.position) for loop in self.loops for end in loop.ends]
        return float(max(lengths)) or 1.0

    @cached_property
    def layout(self) -> Layout:
        """Slices of q and v by body name."""
        return Layout(
            self.names,
            [body.n_mode for body in self.bodies],
            [joint.n_q for joint in self.joints],
            [joint.n_v for joint in self.joints],
            {x.name: "" if x.grounded else self.names[x.body] for x in self.frames},
        )

    @cached_property
    def quaternions(self) -> tuple[tuple[str, int], ...]:
        """Body and offset in q of each quaternion."""
        bodies = zip(self.names, self.joints, strict=True)
        return tuple((x, self.layout.hinge_q(x).start) for x, j in bodies if j.has_quaternion)

    @cached_property
    def fingerprint(self) -> str:
        """Text that is equal for systems whose states have the same meaning.

        It contains the names of the bodies, their parents, the kinds of their joints and their
        numbers of modes, in order.
        """
        rows = zip(self.names, self.parent.tolist(), self.joints, self.bodies, strict=True)
        meaning = [(name, p, type(j).__name__, j.n_q, j.n_v, b.n_mode) for name, p, j, b in rows]
        return sha256(repr(meaning).encode()).hexdigest()

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of the bodies that each body carries."""
        carried: list[list[int]] = [[] for _ in self.names]
        for i, p in enumerate(self.parent):
            if p != GROUND:
                carried[p].append(i)
        return tuple(tuple(c) for c in carried)

    @cached_property
    def outboard_nodes(self) -> tuple[tuple[int, ...], ...]:
        """Distinct nodes of each body that carry children or loops, in ascending order."""
        nodes = [{int(self.parent_node[c]) for c in children} for children in self.children]
        for loop in self.loops:
            for end in loop.ends:
                if end.body != GROUND:
                    nodes[end.body].add(end.node)
        return tuple(tuple(sorted(n)) for n in nodes)

    @cached_property
    def derived(self) -> dict[str, Any]:
        """Cache of quantities that algorithms derive from this system; empty in copies."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """Fields without derived quantities."""
        return {k: v for k, v in self.__dict__.items() if k != "derived"}

    def neutral(self) -> State:
        """State at rest with undeformed bodies and every joint at its neutral position."""
        return self.state()

    def state(self, /, q: Any = None, v: Any = None, **by_name: Any) -> State:
        """State from whole vectors, from pieces by name, or both.

        Parameters
        ----------
        q : array (n_q,), optional
            Coordinates; by default neutral.
        v : array (n_v,), optional
            Speeds; by default zero.
        **by_name
            Hinge coordinates of a body as ``arm=0.3``; other pieces through a dictionary:
            ``**{"arm.modes": [...], "arm.rates": 0.1, "arm.mode_rates": [...]}``.

        Returns
        -------
        State
        """
        state = State(
            self, self._neutral_q() if q is None else q, np.zeros(self.n_v) if v is None else v
        )
        if not by_name:
            return state
        vectors = {"q": state.q.copy(), "v": state.v.copy()}
        for key, values in by_name.items():
            vector, piece = self.layout.piece(key)
            vectors[vector] = _with_piece(vectors[vector], piece, values, key)
            if "." not in key:
                self._doubt_angles(key, vectors[vector][piece])
        return State(self, vectors["q"], vectors["v"])

    def _doubt_angles(self, name: str, values: Any) -> None:
        """Warn of hinge angles that are likely in degrees."""
        if not is_numeric(values) or not np.any(np.abs(values) >= 10):
            return
        joint = self.joints[self.layout.index(name)]
        for x, (what, unit) in zip(values, joint.coordinates, strict=True):
            if unit == "rad" and not np.iscomplexobj(x):
                doubt_angle(x, f"state: {what} of joint {name!r}", turns=True)

    def evaluator(self) -> Evaluator:
        """Dynamics of this system from arrays q and v, in a workspace of its own.

        Returns
        -------
        Evaluator
            For control loops: ``forward_dynamics(q, v, forces)``, ``inverse_dynamics``,
            ``mass_matrix(q)``, ``pose(q, where)`` and others; one for each thread.
        """
        from ..algorithms.tree.evaluator import Evaluator

        return Evaluator(self)

    def place(self, where: Any, at: Any = None) -> Frame:
        """Frame of "body", "body.node" or the name of a frame: the node that carries it, and where.

        Parameters
        ----------
        where : str
            "body" alone means the body's frame, which is its inboard node.
        at : array (3,), optional
            Point in the axes of that frame to which its origin is moved [m].
        """
        frames = self.derived.setdefault("places", {})
        key = str(where)
        frame = frames.get(key)
        if frame is None:
            frame = frames[key] = self._placed(key)
        return frame if at is None else frame.at(at)

    def shape(self, carrier: Any, shape: ContactShape, name: str = "") -> PlacedShape:
        """Shape on a body, node or frame, for contacts; it does not become part of the system.

        Parameters
        ----------
        carrier : str
            "body", "body.node" or the name of a frame.
        shape : ContactShape
            Shape in the axes of its carrier.
        name : str
            Name in messages.
        """
        self.place(carrier)
        return PlacedShape(shape, str(carrier), name)

    def find_shape(self, where: Any) -> PlacedShape:
        """Shape of a name, or the only one that a body, node or frame carries.

        Parameters
        ----------
        where : str
            Name of a shape, "body", "body.node" or the name of a frame.
        """
        name = str(where)
        for shape in self.shapes:
            if shape.name == name:
                return shape
        carried = self._shapes_on(name)
        if len(carried) == 1:
            return carried[0]
        if carried:
            raise StateError(
                f"{name!r} carries {len(carried)} shapes; name the one that is meant: "
                f"{name_list(x.label for x in carried)}"
            )
        if name not in self.names and name not in self._frames and "." not in name:
            choices = [*(x.name for x in self.shapes), *self.names, *self._frames]
            words = suggestion(name, choices)
            raise StateError(f"there is no shape, body or frame {name!r}; {words}")
        self.place(name)
        raise StateError(
            f"{name!r} carries no shape; add one with Model.add_shape(shape, on={name!r}), or give "
            f"system.shape({name!r}, shape)"
        )

    def _shapes_on(self, name: str) -> list[PlacedShape]:
        """Shapes of a carrier, by whichever name it was given."""
        carriers = {x.carrier for x in self.shapes if x.carrier is not None}
        if name not in carriers and carriers and (name in self.names or "." in name):
            here = self.locate(name)
            same = (x for x in carriers if x not in self._frames and self.locate(x) == here)
            name = next(same, name)
        return [x for x in self.shapes if x.carrier == name]

    @cached_property
    def _frames(self) -> dict[str, Frame]:
        return {frame.name: frame for frame in self.frames}

    def _placed(self, where: str) -> Frame:
        """Frame of a name, looked up."""
        frames, (name, dot, node) = self._frames, where.partition(".")
        if name in frames:
            if dot:
                raise StateError(f"frame {name!r} has no node {node!r}: a frame is {name!r} alone")
            return frames[name]
        if frames and name not in self.names:
            names = [*self.names, *frames]
            raise StateError(f"there is no body or frame {name!r}; {suggestion(name, names)}")
        return Frame(where, *self.locate(where), plain=True)

    def locate(self, where: Any) -> tuple[int, int]:
        """Body and node numbers of "body" or "body.node" (a node's name or number).

        Parameters
        ----------
        where : str
            "body" alone means the body's frame, which is its inboard node.
        """
        name, _, node = str(where).partition(".")
        i = self.layout.index(name)
        body = self.bodies[i]
        if not node:
            return i, body.inboard
        if node in body.node_names:
            return i, body.node_names[node]
        if node.isdecimal() and int(node) < len(body.node_positions) > 1:
            return i, int(node)
        if not body.node_names:
            raise StateError(
                f"body {name!r} has no node {node!r}: it is rigid; use {name!r} for its origin"
            )
        raise StateError(f"body {name!r} has no node {node!r}; {suggestion(node, body.node_names)}")

    def _neutral_q(self) -> Array:
        pieces = [
            np.concatenate([np.zeros(body.n_mode), joint.neutral()])
            for body, joint in zip(self.bodies, self.joints, strict=True)
        ]
        return np.concatenate(pieces) if pieces else np.zeros(0)

    def _repr_html_(self) -> str:
        """Tree as a table, for notebooks."""
        return tree_table(self)

    def __repr__(self) -> str:
        """Readable tree."""
        return printed_tree(self)


def _with_piece(vector: Array, piece: slice, values: Any, key: str) -> Array:
    try:
        numbers = np.atleast_1d(array(values))
    except (TypeError, ValueError):
        raise StateError(f"{key!r} is not an array of numbers: {shown(values)}") from None
    n = piece.stop - piece.start
    if numbers.shape != (n,):
        raise StateError(f"{key!r} needs {n} number{'' if n == 1 else 's'}, got {shown(values)}")
    return np.concatenate([vector[: piece.start], numbers, vector[piece.stop :]])
