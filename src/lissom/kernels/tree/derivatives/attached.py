"""Frames that are attached at nodes of a flexible body: rows and columns of its modes.

Whatever is attached at a node (children, a lump, a section of a rod, an external force) is a frame
with inertia I, coupling B and force f.  With the columns of the node it adds
  A_k += I xi_k   B_k += xi_k^T B   F_k += I psi_2 + B psi_1 + xi x* f   G_k += I phi_2 + B xi
  D_q[i, j] += xi_i . F_j    D_v[i, j] += xi_i . G_j    M[i, j] += xi_i . I xi_j              (1)
to the rows A, B and columns F, G of the modes, and to the blocks of the modes among themselves.
"""

from __future__ import annotations

from typing import NamedTuple

from ...compiling import jit
from ...fields import POSITIVE
from ...small import add, vector
from .frames import (
    COLUMNS,
    FORCE,
    FRAME,
    PHI_2,
    PSI_1,
    PSI_2,
    XI,
    add_rows,
    coupling_times,
    force_cross,
    inertia_times,
    put_rows,
    rows_of,
    times_coupling,
)


class OwnTerms(NamedTuple):
    """Rows and columns of m modes, and numbers of work."""

    A: int  # rows S^T I: six rows of m
    B: int  # rows S^T B: three rows of m
    F: int  # columns of (3) of `sweep`: six rows of m
    G: int  # columns of (4): six rows of m
    D_q: int  # m x m
    D_v: int  # m x m
    M: int  # m x m
    image: int  # 18 rows of m: F, G and I xi of one frame; before that see `points`
    rates: int  # 24 rows of m, see `points`
    frame: int  # frame of a node
    columns: int  # its columns
    base: int  # frame of the shapes, see `floating`
    base_columns: int  # its columns
    node: int  # record of a node; of a rod see `rods`


@jit
def own_terms_record(o, m):
    """Offsets in the terms of a body."""
    B = o + 6 * m
    F = B + 3 * m
    D_q = F + 12 * m
    image = D_q + 3 * m * m
    rates = image + 18 * m
    frame = rates + 24 * m
    columns = frame + FRAME
    base = columns + COLUMNS * m
    base_columns = base + FRAME
    return OwnTerms(
        o, B, F, F + 6 * m, D_q, D_q + m * m, D_q + 2 * m * m,
        image, rates, frame, columns, base, base_columns, base_columns + COLUMNS * m,
    )  # fmt: skip


def own_terms_size(m: int) -> int:
    """Size of the terms of a body of m modes, without what follows at `node`."""
    return 63 * m + 3 * m * m + 2 * (FRAME + COLUMNS * m)


@jit
def attach(work, terms, m, at, columns):
    """Add the frame `at`, attached at a node with these columns (2), apart from d xi."""
    n, f = vector(work, at + FORCE), vector(work, at + FORCE + 3)
    F, G, H = terms.image, terms.image + 6 * m, terms.image + 12 * m
    for k in range(m):
        xi_w = rows_of(work, columns + XI * m, m, k)
        xi_v = rows_of(work, columns + (XI + 3) * m, m, k)
        a_w, a_v = inertia_times(work, at, xi_w, xi_v)
        add_rows(work, terms.A, m, k, a_w)
        add_rows(work, terms.A + 3 * m, m, k, a_v)
        put_rows(work, H, m, k, a_w)
        put_rows(work, H + 3 * m, m, k, a_v)
        add_rows(work, terms.B, m, k, times_coupling(work, at, xi_w, xi_v))
        p_w, p_v = inertia_times(
            work, at, rows_of(work, columns + PSI_2 * m, m, k),
            rows_of(work, columns + (PSI_2 + 3) * m, m, k),
        )  # fmt: skip
        c_w, c_v = coupling_times(work, at, rows_of(work, columns + PSI_1 * m, m, k))
        t_w, t_v = force_cross(xi_w, xi_v, n, f)
        p_w, p_v = add(p_w, add(c_w, t_w)), add(p_v, add(c_v, t_v))
        s_w, s_v = inertia_times(
            work, at, rows_of(work, columns + PHI_2 * m, m, k),
            rows_of(work, columns + (PHI_2 + 3) * m, m, k),
        )  # fmt: skip
        c_w, c_v = coupling_times(work, at, xi_w)
        s_w, s_v = add(s_w, c_w), add(s_v, c_v)
        put_rows(work, F, m, k, p_w)
        put_rows(work, F + 3 * m, m, k, p_v)
        put_rows(work, G, m, k, s_w)
        put_rows(work, G + 3 * m, m, k, s_v)
        add_rows(work, terms.F, m, k, p_w)
        add_rows(work, terms.F + 3 * m, m, k, p_v)
        add_rows(work, terms.G, m, k, s_w)
        add_rows(work, terms.G + 3 * m, m, k, s_v)
    _add_products(work, columns, F, m, terms.D_q)
    _add_products(work, columns, G, m, terms.D_v)
    _add_products(work, columns, H, m, terms.M)


@jit
def _add_products(work, xi, F, m, D):
    """Add xi_i . F_j to D[i, j]; six rows of m numbers each."""
    xi, F, m, D = xi & POSITIVE, F & POSITIVE, m & POSITIVE, D & POSITIVE
    for i in range(m):
        x0, x1, x2 = work[xi + i], work[xi + m + i], work[xi + 2 * m + i]
        x3, x4, x5 = work[xi + 3 * m + i], work[xi + 4 * m + i], work[xi + 5 * m + i]
        to = D + i * m
        for j in range(m):
            work[to + j] += (
                x0 * work[F + j] + x1 * work[F + m + j] + x2 * work[F + 2 * m + j]
                + x3 * work[F + 3 * m + j] + x4 * work[F + 4 * m + j] + x5 * work[F + 5 * m + j]
            )  # fmt: skip
