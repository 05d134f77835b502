"""Loads and methods: their files register kernels here; `loads` and `methods` build switches.

Their files are in `lissom.sim`, a layer above this one, and import this module; kernels do not
import them.  The number of a kind is its index in the list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..compiling import inlined

Array = np.ndarray
Kernel = Callable[..., Any]
Steepest = Callable[[Array, int], tuple[Any, Any]]

# Advice for forces that are functions of the state
STIFF_FUNCTION = "give its stiff part as JointSpring and JointDamper, sample it (Controller), or "

# When the slopes of a load are evaluated: never, in a state, in a state with its signal
NO_SLOPES, SLOPES, SLOPES_WITH_SIGNAL = range(3)


class JointKind(NamedTuple):
    """Kernels and properties of a load on a joint."""

    name: str  # kind of load
    # force(table, c, n, q, o_q, v, o_v, signals, states, z, dz, o, T): adds n generalized forces to
    # T[o_v:]. Constants are at table[c:], coordinates and speeds at q[o_q:] and v[o_v:], the values
    # of its signal and then their rates at signals[0:]. A load with states writes their rates to
    # states[dz:]; its states are states[z:] plus states[0] times these rates. Output channels are
    # written to states[o:]
    force: Kernel
    # slopes(table, c, n, q, o_q, v, o_v, signals, states, z, sides, K, C): adds stiffness -dT/dq
    # and damping -dT/dv to K[o_v:] and C[o_v:]. sides: for each speed the last iterates below and,
    # n_v further on, above zero; states[LOAD_SECANT]: whether secants are wanted. Without it the
    # derivatives are found by differences of `force`
    slopes: Kernel | None = None
    # steepest(numbers, n) -> largest stiffness and damping, numbers being the constants
    steepest: Steepest | None = None
    nonlinear: bool = False  # whether its slopes change with the state
    with_signal: bool = False  # whether its slopes depend on its signal
    catches: bool = False  # whether it acts on a part of the travel only, like a stop
    # whether its force has kinks or nearly jumps, so that steps have to look for them
    kinked: bool = False
    # whether its slopes are its whole derivative; else the rest is found by differences
    whole: bool = True
    signal_alone: bool = False  # whether its force depends on its signal alone
    # change(table, c, n, signals, o, T, o_v): adds the changes of its forces to T[o_v:] where
    # signals[0:] change by signals[o:]; of each kind whose signal may depend on the state
    change: Kernel | None = None
    # advice if it slows down a run because implicit methods do not have its slopes
    advice: str = ""

    @property
    def when_slopes(self) -> int:
        """When its slopes are evaluated."""
        if self.slopes is None:
            return NO_SLOPES
        return SLOPES_WITH_SIGNAL if self.with_signal else SLOPES


class NodeKind(NamedTuple):
    """Kernels of a load on nodes."""

    name: str  # kind of load
    # force(load, table, memory, signals, work, a, b, states, o): adds wrenches to the records of
    # slots at work[a:] and work[b:], and writes its output channels to states[o:]. load: its
    # `LoadRow`, with its constants at table[load.constants:]; load.axes: 1 for world axes
    force: Kernel
    # change(load, table, memory, signals, work, a, b, motion, m_a, m_b, out, o_a, o_b): adds the
    # changes of these wrenches to out[o_a:] and out[o_b:]: those seen in the axes of the slots,
    # written along world axes. At motion[m_a:] and motion[m_b:] are small motions of the slots:
    # turn, shift, changes of angular and linear velocity, 3 numbers each in world axes
    change: Kernel
    stiff: bool = False  # whether implicit steps need these changes
    advice: str = ""  # as for `JointKind`


class BodyKind(NamedTuple):
    """Kernel of a load on a body as a whole, with its modes."""

    name: str  # kind of load
    # force(load, system, table, t, q, v, signals, states, z, dz, slots, T): adds a wrench to the
    # record of its slot, and load.n modal forces to T[load.v:], at the time t, which does not count
    # from the start of the run. load: its `LoadRow`; load.body is that of its body in ints, after
    # `motion_base_to_tip`; the values of its signal and then their rates are at signals[0:]. z, dz:
    # places in `states` of the state of a load on a joint that belongs to it, and of its rate;
    # without one z is the place of its output channel
    force: Kernel
    advice: str = ""  # as for `JointKind`


class Method(NamedTuple):
    """Kernels of an integrator; `r` are the arrays of a run, see `views.Run`."""

    name: str  # name of the method
    # step(r, t, h, mode): takes a step from r.start to r.end; returns a status and whether the step
    # was also taken by halves
    step: Kernel
    traits: int  # sum of traits, see `fields`
    # error(r, h): estimated error of the last step in units of the tolerance
    error: Kernel | None = None
    # commit(r, h): stores what the next step needs; returns whether r.x.x0 holds the accelerations
    # at the end of the step
    commit: Kernel | None = None


JOINT_KINDS: list[JointKind] = []
NODE_KINDS: list[NodeKind] = []
BODY_KINDS: list[BodyKind] = []
METHODS: list[Method] = []
# Names of the methods that the kernel of a run knows; all if it is empty.  Code for GPUs is
# compiled for few methods at a time.
SELECTED: set[str] = set()


def register(kind: JointKind | NodeKind | BodyKind | Method) -> int:
    """Number of a new kind of load or of a new method."""
    kinds: list[Any] = METHODS
    if isinstance(kind, JointKind):
        kinds = JOINT_KINDS
    elif isinstance(kind, NodeKind):
        kinds = NODE_KINDS
    elif isinstance(kind, BodyKind):
        kinds = BODY_KINDS
    kinds.append(kind)
    return len(kinds) - 1


def switch(kernels: Iterable[Kernel | None], otherwise: Any = None) -> Kernel:
    """Kernel (which, *arguments) that calls the kernel of this number, where there is one.

    otherwise: what is returned where there is none.
    """

    @inlined
    def chain(which, *arguments):
        return otherwise

    for number, kernel in reversed(list(enumerate(kernels))):
        if kernel is not None:
            chain = _or(number, kernel, chain)
    return chain


def _or(number: int, kernel: Kernel, others: Kernel) -> Kernel:
    @inlined
    def chain(which, *arguments):
        if which == number:
            return kernel(*arguments)
        return others(which, *arguments)

    return chain
