"""Model: bodies and joints put together by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..bodies import FlexibleBody, NodalBody, RigidBody
from ..errors import ModelError, suggestion
from ..joints import Joint
from ..spatial.scalar import array, is_numeric
from ..system import System

__all__ = ["Closing", "Connection", "Model", "Part", "checked_rotation", "checked_vector"]

Array = np.ndarray
Body = RigidBody | FlexibleBody | NodalBody


@dataclass(frozen=True)
class Part:
    """Handle of a body in a model, or of one of its nodes; use it wherever a name is taken.

    ``part["tip"]`` is the handle of the node called "tip".

    Parameters
    ----------
    name : str
        Body.
    node : str or int, optional
        Node of the body; by default the body's frame.
    """

    name: str
    node: str | int | None = None

    def __getitem__(self, node: str | int) -> Part:
        """Handle of a node of this body."""
        return Part(self.name, node)

    def __str__(self) -> str:
        """Text "body" or "body.node", as functions take it."""
        return self.name if self.node is None else f"{self.name}.{self.node}"


@dataclass(frozen=True, eq=False)
class Connection:
    """One body of a model with the joint that carries it; names are resolved by `compile`."""

    name: str
    body: Body
    joint: Joint
    to: Part | None
    at: Array
    rotation: Array


@dataclass(frozen=True, eq=False)
class Closing:
    """One loop of a model: a joint between two parts, None being the ground."""

    name: str
    joint: Joint
    a: Part | None
    b: Part | None
    at_a: Array
    at_b: Array
    rotation_a: Array
    rotation_b: Array


class Model:
    """A mechanism: bodies rigid or flexible, each carried by a joint on another body or the ground.

    Further joints between bodies close loops (`close`).

    Parts may be added in any order; names are resolved and values checked by `compile`.

    Parameters
    ----------
    name : str
        Name of the mechanism.
    gravity : array (3,)
        Gravitational acceleration in world axes [m/s^2].
    """

    def __init__(self, name: str = "", *, gravity: Any = (0.0, 0.0, 0.0)) -> None:
        self.name = str(name)
        self.gravity = checked_vector(gravity, "gravity", f"model {self.name!r}")
        self._parts: dict[str, Connection] = {}
        self._loops: dict[str, Closing] = {}

    @property
    def parts(self) -> Mapping[str, Connection]:
        """Connections by body name, in the order of addition."""
        return dict(self._parts)

    @property
    def loops(self) -> Mapping[str, Closing]:
        """Loops by name, in the order of addition."""
        return dict(self._loops)

    def add(
        self,
        body: Body,
        joint: Joint,
        *,
        name: str,
        to: str | Part | None = None,
        node: str | int | None = None,
        at: Any = (0.0, 0.0, 0.0),
        rotation: Any = None,
    ) -> Part:
        """Add a body that a joint carries.

        Parameters
        ----------
        body : RigidBody, FlexibleBody or NodalBody
            What is carried.
        joint : Joint
            How it may move.  The joint's outboard frame is the body's frame.
        name : str
            Name of the body, unique in the model, without a dot.
        to : str or Part, optional
            "body", "body.node" or a handle; by default the ground.
        node : str or int, optional
            Node of the body `to`, if `to` does not name it.
        at : array (3,)
            Origin of the joint's inboard frame, in the frame of that body or node [m].
        rotation : array (3, 3), optional
            Joint's inboard axes to the axes of that body or node.

        Returns
        -------
        Part
            Handle for later calls.
        """
        self._check_name(name)
        if not isinstance(body, Body):
            kinds = "RigidBody, FlexibleBody or NodalBody"
            raise ModelError(f"body {name!r}: expected a {kinds}, got {body!r}")
        if not isinstance(joint, Joint):
            hint = f"; write {joint.__name__}(...)" if isinstance(joint, type) else ""
            raise ModelError(f"body {name!r}: expected a joint, got {joint!r}{hint}")
        self._parts[name] = Connection(
            name=name,
            body=body,
            joint=joint,
            to=_place(to, node, f"body {name!r}"),
            at=checked_vector(at, "at", f"body {name!r}"),
            rotation=checked_rotation(rotation, f"body {name!r}"),
        )
        return Part(name)

    def close(
        self,
        joint: Joint,
        a: str | Part | None,
        b: str | Part | None,
        *,
        at_a: Any = (0.0, 0.0, 0.0),
        at_b: Any = (0.0, 0.0, 0.0),
        rotation_a: Any = None,
        rotation_b: Any = None,
        name: str,
    ) -> None:
        """Close a loop: let a joint connect two parts that the tree holds already.

        The frame at `b` may move against the frame at `a` as the joint allows, and no other way.

        Parameters
        ----------
        joint : Joint
            Any joint but Free; its inboard frame is at `a`, its outboard frame at `b`.
        a, b : str, Part or None
            "body", "body.node" or a handle; None is the ground.
        at_a, at_b : array (3,)
            Origins of the two frames, in the frames of these bodies or nodes [m].
        rotation_a, rotation_b : array (3, 3), optional
            Axes of the two frames to the axes of these bodies or nodes.
        name : str
            Name of the loop, unique among loops and bodies, without a dot.
        """
        self._check_name(name, "loop")
        if not isinstance(joint, Joint):
            hint = f"; write {joint.__name__}(...)" if isinstance(joint, type) else ""
            raise ModelError(f"loop {name!r}: expected a joint, got {joint!r}{hint}")
        if joint.n_v == 6:
            raise ModelError(
                f"loop {name!r}: its joint ({joint.label}) allows every motion and closes nothing; "
                "remove the loop or give a joint that holds something"
            )
        where = f"loop {name!r}"
        ends = [_place(end, None, where) for end in (a, b)]
        names = [None if end is None else end.name for end in ends]
        if names[0] == names[1]:
            what = "the ground" if names[0] is None else f"body {names[0]!r}"
            raise ModelError(
                f"{where} connects {what} with itself; give two different bodies, or one body and "
                "the ground (None)"
            )
        self._loops[name] = Closing(
            name=name,
            joint=joint,
            a=ends[0],
            b=ends[1],
            at_a=checked_vector(at_a, "at_a", where),
            at_b=checked_vector(at_b, "at_b", where),
            rotation_a=checked_rotation(rotation_a, where, "rotation_a"),
            rotation_b=checked_rotation(rotation_b, where, "rotation_b"),
        )

    def replace(self, name: str | Part, body: Body) -> None:
        """Put another body in the place of the one called `name`; joint and children stay.

        Parameters
        ----------
        name : str or Part
            Body to replace.
        body : RigidBody, FlexibleBody or NodalBody
            The new one; it must have the nodes that children sit on.
        """
        part = self._find(name)
        if not isinstance(body, Body):
            raise ModelError(f"replace({part.name!r}): expected a body, got {body!r}")
        self._parts[part.name] = replace(part, body=body)

    def move(
        self,
        name: str | Part,
        *,
        to: str | Part | None,
        node: str | int | None = None,
        at: Any = (0.0, 0.0, 0.0),
        rotation: Any = None,
    ) -> None:
        """Let another body, node or the ground carry a body; its joint and children stay.

        Parameters
        ----------
        name : str or Part
            Body to move.
        to, node, at, rotation
            Where its joint sits from now on, as in `add`.
        """
        part = self._find(name)
        self._parts[part.name] = replace(
            part,
            to=_place(to, node, f"body {part.name!r}"),
            at=checked_vector(at, "at", f"body {part.name!r}"),
            rotation=checked_rotation(rotation, f"body {part.name!r}"),
        )

    def remove(self, name: str | Part, *, outboard: bool = False) -> None:
        """Take out a body and its joint.

        Parameters
        ----------
        name : str or Part
            Body to remove.
        outboard : bool
            Also remove everything that the body carries; otherwise that is an error.
        """
        gone = [self._find(name).name]
        for body in gone:
            gone += [p.name for p in self._parts.values() if p.to is not None and p.to.name == body]
        if len(gone) > 1 and not outboard:
            raise ModelError(
                f"remove({gone[0]!r}): it carries {', '.join(map(repr, gone[1:]))}; remove those "
                "first or pass outboard=True"
            )
        for body in gone:
            del self._parts[body]

    def attach(self, model: Model, *, to: str | Part | None = None, prefix: str = "") -> list[Part]:
        """Add a copy of all parts of another model.

        Parameters
        ----------
        model : Model
            What to add; its gravity is not taken over.
        to : str or Part, optional
            Body or node that stands for the other model's ground; by default the ground.
        prefix : str
            Put before each of the added names.

        Returns
        -------
        list of Part
            Handles of the added bodies.
        """
        if not isinstance(model, Model):
            raise ModelError(f"attach: expected a Model, got {model!r}")
        base = _place(to, None, "attach")
        added = {}
        for part in model._parts.values():
            name = f"{prefix}{part.name}"
            self._check_name(name)
            inboard = base if part.to is None else Part(f"{prefix}{part.to.name}", part.to.node)
            added[name] = replace(part, name=name, to=inboard)
        self._parts.update(added)
        return [Part(name) for name in added]

    def compile(
        self, *, level: str | None = None, values: Mapping[Any, float] | None = None
    ) -> System:
        """Resolve names, turn parameters into floats, check them, and number the bodies.

        Parameters
        ----------
        level : {"full", "linear"}, optional
            Level for all flexible bodies; by default each body's own.
        values : mapping, optional
            Numbers for the symbols that appear in parameters.

        Returns
        -------
        System
        """
        from .compile import compile_model

        return compile_model(self, level=level, values=values or {})

    def __repr__(self) -> str:
        """One line a body."""
        rows = [f"Model {self.name!r}: {len(self._parts)} bodies"]
        for part in self._parts.values():
            kind = type(part.body).__name__
            rows.append(f"  {part.name}: {kind}, {part.joint.label}, on {part.to or 'the ground'}")
        return "\n".join(rows)

    def _find(self, name: str | Part) -> Connection:
        key = name.name if isinstance(name, Part) else name
        if not isinstance(key, str) or key not in self._parts:
            raise ModelError(f"there is no body {key!r}; {suggestion(str(key), self._parts)}")
        return self._parts[key]

    def _check_name(self, name: str, kind: str = "body") -> None:
        if not isinstance(name, str) or not name:
            raise ModelError(f"a {kind}'s name must be text, got {name!r}")
        if "." in name:
            raise ModelError(
                f"{kind} name {name!r} contains a dot; dots separate body and node, use another "
                "sign"
            )
        for known, names in (("body", self._parts), ("loop", self._loops)):
            if name in names:
                raise ModelError(f"there is a {known} {name!r} already; names must be unique")


def _place(to: str | Part | None, node: str | int | None, where: str) -> Part | None:
    if to is None:
        if node is not None:
            raise ModelError(f"{where}: node={node!r} is given but not the body it is on: to=")
        return None
    if isinstance(to, str):
        body, dot, named = to.partition(".")
        to = Part(body, named if dot else None)
    if not isinstance(to, Part):
        raise ModelError(f'{where}: to={to!r}; give "body", "body.node" or a handle')
    if node is None:
        return to
    if to.node is not None:
        raise ModelError(f"{where}: to={str(to)!r} names a node and node={node!r} another")
    return to[node]


def checked_vector(values: Any, what: str, where: str) -> Array:
    """Three finite numbers or symbols, or an error that says `where` `what` is wrong."""
    try:
        given = array(values)
    except (TypeError, ValueError):
        raise ModelError(f"{where}: {what} is {values!r}; expected three numbers") from None
    if given.shape != (3,) or np.iscomplexobj(given):
        raise ModelError(f"{where}: {what} is {values!r}; expected three real numbers")
    if is_numeric(given) and not np.all(np.isfinite(given)):
        raise ModelError(f"{where}: {what} is {values!r}; its entries must be finite")
    return given


def checked_rotation(values: Any, where: str, what: str = "rotation") -> Array:
    """Rotation matrix made exact, symbols as they are, or an error that says `where`."""
    if values is None:
        return np.eye(3)
    try:
        given = array(values)
    except (TypeError, ValueError):
        given = np.zeros(0)
    if given.shape != (3, 3) or np.iscomplexobj(given):
        raise ModelError(f"{where}: {what} has shape {given.shape}; expected (3, 3) real numbers")
    if not is_numeric(given):
        return given
    if not np.all(np.isfinite(given)):
        raise ModelError(f"{where}: {what} has entries that are not finite")
    U, stretch, Vt = np.linalg.svd(given)
    if np.abs(stretch - 1).max() > 1e-6 or np.linalg.det(given) < 0:
        raise ModelError(
            f"{where}: {what} is not a rotation matrix (orthonormal columns, determinant 1)"
        )
    return U @ Vt
