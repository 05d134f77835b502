"""Events of a run: impulses by which they changed its speeds, and contacts that close and open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..printing import Shown

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Impulse(Shown):
    """Impulse by which a lock stops a joint.

    Attributes
    ----------
    joint : str
        Body that the joint carries.
    units : tuple of str
        Units of `impulse`.
    impulse : array (n,)
        On the motions of the joint, in the direction of its speeds [N m s or N s]; zero of a lock
        with a stiffness.
    loss : float
        Kinetic energy lost [J].
    inertia : array (n, n)
        Reduced inertia of these motions, all others free: impulse = -inertia @ speeds before, loss
        = speeds @ inertia @ speeds / 2 [kg m^2 or kg].  Zero where loops hold the joint anyway.
    rate : float
        Rate at which the joint vibrates on the stiffness of the lock [rad/s]; infinite if the lock
        is rigid.
    loops : mapping of str to array (6,)
        Impulse [moment; force] of each loop on its end b, in the axes of that frame [N m s, N s].
    shares : mapping of str to float
        Part of the kinetic energy that the impulse gives to the shapes of a body which the upper
        half of them takes, by body.
    share : float
        The same of all bodies together; 0 if no shapes move.
    energy : float
        Kinetic energy that the impulse gives to shapes [J].
    """

    joint: str
    units: tuple[str, ...]
    impulse: Array
    loss: float
    inertia: Array
    rate: float
    loops: Mapping[str, Array]
    shares: Mapping[str, float]
    share: float
    energy: float

    @property
    def place(self) -> str:
        """The joint."""
        return self.joint

    def plain(self) -> dict[str, Any]:
        """The same as texts and numbers, for files."""
        return {
            "joint": self.joint,
            "impulse": self.impulse.tolist(),
            "units": list(self.units),
            "loss": self.loss,
            "inertia": self.inertia.tolist(),
            "rate": self.rate if self.rate < np.inf else None,
            "loops": {name: x.tolist() for name, x in self.loops.items()},
            "shares": dict(self.shares),
            "share": self.share,
            "energy": self.energy,
        }

    @classmethod
    def of_plain(cls, plain: Mapping[str, Any]) -> Impulse:
        """Impulse from the texts and numbers of a file.

        Parameters
        ----------
        plain : mapping
            What `plain` gave.
        """
        return cls(
            joint=str(plain["joint"]),
            impulse=np.array(plain["impulse"], dtype=float),
            units=tuple(map(str, plain["units"])),
            loss=float(plain["loss"]),
            inertia=np.array(plain["inertia"], dtype=float),
            rate=np.inf if plain["rate"] is None else float(plain["rate"]),
            loops={str(k): np.array(x, dtype=float) for k, x in plain["loops"].items()},
            shares={str(k): float(x) for k, x in plain["shares"].items()},
            share=float(plain["share"]),
            energy=float(plain["energy"]),
        )


@dataclass(frozen=True, eq=False)
class Touch(Shown):
    """A contact that closes or opens; one of several points opens with the last of them.

    Attributes
    ----------
    contact : str
        Name of the contact.
    touches : bool
        Whether it closes.
    speed : float
        Speed of approach when it closed [m/s]; 0 if the run began with it closed.
    duration : float
        Time of contact that was expected then, of a free elastic impact [s]; may be infinite.
    lasted : float
        Time since it has closed [s]; 0 when it closes.
    impulse : float
        Impulse of the normal force in this time [N s].
    peak : float
        Largest normal force in this time [N].
    """

    contact: str
    touches: bool
    speed: float
    duration: float
    lasted: float = 0.0
    impulse: float = 0.0
    peak: float = 0.0

    def plain(self) -> dict[str, Any]:
        """The same as texts and numbers, for files."""
        return vars(self) | {"duration": self.duration if self.duration < np.inf else None}

    @classmethod
    def of_plain(cls, plain: Mapping[str, Any]) -> Touch:
        """Touch from the texts and numbers of a file.

        Parameters
        ----------
        plain : mapping
            What `plain` gave.
        """
        duration = np.inf if plain["duration"] is None else float(plain["duration"])
        return cls(**{**plain, "duration": duration})


@dataclass(frozen=True, eq=False)
class ImpactImpulse(Shown):
    """Impulse of a rigid impact between two shapes.

    Vectors are in world axes.

    Attributes
    ----------
    a, b : str
        Names of the shapes.
    point : array (3,)
        Where they touch [m].
    normal : array (3,)
        Unit normal from b to a.
    impulse : array (3,)
        On a; minus this on b [N s].
    velocity : array (3,)
        Of a relative to b at the point, before [m/s].
    velocity_after : array (3,)
        The same after it [m/s].
    loss : float
        Kinetic energy lost [J].
    inertia : array (3, 3)
        Reduced inertia at the point: impulse = inertia @ (velocity_after - velocity); zero in
        directions in which nothing can move [kg].
    loops : mapping of str to array (6,)
        Impulse [moment; force] of each loop on its end b, in the axes of that frame [N m s, N s].
    shares : mapping of str to float
        Part of the compliance at the point, along the impulse, that the upper half of the shapes of
        a body provides, by body.
    share : float
        The same of all bodies together; 0 if no shapes move.
    energy : float
        Kinetic energy that the impulse gives to shapes [J].
    """

    a: str
    b: str
    point: Array
    normal: Array
    impulse: Array
    velocity: Array
    velocity_after: Array
    loss: float
    inertia: Array
    loops: Mapping[str, Array]
    shares: Mapping[str, float]
    share: float
    energy: float

    @property
    def place(self) -> str:
        """Both shapes."""
        return f"{self.a} and {self.b}"

    @property
    def approach(self) -> float:
        """Speed at which the shapes met [m/s]."""
        return -float(self.normal @ self.velocity)

    @property
    def rebound(self) -> float:
        """Speed at which they part [m/s]."""
        return float(self.normal @ self.velocity_after)

    def plain(self) -> dict[str, Any]:
        """The same as texts and numbers, for files."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain = {k: x.tolist() if isinstance(x, np.ndarray) else x for k, x in values.items()}
        loops = {name: x.tolist() for name, x in self.loops.items()}
        return {"kind": "impact", **plain, "loops": loops, "shares": dict(self.shares)}

    @classmethod
    def of_plain(cls, plain: Mapping[str, Any]) -> ImpactImpulse:
        """Impulse from the texts and numbers of a file.

        Parameters
        ----------
        plain : mapping
            What `plain` gave.
        """
        arrays = ("point", "normal", "impulse", "velocity", "velocity_after", "inertia")
        values: dict[str, Any] = {name: str(plain[name]) for name in "ab"}
        values |= {name: np.array(plain[name], dtype=float) for name in arrays}
        values |= {name: float(plain[name]) for name in ("loss", "share", "energy")}
        return cls(
            **values,
            loops={str(k): np.array(x, dtype=float) for k, x in plain["loops"].items()},
            shares={str(k): float(x) for k, x in plain["shares"].items()},
        )


