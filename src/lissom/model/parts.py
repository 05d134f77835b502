"""Parts of a model: bodies with the joints that carry them, and additional joints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..bodies import FlexibleBody, NodalBody, RigidBody, Rod
from ..errors import ModelError
from ..fields import numbers_or_symbols
from ..immutable import immutable
from ..joints import ClosedContact, Free, Joint
from ..printing import Shown
from ..shapes import ContactShape
from ..spatial.given import given_rotation
from ..spatial.scalar import is_numeric
from .joint_checks import check_fields

Array = np.ndarray
Body = RigidBody | FlexibleBody | NodalBody | Rod


@dataclass(frozen=True)
class Part(Shown):
    """Handle of a body, one of its nodes or a frame; it can be used wherever a name is accepted.

    ``part["tip"]`` is the handle of the node called "tip".

    Parameters
    ----------
    name : str
        Body or frame.
    node : str or int, optional
        Node of the body; by default the body's frame.
    model : Model, optional
        Model that it is a part of, for `add_shape`.
    """

    name: str
    node: str | int | None = None
    model: Any = field(default=None, kw_only=True, repr=False, compare=False)

    def __getitem__(self, node: str | int) -> Part:
        """Handle of a node of this body."""
        return Part(self.name, node, model=self.model)

    def add_shape(self, shape: ContactShape, *, name: str = "") -> Part:
        """Add a shape to this body, node or frame; see `Model.add_shape`.

        Parameters
        ----------
        shape : ContactShape
            One of `lissom.shapes`, in the axes of this body, node or frame.
        name : str
            Name of the shape; by default its carrier and kind.

        Returns
        -------
        Part
            Handle of the shape, for contacts.
        """
        if self.model is None:
            raise ModelError(
                f"the handle {str(self)!r} belongs to no model; use "
                f"model.add_shape(shape, on={str(self)!r})"
            )
        return self.model.add_shape(shape, self, name=name)

    def __getstate__(self) -> dict[str, Any]:
        """Fields without the model."""
        return {"name": self.name, "node": self.node, "model": None}

    def __str__(self) -> str:
        """Text "body" or "body.node", as functions accept it."""
        return self.name if self.node is None else f"{self.name}.{self.node}"


@immutable("use model.replace, model.move, or remove the body and add it again")
@dataclass(frozen=True, eq=False)
class Connection(Shown):
    """One body of a model and the joint that carries it; names are resolved by `compile`.

    A loose body is connected by joins only; its `joint` is a Free joint as a placeholder.
    A geared joint is the elastic gear of a drive and is attached to the rotor.
    """

    name: str
    body: Body
    joint: Joint
    to: Part | None
    at: Array
    rotation: Array
    loose: bool = False
    geared: bool = False

    @property
    def words(self) -> str:
        """Joint and parent in words."""
        if self.loose:
            return "connected by joins"
        return f"{self.joint.label}, on {self.to or 'the ground'}"


@immutable("remove its owner from the model and add it again")
@dataclass(frozen=True, eq=False)
class End(Shown):
    """Frame of a joint on a body, on a node, or on the ground (None)."""

    part: Part | None
    at: Array
    rotation: Array

    @property
    def body(self) -> str | None:
        """Name of the body; None for the ground."""
        return None if self.part is None else self.part.name


@immutable("remove it from the model and add it again")
@dataclass(frozen=True, eq=False)
class Closing(Shown):
    """A joint between two parts of a model; its kind is "loop" or "join"."""

    kind: str
    name: str
    joint: Joint
    a: End
    b: End

    @property
    def title(self) -> str:
        """Label for error messages."""
        return f"{self.kind} {self.name!r}"

    @property
    def words(self) -> str:
        """Joint and connected parts in words."""
        a, b = (end.part or "the ground" for end in (self.a, self.b))
        return f"{self.joint.label}, {a} - {b}"

    def touches(self, body: str) -> bool:
        """Whether one of its ends is attached to the body."""
        return body in (self.a.body, self.b.body)


def checked_connection(
    name: str, body: Any, joint: Any, to: Any, node: Any, at: Any, rotation: Any
) -> Connection:
    """Validated body and joint; see `Model.add`."""
    where = f"body {name!r}"
    checked_body(body, where)
    if isinstance(joint, ClosedContact):
        raise ModelError(
            f"{where}: {joint.label} is a contact and cannot carry a body; add the body with the "
            "joint that carries it, by default Free(), and give the contact to Model.close"
        )
    connection = Connection(
        name=name,
        body=body,
        joint=Free() if joint is None else checked_joint(joint, where),
        to=place(to, node, where),
        at=checked_vector(at, "at", where),
        rotation=checked_rotation(rotation, where),
        loose=joint is None,
    )
    at_zero = is_numeric(connection.at) and not np.any(connection.at)
    if joint is None and not (to is None and rotation is None and at_zero):
        raise ModelError(
            f"{where}: its joint is None, but to, at or rotation is given; give a joint, or leave "
            "these out and connect the body with model.join(...)"
        )
    return connection


def place(to: Any, node: Any, where: str, what: str = "to") -> Part | None:
    """Validated handle of the argument `what`, None for the ground; `where` labels errors."""
    if to is None:
        if node is not None:
            raise ModelError(f"{where}: node={node!r} is given without its body; give {what}=")
        return None
    if isinstance(to, str):
        body, dot, named = to.partition(".")
        to = Part(body, named if dot else None)
    if not isinstance(to, Part):
        raise ModelError(
            f'{where}: {what} is {to!r}; expected "body", "body.node", a frame or a handle'
        )
    if node is None:
        return Part(to.name, to.node)
    if to.node is not None:
        raise ModelError(
            f"{where}: {what}={str(to)!r} already names a node; leave out node={node!r}, or the "
            f"node in {what}"
        )
    return Part(to.name, node)


def checked_end(part: Any, at: Any, rotation: Any, where: str, side: str) -> End:
    """Validated frame of a joint on the side "a" or "b"; `where` labels errors."""
    return End(
        place(part, None, where, side),
        checked_vector(at, f"at_{side}", where),
        checked_rotation(rotation, where, f"rotation_{side}"),
    )


def checked_body(body: Any, where: str) -> Body:
    """Validated body; `where` labels errors."""
    if not isinstance(body, Body):
        kinds = "RigidBody, FlexibleBody, NodalBody or Rod"
        raise ModelError(f"{where}: expected a {kinds}, got {body!r}")
    return body


def checked_joint(joint: Any, where: str) -> Joint:
    """Validated joint; `where` labels errors."""
    if not isinstance(joint, Joint):
        hint = f"; write {joint.__name__}(...)" if isinstance(joint, type) else ""
        raise ModelError(f"{where}: expected a joint, got {joint!r}{hint}")
    check_fields(where, joint)
    return joint


def checked_vector(values: Any, what: str, where: str) -> Array:
    """Validated array (3,) of finite numbers or symbols; `where` and `what` label errors."""
    expected = "three real numbers, all finite"
    return numbers_or_symbols(values, f"{where}: {what}", expected, (3,))


def checked_rotation(values: Any, where: str, what: str = "rotation") -> Array:
    """Orthonormalised rotation matrix, symbols unchanged; `where` and `what` label errors."""
    return given_rotation(values, f"{where}: {what}")
