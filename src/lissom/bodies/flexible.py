"""Flexible bodies defined by nodes, masses, mode shapes and stiffness."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass, field
from functools import cached_property, partial
from typing import Any, final

import numpy as np

from ..errors import ModelError, name_list
from ..immutable import immutable, read_only
from ..spatial import block_diagonal, inertia_fault, parallel_axis, rigid_shift, spatial_inertia
from ..spatial.given import given_rotation
from ..spatial.scalar import array, is_numeric, sqrt, zeros
from . import second_order
from .basis import check_independent, check_stiffness, normal_basis
from .line import NodeLine, check_line
from .nodes import check_masses, checked_inboard, checked_names
from .normal import LEVELS, LINEARISED, REMEDY, Lump, MassIntegrals, NormalBody
from .recovery import Recovery
from .report import Report, report
from .residual import ResidualCompliance, checked_compliance, checked_contact_nodes
from .second_order import SecondOrder
from .solids import checked_solids

Array = np.ndarray

FRAMES = ("tangent", "chord")


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class FlexibleBody:
    """Body that deforms by a sum of mode shapes.

    Each node is a small rigid body that moves with l = l0 + Pi_tr eta and turns by
    exp(skew(Pi_rot eta)), in the frame of the shapes.  The joint holds the inboard node, which the
    shapes may move too (free-free modes).  Any basis is normalised once (see the theory page
    "Flexible bodies").

    Parameters
    ----------
    positions : array (n, 3)
        Undeformed nodes [m], in any frame parallel to the body frame.
    masses : array (n,)
        [kg]; nodes without mass serve as attachment points.
    shapes : array (n, 6, m)
        Mode shapes: rotation [rad] rows first, then translation [m], per unit amplitude.
    stiffness : array (m, m) or (m,)
        In the given amplitudes; m numbers are the diagonal.
    damping : float, array (m,) or array (m, m)
        Damping ratio of all modes, ratios of the normalised modes in their order, or a matrix in
        the given amplitudes.
    node_inertias : array (n, 3, 3), optional
        About the nodes, in node axes [kg m^2].
    node_offsets : array (n, 3), optional
        Centres of mass from the nodes, in node axes [m].
    inboard : int or str
        Node that carries the joint towards the base.
    names : dict
        Names of nodes, such as {"tip": 9}.
    level : {"full", "linear", "ruthless", "stiffened"}
        "full" keeps all deformation-dependent terms of the body's inertia, "linear" those of the
        undeformed body; the motion of attached bodies is exact at both.  "ruthless" drops the
        deformation from the velocity-dependent accelerations of attached bodies too.  "stiffened"
        adds the second order of the deformation: bending under tension, compression and spin.
    second_order : SecondOrder or callable, optional
        Second order of the deformation in the given amplitudes, or a function without arguments
        that returns it; for level "stiffened", with shapes that vanish at the inboard node.
    solids : Solid or sequence of Solid
        Appearance in drawings and views, see `solids.Sweep`.
    recovery : Recovery, optional
        Stresses and section loads in the given amplitudes, see `bodies.recovery`.
    frame : {"tangent", "chord"}
        What the joint holds at the inboard node.  "tangent": the material there; the rotation rows
        of the node say how the shapes turn it.  "chord": the frame in which the shapes are given,
        against which the material turns freely, as a pinned end does; the rotation rows of the
        node are then left out.
    source : Structure, optional
        Finite-element model that was reduced; kept in memory only.
    line : Line, optional
        Axis of a beam, from which its section loads follow; `ls.beam` gives it.
    contact_nodes : sequence of int and str, optional
        The k nodes that will touch others and have a residual compliance; a tuple of numbers.
    residual_compliance : array (3 k, 3 k), optional
        Displacements x, y, z of the contact nodes by unit forces on them, in node axes [m/N], that
        the shapes leave out, symmetric and not negative; zero by default.  Contacts yield by it
        without mass.
    """

    positions: Any
    masses: Any
    shapes: Any
    stiffness: Any
    damping: Any = 0.0
    node_inertias: Any = field(default=None, kw_only=True)
    node_offsets: Any = field(default=None, kw_only=True)
    inboard: Any = field(default=0, kw_only=True)
    names: Mapping[str, int] = field(default_factory=dict, kw_only=True)
    level: str = field(default="full", kw_only=True)
    solids: Any = field(default=(), kw_only=True)
    second_order: second_order.SecondOrderSource = field(default=None, kw_only=True)
    recovery: Recovery | None = field(default=None, kw_only=True)
    line: NodeLine | None = field(default=None, kw_only=True, repr=False)
    contact_nodes: Any = field(default=(), kw_only=True)
    residual_compliance: Any = field(default=None, kw_only=True, repr=False)
    source: Any = field(default=None, kw_only=True, repr=False)  # Structure that was reduced
    frame: InitVar[str] = field(default="tangent", kw_only=True)

    def __post_init__(self, frame: str) -> None:
        for name in ("positions", "masses", "shapes", "stiffness", "damping"):
            object.__setattr__(self, name, _array(getattr(self, name), name))
        for name in ("node_inertias", "node_offsets"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _array(getattr(self, name), name))
        if self.stiffness.ndim == 1:
            object.__setattr__(self, "stiffness", np.diag(self.stiffness))
        self._check_shapes()
        names = checked_names(self.names, len(self.positions), "FlexibleBody")
        object.__setattr__(self, "names", names)
        inboard = checked_inboard(self.inboard, names, len(self.positions), "FlexibleBody")
        object.__setattr__(self, "inboard", inboard)
        object.__setattr__(self, "shapes", _seen_from(frame, self.shapes, inboard))
        second_order.check_kind(self.second_order)
        check_line(self.line, len(self.positions))
        nodes = checked_contact_nodes(self.contact_nodes, names, len(self.positions))
        object.__setattr__(self, "contact_nodes", nodes)
        residual_compliance = checked_compliance(self.residual_compliance, len(nodes))
        object.__setattr__(self, "residual_compliance", residual_compliance)
        if check_level(self.level) == "stiffened":
            _ = self.constants_of_second_order
        object.__setattr__(self, "solids", checked_solids(self.solids, "FlexibleBody"))
        if self.is_numeric:
            self._check_values()

    def __repr__(self) -> str:
        """Summary in one line."""
        mass = f"{float(self.mass):.4g} kg, " if self.is_numeric else ""
        n_mode = self.shapes.shape[2]
        modes = "1 mode" if n_mode == 1 else f"{n_mode} modes"
        if self.is_numeric and n_mode:
            with contextlib.suppress(ModelError):  # compile reports the problem
                modes += f", {self.frequencies.min():.3g} to {self.frequencies.max():.3g} Hz"
        nodes = name_list(self.names, show=str) or len(self.positions)
        return f"FlexibleBody({mass}{modes}, level {self.level}, nodes {nodes})"

    @property
    def is_numeric(self) -> bool:
        """Whether all parameters are numbers, so that the body has a normalised form."""
        required = (self.positions, self.masses, self.shapes, self.stiffness, self.damping)
        extra = (x for x in (self.node_inertias, self.node_offsets) if x is not None)
        return all(is_numeric(x) for x in (*required, *extra))

    @property
    def mass(self) -> Any:
        """Mass [kg]."""
        return sum(self.masses.tolist())

    @property
    def n_mode(self) -> int:
        """Number of modes."""
        return int(self.shapes.shape[2])

    @property
    def transform(self) -> Array:
        """Given amplitudes = transform @ modal coordinates, an array (m, m)."""
        return self._basis[0]

    @property
    def frequencies(self) -> Array:
        """Natural frequencies with the inboard node held [Hz], in the order of the modes."""
        return sqrt(self._basis[1]) / (2 * np.pi)

    def converted(self, convert: Callable[[Any], Any]) -> FlexibleBody:
        """Same body with every parameter passed through `convert` (symbols to floats).

        Parameters
        ----------
        convert : callable
            Maps a parameter (a number, symbol or array) to its replacement.
        """
        names = ("positions", "masses", "shapes", "stiffness", "damping")
        new = {name: convert(getattr(self, name)) for name in names}
        for name in ("node_inertias", "node_offsets"):
            if getattr(self, name) is not None:
                new[name] = convert(getattr(self, name))
        return self if self.is_numeric else dataclasses.replace(self, **new)

    def turned(self, rotation: Any) -> FlexibleBody:
        """The same body in rotated axes: a beam along x becomes one along rotation @ x.

        Its stresses turn with it; the source, which does not turn, is left out.

        Parameters
        ----------
        rotation : array (3, 3), mapping or SciPy Rotation
            Old axes to new ones; ``{"axis": "z", "angle": 0.5}`` and the like as in `Model.add`.
        """
        R = given_rotation(rotation, "FlexibleBody.turned: rotation")
        new: dict[str, Any] = {
            "positions": self.positions @ R.T,
            "shapes": block_diagonal(R, R) @ self.shapes,
        }
        if self.node_inertias is not None:
            new["node_inertias"] = R @ self.node_inertias @ R.T
        if self.node_offsets is not None:
            new["node_offsets"] = self.node_offsets @ R.T
        if self.second_order is not None:
            new["second_order"] = partial(_turned_second_order, self, R)
        new["solids"] = tuple(
            dataclasses.replace(x, at=R @ x.at, rotation=R @ x.rotation) for x in self.solids
        )
        if self.recovery is not None:
            new["recovery"] = self.recovery.turned(R)
        at_contacts = np.kron(np.eye(len(self.contact_nodes)), R)
        new["residual_compliance"] = at_contacts @ self.residual_compliance @ at_contacts.T
        return dataclasses.replace(self, **new, source=None)

    def report(self) -> Report:
        """Mass, frequencies, effective masses and flexibility kept, and what looks wrong.

        Returns
        -------
        Report
            `print(body.report())` shows it; its fields have the numbers.
        """
        return report(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the body to a NetCDF-4 file that `load_body` reads, without its source.

        Parameters
        ----------
        path : path
            NAME.nc; an existing file is replaced.
        """
        from ..io.structures.body_file import save_body

        save_body(self, path)

    def normalised(self, level: str | None = None) -> NormalBody:
        """Constants of the body in normalised form, for the algorithms.

        Parameters
        ----------
        level : {"full", "linear", "ruthless", "stiffened"}, optional
            Level of deformation terms; by default the body's.
        """
        level = check_level(self.level if level is None else level)
        stiffened = level == "stiffened" and self.n_mode > 0
        x, stiffness = self._basis
        shapes = self._relative_shapes @ x
        integrals = self._integrals(shapes)
        lumps = tuple(self._lumps.values())
        if level in LINEARISED:
            for lump in lumps:
                position = self._relative_positions[lump.node]
                integrals = integrals.with_lump(lump, position, shapes[lump.node])
            products = np.zeros_like(integrals.modal_products)
            integrals, lumps = dataclasses.replace(integrals, modal_products=products), ()
        body = NormalBody(
            integrals=integrals,
            lumps=lumps,
            stiffness=stiffness,
            damping=self._modal_damping(),
            node_positions=self._relative_positions,
            node_shapes=shapes,
            inboard=self.inboard,
            node_names=dict(self.names),
            level=level,
            solids=self.solids,
            second_order=self.constants_of_second_order.in_modes(x) if stiffened else None,
            recovery=self._recovery(x),
            line=self.line,
            residual=self._residual(),
        )
        if level != "full" or not np.any(self.shapes[self.inboard, :3]):
            return body  # the shapes seen from the inboard node are linear in the modes
        node_shapes = self.shapes @ x
        in_own_frame = dataclasses.replace(
            body,
            integrals=self._integrals(node_shapes),
            node_shapes=node_shapes,
            inboard=-1,
            solids=(),
            residual=None,
        )
        return dataclasses.replace(body, floating=in_own_frame)

    def _residual(self) -> ResidualCompliance | None:
        """Residual compliance at the contact nodes, None without them."""
        if not self.contact_nodes:
            return None
        return ResidualCompliance(self.contact_nodes, self.residual_compliance)

    def _recovery(self, x: Array) -> Recovery | None:
        """Recovery in other amplitudes, with positions relative to the inboard node."""
        if self.recovery is None:
            return None
        return self.recovery.in_modes(x).seen_from(self.positions[self.inboard])

    def _integrals(self, shapes: Array) -> MassIntegrals:
        """Integrals of the point masses with given shapes, about the undeformed inboard node."""
        points = np.array([k for k in range(len(self.masses)) if k not in self._lumps], dtype=int)
        return MassIntegrals.of_points(
            self.masses[points], self._relative_positions[points], shapes[points][:, 3:]
        )

    # Computed once, for numbers only.

    @cached_property
    def _relative_positions(self) -> Array:
        return read_only(self.positions - self.positions[self.inboard])

    @cached_property
    def constants_of_second_order(self) -> SecondOrder:
        """Second order in the given amplitudes, checked; ModelError if the body has none."""
        constants = second_order.checked_constants(
            self.second_order, len(self.positions), self.n_mode
        )
        if np.any(self.shapes[self.inboard]):
            raise ModelError(
                f'FlexibleBody: level "stiffened" needs shapes that vanish at the inboard node '
                f"({self.inboard}), to which the second order refers; give shapes and second_order "
                "with this node held"
            )
        second_order.check_lumps(constants, set(self._lumps) - {self.inboard})
        return constants

    @cached_property
    def _relative_shapes(self) -> Array:
        """Shapes relative to the inboard node d: Pi_t - phi(l_t)^T Pi_d."""
        d = self.shapes[self.inboard]
        if not np.any(d):
            return self.shapes
        pairs = zip(self.shapes, self._relative_positions, strict=True)
        return read_only(np.stack([Pi - rigid_shift(r).T @ d for Pi, r in pairs]))

    @cached_property
    def _lumps(self) -> dict[int, Lump]:
        """Nodes that are more than point masses."""
        if self.node_inertias is None and self.node_offsets is None:
            return {}
        n = len(self.masses)
        offsets = self.node_offsets if self.node_offsets is not None else zeros(n, 3)
        lumps = {}
        for node in range(n):
            about_node = parallel_axis(self.masses[node], offsets[node])
            if self.node_inertias is not None:
                about_node = self.node_inertias[node]
            if np.any(about_node):
                mass = self.masses[node].item() if is_numeric(self.masses) else self.masses[node]
                lumps[node] = Lump(mass, offsets[node], about_node, node)
        return lumps

    @cached_property
    def _basis(self) -> tuple[Array, Array]:
        M_ff = self._modal_mass(self._relative_shapes)
        K = (self.stiffness + self.stiffness.T) / 2
        x, stiffness = normal_basis(M_ff, K) if self.is_numeric else _separate_modes(M_ff, K)
        return read_only(x), read_only(stiffness)

    def _modal_mass(self, shapes: Array) -> Array:
        flat = shapes[:, 3:].reshape(3 * len(shapes), self.n_mode)
        M_ff = flat.T @ (np.repeat(self.masses, 3)[:, None] * flat)
        for node, lump in self._lumps.items():
            M_s = spatial_inertia(lump.mass, lump.mass * lump.offset, lump.inertia)
            M_s[3:, 3:] = 0.0  # the first sum has the translation of all nodes
            M_ff = M_ff + shapes[node].T @ M_s @ shapes[node]
        return M_ff

    def _modal_damping(self) -> Array:
        x, stiffness = self._basis
        if self.damping.ndim == 2:
            return x.T @ self.damping @ x
        return np.diag(2 * self.damping * sqrt(stiffness))

    def _check_shapes(self) -> None:
        n, m = len(np.atleast_1d(self.positions)), self.shapes.shape[-1] if self.shapes.ndim else 0
        expected = {"positions": (n, 3), "masses": (n,), "shapes": (n, 6, m), "stiffness": (m, m)}
        if self.node_inertias is not None:
            expected["node_inertias"] = (n, 3, 3)
        if self.node_offsets is not None:
            expected["node_offsets"] = (n, 3)
        for name, shape in expected.items():
            if getattr(self, name).shape != shape:
                raise ModelError(
                    f"FlexibleBody: {name} has shape {getattr(self, name).shape}; expected {shape} "
                    f"for {n} nodes and {m} modes"
                )
        if self.damping.shape not in ((), (m,), (m, m)):
            raise ModelError(
                f"FlexibleBody: damping has shape {self.damping.shape}; give one ratio, "
                f"{m} ratios or a {m}x{m} matrix"
            )

    def _check_values(self) -> None:
        for name in ("positions", "masses", "shapes", "stiffness", "damping"):
            _check_finite(getattr(self, name), name)
        for name in ("node_inertias", "node_offsets"):
            if getattr(self, name) is not None:
                _check_finite(getattr(self, name), name)
        check_masses(self.masses, "FlexibleBody")
        self._check_inertias()
        check_stiffness(self.stiffness)
        self._check_damping()
        if not np.any(self.masses) and not self._lumps:
            raise ModelError("FlexibleBody: all nodes are massless; give masses [kg]")
        raw = np.diag(self._modal_mass(self.shapes))
        check_independent(self._modal_mass(self._relative_shapes), raw)
        self._check_rigid_content()

    def _check_inertias(self) -> None:
        for node, lump in self._lumps.items():
            about_com = lump.inertia - parallel_axis(lump.mass, lump.offset)
            size = np.abs(lump.inertia).max()
            about_com = np.where(np.abs(about_com) < 1e-12 * size, 0.0, about_com)
            if fault := inertia_fault(about_com):
                raise ModelError(
                    f"FlexibleBody: the inertia of node {node} is not physical: about the node's "
                    f"centre of mass {fault}"
                )

    def _check_damping(self) -> None:
        C = self.damping
        if C.ndim < 2 and np.any(C < 0):
            raise ModelError(f"FlexibleBody: damping is {C}; ratios must not be negative")
        if C.ndim == 2:
            lowest = np.linalg.eigvalsh((C + C.T) / 2)[0] if len(C) else 0.0
            if lowest < -1e-9 * np.abs(C).max():
                raise ModelError(
                    "FlexibleBody: damping feeds energy into the modes: the symmetric part of the "
                    f"matrix has the eigenvalue {lowest:.3g}; it must not be negative"
                )

    def _check_rigid_content(self) -> None:
        """Reject a deformation without stiffness that rotates all nodes about the inboard node."""
        x, stiffness = self._basis
        for k in np.flatnonzero(stiffness <= 1e-10 * stiffness.max(initial=0.0)):
            lever = np.concatenate([rigid_shift(r).T[3:, :3] for r in self._relative_positions])
            moved = (self._relative_shapes[:, 3:] @ x[:, k]).ravel()
            angles, *_ = np.linalg.lstsq(lever, moved, rcond=None)
            if np.linalg.norm(moved - lever @ angles) < 1e-8 * np.linalg.norm(moved):
                involved = np.flatnonzero(np.abs(x[:, k]) > 1e-6 * np.abs(x[:, k]).max())
                raise ModelError(
                    f"FlexibleBody: modes {name_list(involved, show=str)} contain a rigid-body "
                    "rotation about the inboard "
                    "node without stiffness; rigid-body motion belongs to the joint: remove it, or "
                    "give the rotation rows of the shapes so that it can be taken out"
                )


