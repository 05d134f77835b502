"""Closure of the loops of a system in a state: gaps, constraint equations and free motions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...errors import MOST_LINES, StateError, cut_lines, name_list, suggestion
from ...printing import Shown, folded
from ...system import State, StateLike, System, equation
from ..tree.arguments import as_state
from ..tree.composite import mass_matrix
from ..tree.coordinates import error_sizes, hinge_speeds
from ..tree.reference import articulate_tip_to_base, kinematics_base_to_tip
from .closed_loops import closure_accelerations, loop_motions, operational_compliance
from .couplings import coupled_row
from .frames import (
    PlacedLoop,
    check_real,
    closure_gaps,
    closure_jacobian,
    closure_slices,
    placed_loops,
)
from .redundancy import dependent_speeds, rank_of, redundant_motions

Array = np.ndarray


@dataclass(frozen=True)
class Speeds(Shown):
    """Selection of the speeds of a system.

    Attributes
    ----------
    indices : tuple of int
        Their indices in v.
    names : tuple of str
        Their descriptions.
    """

    indices: tuple[int, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class LoopClosure(Shown):
    """Closure of one loop.

    Attributes
    ----------
    gap : array (n,)
        Constraint residual [m]; angles are multiplied by the length of the closure.
    rate : array (n,)
        Its rate [m/s].
    coordinates : array (n_q,)
        Coordinates of the loop's joint.
    displacement : float
        Distance between its ends [m].
    rotation : float
        Angle between its ends [rad].
    redundant : tuple of str
        Redundant constraints of the loop, see `Closure.redundant`.
    """

    gap: Array
    rate: Array
    coordinates: Array
    displacement: float
    rotation: float
    redundant: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class CouplingClosure(Shown):
    """Closure of one coupling.

    Attributes
    ----------
    gap : float
        Constraint residual: sum of ratios times coordinates minus the offset, in its own unit.
    rate : float
        Its rate.
    redundant : tuple of str
        The equation, if it follows from loops or earlier couplings.
    """

    gap: float
    rate: float
    redundant: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Closure:
    """Closure of the loops and couplings of a system in a state, A vdot + gamma = 0.

    There is one equation for each motion that the joint of a loop prevents, loop by loop, then one
    for each coupling.  All rows are displacements [m]: rotations are multiplied by `length`, and
    rows of couplings are scaled to unit size.  ``closure["name"]`` is the closure of one loop or
    coupling.  Everything is computed when first used.

    Attributes
    ----------
    system : System
        Compiled mechanism.
    state : State
        Configuration and speeds.
    """

    system: System
    state: State

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the loops, then of the couplings."""
        return tuple(one.name for one in self.system.constraints)

    @property
    def length(self) -> float:
        """Length that makes rotations comparable with displacements [m]."""
        return self.system.length

    @cached_property
    def _placed(self) -> list[PlacedLoop]:
        return placed_loops(self.system, self.state.raw_q)

    @cached_property
    def _scaled(self) -> Array:
        """Jacobian A with columns in comparable units."""
        return self.jacobian * error_sizes(self.system)[0]

    @cached_property
    def gap(self) -> Array:
        """Constraint residuals (n_constraint,) [m]."""
        return closure_gaps(self.system, self.state.raw_q, self._placed)

    @cached_property
    def rate(self) -> Array:
        """Rate of the gap, A v (n_constraint,) [m/s]."""
        return self.jacobian @ self.state.v

    @cached_property
    def coordinates(self) -> dict[str, Array]:
        """Coordinates of the joint of each loop, as for a joint of the tree, by loop name."""
        return {x.loop.name: x.coordinates for x in self._placed}

    @cached_property
    def jacobian(self) -> Array:
        """Jacobian A (n_constraint, n_v): speeds to the rate of the gap."""
        return closure_jacobian(self.system, self.state.raw_q, self._placed)

    @cached_property
    def bias(self) -> Array:
        """Vector gamma (n_constraint,): A vdot + gamma = 0 keeps the loops closed [m/s^2]."""
        motions = kinematics_base_to_tip(self.system, self.state.q, self.state.v)
        loops = loop_motions(self.system, motions)
        return closure_accelerations(self.system, motions, loops, np.zeros(self.system.n_v))

    @cached_property
    def operational(self) -> Array:
        """Matrix A M^-1 A^T (n_constraint, n_constraint): loop forces [N] to accelerations."""
        motions = kinematics_base_to_tip(self.system, self.state.q, np.zeros(self.system.n_v))
        articulated = articulate_tip_to_base(self.system, motions)
        loops = loop_motions(self.system, motions)
        return operational_compliance(self.system, motions, loops, articulated)

    @cached_property
    def rank(self) -> int:
        """Number of independent equations."""
        return rank_of(self._scaled)

    @cached_property
    def redundant(self) -> dict[str, tuple[str, ...]]:
        """Redundant constraints of each loop: motions already prevented by it or by earlier loops.

        One description for each redundant equation, in the axes of the frame at end b; the motion
        does not determine the loop forces in these directions.  Couplings come after all loops.
        """
        return redundant_motions(self.system, self._scaled, self._placed)

    @cached_property
    def independent(self) -> Speeds:
        """Speeds that determine the others: ``.indices`` in v, and ``.names``.

        Chosen so that the dependent speeds are well-conditioned functions of them; outer hinges
        depend on inner ones, and modes are dependent only if no hinge can be.
        """
        follow = dependent_speeds(self._scaled, hinge_speeds(self.system))
        indices = [k for k in range(self.system.n_v) if k not in set(follow)]
        owner = self.system.layout.owner_v
        return Speeds(tuple(indices), tuple(owner(k) for k in indices))

    @cached_property
    def basis(self) -> Array:
        """Basis B (n_v, n_free) with v = B v[independent.indices] and A B = 0 (E 4)."""
        free = list(self.independent.indices)
        follow = [k for k in range(self.system.n_v) if k not in set(free)]
        size, B = error_sizes(self.system)[0], np.zeros((self.system.n_v, len(free)))
        B[free] = np.eye(len(free))
        if follow:
            scaled = -np.linalg.lstsq(self._scaled[:, follow], self._scaled[:, free], rcond=None)[0]
            B[follow] = size[follow, None] * scaled / size[free]
        return B

    @cached_property
    def mass_matrix(self) -> Array:
        """Mass matrix B^T M B (n_free, n_free) of the independent speeds."""
        return self.basis.T @ mass_matrix(self.system, self.state) @ self.basis

    def __getitem__(self, name: str) -> LoopClosure | CouplingClosure:
        """Closure of one loop or coupling, by name."""
        if not isinstance(name, str) or name not in self.names:
            what = "loop or coupling" if self.system.couplings else "loop"
            raise StateError(f"there is no {what} {name!r}; {suggestion(str(name), self.names)}")
        k = self.names.index(name)
        rows = closure_slices(self.system)[k]
        if k >= len(self._placed):
            return self._of_coupling(k - len(self._placed), rows.start)
        x = self._placed[k]
        return LoopClosure(x.gap, self.rate[rows], x.coordinates, *x.left, self.redundant[name])

    def _of_coupling(self, k: int, row: int) -> CouplingClosure:
        coupling = self.system.couplings[k]
        scale = coupled_row(self.system, coupling).scale
        gap, rate = float(self.gap[row]) / scale, float(self.rate[row]) / scale
        return CouplingClosure(gap, rate, self.redundant[coupling.name])

    def __repr__(self) -> str:
        """Loops, gaps, redundant equations, and independent speeds."""
        lines = cut_lines(map(self._line, self.names), MOST_LINES, "of them", len(self.names))
        return folded("\n".join([self._heading(), *lines, *self._free()]))

    def _heading(self) -> str:
        groups = (("loop", len(self._placed)), ("coupling", len(self.system.couplings)))
        counts = [f"{n} {what}{'' if n == 1 else 's'}" for what, n in groups if n] or ["0 loops"]
        what, n = " and ".join(counts), self.system.n_constraint
        return (
            f"Closure of {self.system.name or 'a system'}: {what}, {n} "
            f"equation{'' if n == 1 else 's'} of rank {self.rank}, {self.system.n_v} speeds of "
            f"which {len(self.independent.indices)} independent, length {self.length:.4g} m"
        )

    def _line(self, name: str) -> str:
        one, k = self[name], self.names.index(name)
        if isinstance(one, CouplingClosure):
            words = equation(self.system, self.system.couplings[k - len(self._placed)])
            text = f"  {name}: {words}, violated by {one.gap:.2g}, rate {one.rate:.2g}"
            return text + ("\n    it follows from others" if one.redundant else "")
        loop = self.system.loops[k]
        rate = np.linalg.norm(one.rate)
        text = (
            f"  {name}: {loop.joint.label}, gap {one.displacement:.2g} m and {one.rotation:.2g} rad"
            f", rate {rate:.2g} m/s"
        )
        if one.redundant:
            text += (
                f"\n    {len(one.redundant)} of its {loop.n_constraint} equations follow from "
                f"others: {', '.join(one.redundant)} (axes of its frame b)"
            )
        return text

    def _free(self) -> list[str]:
        names = self.independent.names
        return [f"  independent: {name_list(names, show=str)}"] if names else []


def closure(system: System, state: StateLike) -> Closure:
    """Closure of the loops and couplings of a system in a state.

    Parameters
    ----------
    system : System
        Compiled mechanism; without loops and couplings everything is empty and all speeds are
        independent.
    state : State or (q, v)
        Configuration and speeds, real numbers; the loops need not be closed.

    Returns
    -------
    Closure
        ``.gap`` and ``.rate`` of the loops, their equations ``.jacobian`` and ``.bias``, ``.rank``
        and ``.redundant`` equations, ``.independent`` speeds with ``.basis`` and ``.mass_matrix``,
        ``.operational`` and ``.coordinates``.
    """
    state = as_state(system, state)
    check_real(state, "closure")
    return Closure(system, state)
