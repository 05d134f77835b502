"""Derivatives of the dynamics by parameters of the design, and the inertial regressor.

T(q, v, x; p) are the forces of the accelerations x.  At constant forces
  dx/dp = -M^-1 dT/dp                                                                         (1)
with loops by the accelerations that unit forces cause in the closed system instead of M^-1.
dT/dp of named parameters: `kernels.tree.derivatives.design`, exact, O(N d) for each.  Of a user's
function: differences of order six with spacing h, and their distance from those of order four,
  dT/dp = (45 (T_1 - T_-1) - 9 (T_2 - T_-2) + T_3 - T_-3) / 60 h                              (2)
  dT/dp = (8 (T_1 - T_-1) - (T_2 - T_-2)) / 12 h                                              (3)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ModelError, StateError
from ...kernels import entries
from ...kernels.quantities import COUNTED
from ...kernels.tree.derivatives import design, inertial as along
from ...printing import Shown
from ...system import StateLike, System
from . import engine
from .arguments import all_floats, as_state, check_system, speeds_vector, to_external
from .derivatives import check_compiled
from .design_parameters import (
    DesignParameter,
    Resolved,
    built_system,
    check_loops,
    inertial,
    inertial_values,
    resolve_parameters,
    signs_of_modes,
    spacing_of,
)
from .reference import External

Array = np.ndarray

_SIXTH = np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / 60
_FOURTH = np.array([0.0, 1.0, -8.0, 0.0, 8.0, -1.0, 0.0]) / 12
_SAME = 1e-8  # relative difference of forces between a system and the one built for its value


@dataclass(frozen=True, eq=False)
class DesignDerivatives(Shown):
    """Derivatives of inverse and forward dynamics by parameters of the design.

    Attributes
    ----------
    names : tuple of str
        Parameter of each column, such as "arm.com.x".
    value : array (n_v,)
        The accelerations.
    inverse : array (n_v, n_parameter)
        Derivatives of the generalized forces at constant accelerations.
    acceleration : array (n_v, n_parameter)
        Derivatives of the accelerations at constant forces; with loops, those of the closed system.
    errors : array (n_parameter,)
        Estimated relative error of each column of `inverse`: zero where the derivative is exact,
        and of a `DesignParameter` the distance of two orders of differences.
    """

    names: tuple[str, ...]
    value: Array
    inverse: Array
    acceleration: Array
    errors: Array


@dataclass(frozen=True, eq=False)
class InertialRegressor(Shown):
    """Matrix Y with Y @ phi = forces of the rigid bodies, phi their inertial parameters.

    Attributes
    ----------
    matrix : array (n_v, 10 n_rigid)
        Y.
    names : tuple of str
        Parameters: of each rigid body "mass" [kg], "moment.x" to "moment.z" [kg m], the first
        moment, and "inertia.xx", "xy", "xz", "yy", "yz", "zz" [kg m^2], the entries of the inertia
        about the origin of the body, in its axes.
    values : array (10 n_rigid,)
        phi of the system itself.
    """

    matrix: Array
    names: tuple[str, ...]
    values: Array


def inertial_regressor(
    system: System, state: StateLike, acceleration: Any = None
) -> InertialRegressor:
    """Matrix that gives the forces of rigid bodies from their inertial parameters.  O(N d).

    Parameters
    ----------
    system : System
        Compiled mechanism.  With loops or couplings the forces are those of its tree, to which the
        loops add theirs: multiply both by the transpose of the free motions, ``closure.basis``.
    state : State or (q, v)
        Configuration and speeds.
    acceleration : array (n_v,) or mapping, optional
        Rates of the speeds; default zero.

    Returns
    -------
    InertialRegressor
        Of a mechanism of rigid bodies ``matrix @ values`` is `inverse_dynamics`; flexible bodies
        add what does not depend on these parameters.
    """
    q, v, x, _ = _arguments(system, state, acceleration, "acceleration", None, "inertial_regressor")
    parameters = inertial(system)
    _, _, P = design_rows(system, parameters, q[None], v[None], x[None])
    return InertialRegressor(P[0], parameters.names, inertial_values(system))


def design_derivatives(
    system: System,
    state: StateLike,
    parameters: Any,
    *,
    forces: Any = None,
    external: Mapping[Any, Any] | None = None,
) -> DesignDerivatives:
    """Derivatives of accelerations and of forces by parameters of the design.

    Parameters
    ----------
    system : System
        Compiled mechanism.  With loops or couplings, parameters that place joints and those of
        users' functions are refused: they would open the loops.
    state : State or (q, v)
        Configuration and speeds.
    parameters : str, DesignParameter or sequence of them
        "body.mass", "body.com" (3, at constant inertia about it), "body.inertia" (6: xx, xy, xz,
        yy, yz, zz, about the centre of mass) of rigid bodies; "body.at" (3) and "body.rotation"
        (3), the place of its joint on its carrier, displaced and turned about the carrier's axes;
        "body.stiffness" and "body.damping", of each mode; "gravity" (3); one component of these,
        as "body.com.x"; and `DesignParameter` for all else.
    forces : array (n_v,) or mapping, optional
        Generalized forces; default none.
    external : mapping, optional
        Spatial forces, as for `forward_dynamics`: constant in the axes of their frames.

    Returns
    -------
    DesignDerivatives
    """
    what = "design_derivatives"
    q, v, T, loads = _arguments(system, state, forces, "forces", external, what)
    chosen = resolve_parameters(system, parameters)
    check_loops(system, chosen, what)
    x = engine.forward_dynamics(system, q, v, T, loads)
    _, D, P = design_rows(system, chosen, q[None], v[None], x[None], loads)
    built, errors = built_rows(system, chosen.built, q[None], v[None], x[None], external)
    P = np.concatenate([P[0], built[0]], axis=1)[:, chosen.order]
    errors = np.concatenate([np.zeros(chosen.n_kernel), errors])[chosen.order]
    if system.constraints:
        return DesignDerivatives(chosen.given_names, x, P, -_responses(system, q, P), errors)
    return DesignDerivatives(chosen.given_names, x, P, -np.linalg.solve(D[0, 2], P), errors)


def _responses(system: System, q: Array, forces: Array) -> Array:
    """Accelerations (n_v, p) of the closed system that columns of forces alone cause."""
    still = np.zeros(system.n_v)
    columns = [engine.forward_dynamics(system, q, still, x.copy(), flags=0) for x in forces.T]
    return np.reshape(columns, (len(columns), system.n_v)).T


def _arguments(
    system: System, state: StateLike, vector: Any, name: str, external: Any, what: str
) -> tuple[Array, Array, Array, External]:
    """Arrays of the arguments, checked."""
    check_system(system)
    check_compiled(system, what)
    state = as_state(system, state)
    numbers, loads = speeds_vector(system, vector, name), to_external(system, external)
    if not all_floats(state, numbers, *(wrench for *_, wrench in loads)):
        raise StateError(f"{what} needs real numbers")
    return state.raw_q, state.raw_v, numbers, loads


def design_rows(
    system: System,
    parameters: Resolved,
    Q: Array,
    V: Array,
    X: Array,
    external: External = (),
) -> tuple[Array, Array, Array]:
    """Forces (k, n_v), D (k, 3, n_v, n_v) by q, v and x, and P (k, n_v, n_kernel) of k states.

    `Q`, `V`, `X` (k, n_q), (k, n_v), (k, n_v): coordinates, speeds and accelerations.
    """
    k, n, p = len(Q), system.n_v, parameters.n_kernel
    T, P = np.empty(k * n), np.zeros((k * n, max(p, 1)))
    D = np.empty((3 * k * n, n))
    work = engine.workspace(system)
    work.set_external(external)
    kernel, flags = work.kernel(entries.DESIGN_DERIVATIVES), COUNTED
    arguments = (Q.ravel(), V.ravel(), X.ravel(), T, D, parameters.rows, parameters.directions, P)
    failed = kernel(*work.call, *work.derivatives, *arguments, flags, 0, k)
    work.set_external(())
    if failed >= 0:
        raise StateError(
            "the derivatives are not finite: speeds, accelerations or coordinates are too large"
        )
    return T.reshape(k, n), D.reshape(k, 3, n, n), P.reshape(k, n, max(p, 1))[:, :, :p]


def inertial_products(system: System, Q: Array, V: Array, X: Array, Y: Array) -> Array:
    """Derivatives (n_body, 10) along Y of forces by inertias about origins, summed over k states.

    Rows of flexible bodies are zero.  The numbers are those of a direction in
    `kernels.tree.derivatives.design`.

    `Q`, `V`, `X`, `Y` (k, n_q), (k, n_v), (k, n_v), (k, n_v): coordinates, speeds, accelerations,
    and the speeds by which the forces are multiplied.
    """
    work, n = engine.workspace(system), system.n_body
    kernel, flags = work.kernel(entries.INERTIAL_PRODUCTS), COUNTED
    motions, products = np.empty(n * along.MOTION), np.zeros(n * design.DIRECTION)
    rows = (np.ascontiguousarray(x).ravel() for x in (Q, V, X, Y))
    kernel(*work.call, *rows, motions, products, flags, 0, len(Q))
    return products.reshape(n, design.DIRECTION)


def built_rows(
    system: System,
    built: tuple[DesignParameter, ...],
    Q: Array,
    V: Array,
    X: Array,
    external: Mapping[Any, Any] | None = None,
) -> tuple[Array, Array]:
    """Derivatives (k, n_v, n_built) of the forces by users' functions (2), and their errors.

    `Q`, `V`, `X` (k, n_q), (k, n_v), (k, n_v): coordinates, speeds and accelerations.
    """
    columns, errors = [], []
    for one in built:
        forces = [_built_forces(system, one, shift, Q, V, X, external) for shift in range(-3, 4)]
        unchanged = _forces(system, Q, V, X, to_external(system, external))
        if not np.allclose(
            forces[3], unchanged, rtol=_SAME, atol=_SAME * (np.abs(unchanged).max() + 1e-300)
        ):
            raise ModelError(
                f"DesignParameter {one.name!r}: build({one.value:g}) is another mechanism than the "
                "system given; give the value that the system was built with"
            )
        stacked = np.stack(forces)
        sixth, fourth = (np.tensordot(w, stacked, 1) / spacing_of(one) for w in (_SIXTH, _FOURTH))
        size = np.abs(sixth).max()
        errors.append(np.abs(sixth - fourth).max() / size if size > 0 else 0.0)
        columns.append(sixth)
    empty = np.zeros((len(Q), system.n_v, 0))
    return (np.stack(columns, axis=2) if columns else empty), np.array(errors)


def _forces(system: System, Q: Array, V: Array, X: Array, external: External) -> Array:
    """Forces (k, n_v) of the accelerations X."""
    rows = (
        engine.inverse_dynamics(system, q, v, x, external) for q, v, x in zip(Q, V, X, strict=True)
    )
    return np.array(list(rows)).reshape(len(Q), system.n_v)


def _built_forces(
    system: System,
    one: DesignParameter,
    shift: int,
    Q: Array,
    V: Array,
    X: Array,
    external: Mapping[Any, Any] | None,
) -> Array:
    """Forces (k, n_v) of the system at a changed value of the parameter."""
    other = built_system(one, shift)
    signs = signs_of_modes(system, other, one.name)
    turned = np.ones(system.n_q)
    for i in range(system.n_body):
        turned[system.layout.modal_q(i)] = signs[system.layout.modal_v(i)]
    rows = _forces(other, Q * turned, V * signs, X * signs, to_external(other, external))
    return rows * signs