def _separate_modes(M_ff: Array, K: Array) -> tuple[Array, Array]:
    """Normalised basis of uncoupled modes with symbols, each scaled by its modal mass."""
    others = ~np.eye(len(K), dtype=bool)
    if np.any(M_ff[others]) or np.any(K[others]):
        raise ModelError(
            "FlexibleBody: its parameters contain symbols, and its modes are coupled by their "
            "masses or stiffness; give numbers, or shapes that are orthogonal and a diagonal "
            "stiffness"
        )
    mass = np.diag(M_ff)
    return np.diag(1 / sqrt(mass)), np.diag(K) / mass


def _seen_from(frame: str, shapes: Array, inboard: int) -> Array:
    """Shapes with what the joint holds at the inboard node, see `FlexibleBody`."""
    if frame not in FRAMES:
        raise ModelError(f'FlexibleBody: frame is {frame!r}; use "tangent" or "chord"')
    if frame == "tangent":
        return shapes
    if np.any(shapes[inboard, 3:]):
        raise ModelError(
            f"FlexibleBody: the chord begins at the inboard node ({inboard}), but the shapes move "
            'it; give shapes that are zero there, or frame="tangent"'
        )
    held = shapes.copy()
    held[inboard] = 0.0
    return held


def check_level(level: str) -> str:
    """Return the level if it is valid, raise ModelError otherwise."""
    if isinstance(level, str) and level in LEVELS:
        return level
    exact = "; rods are exact: make the body with ls.rod, without a level"
    raise ModelError(
        f'level is {level!r}; use "full", "linear", "ruthless" or "stiffened"'
        f"{exact if isinstance(level, str) and level == 'exact' else ''}"
    )


def _turned_second_order(body: FlexibleBody, R: Array) -> SecondOrder:
    return body.constants_of_second_order.turned(R)


def _array(value: Any, name: str) -> Array:
    try:
        return array(value)
    except (TypeError, ValueError):
        raise ModelError(f"FlexibleBody: {name} is not an array of numbers") from None


def _check_finite(values: Array, name: str) -> None:
    if np.iscomplexobj(values):
        raise ModelError(f"FlexibleBody: {name} must be real")
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        where = tuple(int(i) for i in bad[0])
        raise ModelError(f"FlexibleBody: {name}{list(where)} is {values[where]}; it must be finite")
