"""Runge-Kutta steps backward in time: the adjoint of their tangents, for one objective.

The tangent of a step, with the matrices C, G, H = G^-1 and E of local coordinates at the stages and
at the end (`sim.sensitivities.charts`), D of inverse dynamics less those of loads, M with rotors:
  delta_i = C_i delta_0 + G_i sigma_i    R_i = H_i nu_i + E_i sigma_i                         (1)
  M N_i = -D_q delta_i - D_v nu_i        sigma_i = h A_ij R_j    nu_i = nu_0 + h A_ij N_j     (2)
and sums with b at the end.  Its transpose, with bars for the adjoints of these quantities, from
those of the end inwards and from the last stage to the first:
  mu_i = M^-1 N_i-      delta_i- = -D_q^T mu_i      nu_i- = -D_v^T mu_i + H_i^T R_i-          (3)
  sigma_i- = E_i^T R_i- + G_i^T delta_i-            R_j- += h A_ij sigma_i-                   (4)
  N_j- += h A_ij nu_i-      delta_0- += C_i^T delta_i-      nu_0- += nu_i-                    (5)
mu_i is the derivative of the objective by the generalized forces in stage i.  Neither M nor the
derivatives D are formed: M^-1 is one forward dynamics, the products are those of `products`.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import CompiledEntry, jit
from ..fields import POSITIVE
from ..tree.articulated import accelerate_base_to_tip, articulate_tip_to_base
from ..tree.derivatives.products import SUMS, derivative_products
from ..tree.derivatives.sweep import columns_base_to_tip, frames_tip_to_base
from ..tree.inverse import forces_tip_to_base
from ..tree.motion import motion_base_to_tip

# pieces: number of joints on groups, then for each its first speed and number of speeds
FIRST, SPEEDS, PIECE = range(3)
TURNED, LEFT, RATES, BENT = range(4)  # C, G, H and E of a piece, in this order


@jit
def adjoint_steps(
    ints, floats, scratch, plan, frames, tableau, steps, pieces, charts,
    Q, V, X, slopes, gradients, mu, adjoint, work, flags,
):  # fmt: skip
    """Take the adjoint (2 n) of the end of the last step to the start of the first.

    plan, frames: of the derivatives, see `frames`.  tableau: A by rows, then b.  steps: lengths h.
    charts: for each step, stages and end, the four matrices of each piece.  Q, V, X: for each
    stage, all steps, the states and accelerations.  slopes: in the same order n rows each of the
    derivatives of loads by q and by v, or none.  gradients: rows that are added at the start of
    each step.  mu: for each stage, all steps, one row (3).  work: see `work_size`.  Returns 0, or 1
    where M is not definite.
    """
    n, count = len(adjoint) // 2, len(steps)
    s = len(mu) // count
    size = 0
    for j in range(pieces[0]):
        r = pieces[1 + j * PIECE + SPEEDS]
        size += 4 * r * r
    b = s * s
    R, N = 0, s * n
    delta = 2 * s * n
    nu, sigma, start = delta + n, delta + 2 * n, delta + 3 * n
    for back in range(count):
        k = count - 1 - back
        h, at = steps[k], k * (s + 1) * size
        for j in range(n):
            work[delta + j], work[sigma + j] = adjoint[j], 0.0
            work[start + j] = 0.0
        _of_chart(pieces, charts, at + s * size, n, work, delta, sigma, start)
        for i in range(s):
            w = h * tableau[b + i]
            for j in range(n):
                work[R + i * n + j] = w * work[sigma + j]
                work[N + i * n + j] = w * adjoint[n + j]
        for j in range(n):
            adjoint[j] = work[start + j]
        for back_i in range(s):
            i = s - 1 - back_i
            row = i * count + k
            m = ints[field.N_Q]
            q, v, x = Q[row * m : (row + 1) * m], V[row * n : (row + 1) * n], X[row * n :]
            y = mu[row]
            for j in range(n):
                y[j] = work[N + i * n + j]
            motion_base_to_tip(ints, floats, scratch, q, v, y, flags & 0)
            if articulate_tip_to_base(ints, scratch, y) != field.DONE:
                return 1
            accelerate_base_to_tip(ints, scratch, y)  # what is not finite is seen at the end
            by_q, by_v = work[delta : delta + n], work[nu : nu + n]
            _products(ints, floats, scratch, plan, frames, q, v, x, y, work, by_q, by_v, flags)
            _of_loads(slopes, 2 * row * n, n, y, by_q, by_v)
            _of_rates(pieces, charts, at + i * size, n, work, R + i * n, nu, sigma)
            for j in range(n):
                work[start + j] = 0.0
            _of_chart(pieces, charts, at + i * size, n, work, delta, sigma, start)
            for j in range(n):
                adjoint[j] += work[start + j]
                adjoint[n + j] += work[nu + j]
            for l in range(i):
                w = h * tableau[i * s + l]
                if w != 0.0:
                    for j in range(n):
                        work[R + l * n + j] += w * work[sigma + j]
                        work[N + l * n + j] += w * work[nu + j]
        for j in range(2 * n):
            adjoint[j] += gradients[k, j]
    return 0


def work_size(n: int, s: int, n_body: int) -> int:
    """Numbers of work for n speeds, s stages and n_body bodies."""
    return 2 * s * n + 5 * n + SUMS * n_body


@jit
def _products(ints, floats, scratch, plan, frames, q, v, x, mu, work, by_q, by_v, flags):
    """Write minus the products of mu with the derivatives of inverse dynamics to by_q and by_v."""
    n = len(by_q)
    o = len(work) - n - SUMS * ints[field.N_BODY]
    T, sums = work[o : o + n], work[o + n :]
    motion_base_to_tip(ints, floats, scratch, q, v, x, flags)
    forces_tip_to_base(ints, scratch, x, T, flags)
    columns_base_to_tip(ints, floats, scratch, plan, frames, q, v, x)
    frames_tip_to_base(ints, floats, scratch, plan, frames, q, v, x)
    derivative_products(ints, floats, plan, frames, sums, mu, by_q, by_v)
    for k in range(n):
        by_q[k], by_v[k] = -by_q[k], -by_v[k]


@jit
def _of_loads(slopes, o, n, mu, by_q, by_v):
    """Add the products of mu with the derivatives of loads."""
    if len(slopes) == 0:
        return
    for k in range(n):
        y = mu[k]
        for c in range(n):
            by_q[c] += y * slopes[o + k, c]
            by_v[c] += y * slopes[o + n + k, c]


@jit
def _of_rates(pieces, charts, at, n, work, R, nu, sigma):
    """Add H^T R- to nu-, and write E^T R- to sigma- (3), (4)."""
    for j in range(n):
        work[sigma + j] = 0.0
    done, o = 0, at
    for p in range(pieces[0]):
        first, r = pieces[1 + p * PIECE + FIRST], pieces[1 + p * PIECE + SPEEDS]
        for j in range(done, first):
            work[nu + j] += work[R + j]
        _transposed(charts, o + RATES * r * r, r, work, R + first, nu + first)
        _transposed(charts, o + BENT * r * r, r, work, R + first, sigma + first)
        done, o = first + r, o + 4 * r * r
    for j in range(done, n):
        work[nu + j] += work[R + j]


@jit
def _of_chart(pieces, charts, at, n, work, delta, sigma, start):
    """Add G^T delta- to sigma- and C^T delta- to delta_0- (4), (5)."""
    done, o = 0, at
    for p in range(pieces[0]):
        first, r = pieces[1 + p * PIECE + FIRST], pieces[1 + p * PIECE + SPEEDS]
        for j in range(done, first):
            work[sigma + j] += work[delta + j]
            work[start + j] += work[delta + j]
        _transposed(charts, o + LEFT * r * r, r, work, delta + first, sigma + first)
        _transposed(charts, o + TURNED * r * r, r, work, delta + first, start + first)
        done, o = first + r, o + 4 * r * r
    for j in range(done, n):
        work[sigma + j] += work[delta + j]
        work[start + j] += work[delta + j]


@jit
def _transposed(matrix, o, r, x, source, out):
    """Add the transpose of an r x r matrix at o times x[source:] to x[out:]."""
    for i in range(r):
        for j in range(r):
            x[out + j] += matrix[o + i * r + j] * x[(source + i) & POSITIVE]


ADJOINT_STEPS = CompiledEntry(
    adjoint_steps,
    "int64(int64[::1], float64[::1], float64[::1], int64[::1], float64[::1], float64[::1], "
    "float64[::1], int64[::1], float64[::1], float64[::1], float64[::1], float64[::1], "
    "float64[:,::1], float64[:,::1], float64[:,::1], float64[::1], float64[::1], int64)",
    "adjoints of steps",
    seconds=40,
)