def _impulse_of(plain: Mapping[str, Any]) -> Impulse | ImpactImpulse:
    """Impulse of either kind from the texts and numbers of a file."""
    return (ImpactImpulse if plain.get("kind") == "impact" else Impulse).of_plain(plain)


class EventRecord(tuple[float, str]):
    """An event of a run: the pair of its time [s] and its label, with what it did.

    Attributes
    ----------
    time : float
        Time [s].
    label : str
        Label of the event.
    impulses : tuple of Impulse and ImpactImpulse
        Impulses of its locks and of its rigid impact.
    touch : Touch or None
        The contact that closed or opened; None for other events.
    """

    time: float
    label: str
    impulses: tuple[Impulse | ImpactImpulse, ...]
    touch: Touch | None

    def __new__(
        cls,
        time: float,
        label: str,
        impulses: Iterable[Impulse | ImpactImpulse] = (),
        touch: Touch | None = None,
    ) -> EventRecord:
        """Pair of time and label.

        Parameters
        ----------
        time, label, impulses, touch
            The attributes.
        """
        self = super().__new__(cls, (float(time), str(label)))
        self.time, self.label = self
        self.impulses, self.touch = tuple(impulses), touch
        return self

    def __getnewargs__(
        self,
    ) -> tuple[float, str, tuple[Impulse | ImpactImpulse, ...], Touch | None]:
        """Arguments for copies."""
        return (self.time, self.label, self.impulses, self.touch)


def event_notes(records: Sequence[EventRecord]) -> dict[str, Any]:
    """Events as texts and numbers, for the notes of a run and of a checkpoint."""
    notes: dict[str, Any] = {
        "events": [list(one) for one in records],
        "impulses": [[x.plain() for x in one.impulses] for one in records],
    }
    if any(one.touch for one in records):
        notes["touches"] = [one.touch.plain() if one.touch else None for one in records]
    return notes


def event_records_of(notes: Mapping[str, Any]) -> list[EventRecord]:
    """Events from the notes of a run or checkpoint; earlier versions lack impulses and touches."""
    events = notes.get("events") or ()
    impulses = notes.get("impulses") or [()] * len(events)
    touches = notes.get("touches") or [None] * len(events)
    return [
        EventRecord(time, label, map(_impulse_of, each), touch and Touch.of_plain(touch))
        for (time, label), each, touch in zip(events, impulses, touches, strict=True)
    ]
