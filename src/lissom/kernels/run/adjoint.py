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
mu_i is the derivative of the objective by the generalized forces in stage i.
"""

from __future__ import annotations

from ..compiling import Entry, jit
from ..fields import POSITIVE
from ..tree.derivatives.forward import factor

# pieces: number of joints on groups, then for each its first speed and number of speeds
FIRST, SPEEDS, PIECE = range(3)
TURNED, LEFT, RATES, BENT = range(4)  # C, G, H and E of a piece, in this order


@jit
def adjoint_steps(tableau, steps, pieces, charts, D, gradients, mu, adjoint, work):
    """Take the adjoint (2 n) of the end of the last step to the start of the first.

    tableau: A by rows, then b.  steps: lengths h.  charts: for each step, stages and end, the four
    matrices of each piece.  D: for each stage, all steps: n rows each of D_q, D_v, M, whose factor
    replaces it.  gradients: rows that are added at the start of each step.  mu: for each stage, all
    steps, one row (3).  work: see `work_size`.  Returns 0, or 1 where M is not definite.
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
            if not _of_stage(D, 3 * row * n, n, mu, row, work, N + i * n, delta, nu):
                return 1
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


def work_size(n: int, s: int) -> int:
    """Numbers of work for n speeds and s stages."""
    return 2 * s * n + 4 * n


@jit
def _of_stage(D, o, n, mu, row, work, N, delta, nu):
    """Write mu_i, and delta_i- and nu_i- without the rates (3)."""
    M = D[o + 2 * n : o + 3 * n]
    if not factor(M, n):
        return False
    for k in range(n):
        mu[row, k] = work[N + k]
        work[delta + k] = work[nu + k] = 0.0
    for k in range(n - 1, -1, -1):
        mu[row, k] /= M[k, k]
        y = mu[row, k]
        for i in range(k):
            mu[row, i] -= M[k, i] * y
    for k in range(n):
        y = mu[row, k]
        for i in range(k):
            y -= M[k, i] * mu[row, i]
        mu[row, k] = y / M[k, k]
    for k in range(n):
        y = mu[row, k]
        for c in range(n):
            work[delta + c] -= y * D[o + k, c]
            work[nu + c] -= y * D[o + n + k, c]
    return True


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
def _transposed(matrix, o, r, x, given, out):
    """Add the transpose of an r x r matrix at o times x[given:] to x[out:]."""
    for i in range(r):
        for j in range(r):
            x[out + j] += matrix[o + i * r + j] * x[(given + i) & POSITIVE]


ADJOINT_STEPS = Entry(
    adjoint_steps,
    "int64(float64[::1], float64[::1], int64[::1], float64[::1], float64[:,::1], float64[:,::1], "
    "float64[:,::1], float64[::1], float64[::1])",
    "adjoints of steps",
    seconds=5,
)
