"""Structures that cannot be reduced: each fault has its message."""

import numpy as np
import pytest
import scipy.sparse as sp

import lissom as ls
from tests.references.textbook_elements import bricks, frame_matrices, straight
from tests.samples.reductions import BLOCK, CORNERS, FRAME, faces, frame_body


def changed(which, rows, value, symmetric=True):
    """Matrices of the frame with one entry changed."""
    K, M = (x.copy() for x in FRAME)
    A = {"stiffness": K, "mass": M}[which]
    A[rows] += value
    if symmetric and rows[0] != rows[1]:
        A[rows[::-1]] += value
    return M, K


def reduce_frame(M, K, interfaces=None, **options):
    return ls.from_matrices(M, K, CORNERS, interfaces or {"root": 0, "tip": 4}, **options)


def loose_part():
    nodes = np.vstack([CORNERS, [[5, 0, 0], [6, 0, 0]]])
    K, M = frame_matrices(nodes, [(0, 1), (1, 2), (2, 3), (3, 4), (5, 6)])
    return ls.from_matrices(M, K, nodes, {"root": 0})


def hinged():
    """Two beams, the second turning freely about the end of the first."""
    nodes, K, M = straight(2)
    K, M = (np.zeros((21, 21)) for _ in range(2))
    own = straight(1, length=1.0)
    for rows in (np.arange(12), np.r_[6:9, 18:21, 12:18]):
        K[np.ix_(rows, rows)] += own[1]
        M[np.ix_(rows, rows)] += own[2]
    freedoms = [(0, d) for d in (3, 4, 5, 0, 1, 2)] + [(1, d) for d in (3, 4, 5, 0, 1, 2)]
    freedoms += [(2, d) for d in (3, 4, 5, 0, 1, 2)] + [(3, d) for d in (0, 1, 2)]
    places = np.vstack([nodes, nodes[1:2]])
    root = ls.Interface(nodes[0], np.array([0]))
    return ls.Structure(
        "hinge", places, np.array(freedoms), sp.csc_array(M), sp.csc_array(K), {"root": root}
    ).reduce()


def hinged_blocks(common):
    """Two blocks whose only nodes in common are those of an edge, or one corner of it."""
    nodes, K, M, _ = bricks((4, 2, 2), (0.8, 0.2, 0.1))
    both = np.vstack([nodes, nodes + np.array([0.8, 0, 0])])
    keys = np.round(both, 6)
    apart = ~((keys[:, 0] == 0.8) & (keys[:, 1] == keys[:, 1].min()))
    apart |= (common == "corner") & (keys[:, 2] > keys[:, 2].min())
    keys[apart] = 10 + np.arange(np.count_nonzero(apart))[:, None]
    _, kept, own = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    rows = (3 * own.reshape(-1, 1) + np.arange(3)).ravel()
    P = sp.coo_array((np.ones(len(rows)), (np.arange(len(rows)), rows))).tocsr()
    M, K = (P.T @ sp.block_diag([A, A], format="csr") @ P for A in (M, K))
    x = both[kept]
    ends = {"root": x[:, 0] == x[:, 0].min(), "tip": x[:, 0] == x[:, 0].max()}
    return ls.from_matrices(M, K, x, {name: np.flatnonzero(on) for name, on in ends.items()})


CASES = {
    "unknown node": (lambda: frame_body({"root": 9}), "node 9"),
    "three freedoms": (
        lambda: ls.from_matrices(BLOCK[2], BLOCK[1], BLOCK[0], {"root": 0}),
        'tie "rigid" or "average"',
    ),
    "asymmetric": (
        lambda: reduce_frame(*changed("stiffness", (3, 9), 1e3, symmetric=False)),
        "stiffness matrix is not symmetric",
    ),
    "negative diagonal": (
        lambda: reduce_frame(*changed("mass", (8, 8), -10.0)),
        r"mass matrix is indefinite.*node 1 \(z\)",
    ),
    "indefinite": (
        lambda: reduce_frame(*changed("stiffness", (9, 16), 1e9)),
        "stiffness matrix is indefinite",
    ),
    "not a number": (
        lambda: reduce_frame(*changed("stiffness", (3, 3), np.nan)),
        "entry nan in the row of node 0",
    ),
    "grounded": (
        lambda: reduce_frame(*changed("stiffness", (7, 7), 1e3)),
        r"held to the ground.*boundary conditions",
    ),
    "loose part": (loose_part, "2 parts that are not connected"),
    "hinge between interfaces": (lambda: hinged_blocks("edge"), "it is a mechanism"),
    "ball joint between interfaces": (lambda: hinged_blocks("corner"), "it is a mechanism"),
    "mechanism": (hinged, r"hinge: it is a mechanism.*node [23]"),
    "no mass": (lambda: reduce_frame(0 * FRAME[1], FRAME[0]), "no mass"),
    "mass along one axis": (
        lambda: reduce_frame(*changed("mass", (6, 6), 3.0)),
        "mass differs along x, y and z",
    ),
    "no stiffness": (
        lambda: reduce_frame(FRAME[1], _without(FRAME[0], 11)),
        r"node 1 \(rotation z\) has no stiffness",
    ),
    "wrong size": (lambda: reduce_frame(FRAME[1][:29, :29], FRAME[0]), "same freedoms"),
    "no square": (lambda: reduce_frame(FRAME[1][:29], FRAME[0]), "square matrix"),
    "not three or six": (
        lambda: ls.from_matrices(FRAME[1], FRAME[0], CORNERS[:4], {"root": 0}),
        "30 rows for 4 nodes",
    ),
    "text": (lambda: reduce_frame("mass", FRAME[0]), "mass matrix"),
    "order": (lambda: frame_body(order="xyz"), "translation first"),
    "interfaces as a list": (lambda: frame_body([0, 4]), "give a dictionary"),
    "empty interface": (lambda: frame_body({"root": []}), "number of a node, a list"),
    "node twice": (lambda: frame_body({"a": [0, 1], "b": [1, 2]}), "node 1 belongs to"),
    "line of nodes": (
        lambda: ls.from_matrices(
            BLOCK[2],
            BLOCK[1],
            BLOCK[0],
            {"root": ls.Interface(np.zeros(3), np.array([0, 1, 2]), "average")},
        ),
        "do not fix its rotation",
    ),
    "rigid line of nodes": (
        lambda: ls.from_matrices(BLOCK[2], BLOCK[1], BLOCK[0], {"root": [0, 1, 2]}),
        "do not fix its rotation",
    ),
    "no weight": (
        lambda: ls.from_matrices(
            BLOCK[2],
            BLOCK[1],
            BLOCK[0],
            faces(BLOCK[0], "average", np.zeros(9)),
        ),
        "not all zero",
    ),
    "place of an interface": (
        lambda: frame_body({"root": ls.Interface(np.zeros(2), np.array([0]))}),
        "give three numbers",
    ),
    "name twice": (lambda: frame_body(names={"tip": 2}), "name of an interface and of node 2"),
    "unknown tie": (
        lambda: frame_body({"root": ls.Interface(np.zeros(3), np.array([0]), "welded")}),
        "tie 'welded'",
    ),
    "unknown name": (lambda: frame_body(names={"camera": 99}), "camera"),
    "method": (lambda: frame_body(method="guyan"), "craig-bampton"),
    "inboard": (lambda: frame_body(inboard="rooot"), "did you mean 'root'"),
    "attachment": (lambda: frame_body(attachment="top"), "not an interface"),
    "attachment of another kind": (lambda: frame_body(attachment=5), "names 5, which is not"),
    "two counts": (lambda: frame_body(modes=3, frequency=10.0), "give one of them"),
    "too many modes": (lambda: frame_body(modes=500), "give fewer"),
    "effective mass": (lambda: frame_body(effective_mass=95), "between 0 and 1"),
    "modes": (lambda: frame_body(modes=2.5), "whole number from 0 to 1000"),
    "effective mass of a free structure": (
        lambda: frame_body(method="free-free", effective_mass=0.9),
        "have no effective mass",
    ),
    "frequency": (lambda: frame_body(frequency=-1), "above zero"),
    "damping": (lambda: frame_body(damping="rayleigh"), "give a ratio"),
    "negative damping": (lambda: frame_body(damping=[0.1, -0.1]), "must not be negative"),
    "damping without end": (lambda: frame_body(damping=np.inf), "give finite numbers"),
    "damping of words": (lambda: frame_body(damping=("rayleigh", "a", 1)), "alpha of damping"),
    "damping of one number": (lambda: frame_body(damping=("rayleigh", 1)), "alpha .*, beta"),
    "damping without rows": (lambda: frame_body(damping=np.ones((2, 3))), "give a square"),
    "damping matrix": (lambda: frame_body(damping=np.eye(4)), r"\(30, 30\)"),
    "level": (lambda: frame_body(level="exact"), "level is 'exact'"),
    "no second order": (lambda: frame_body(level="stiffened"), "stress stiffness is not known"),
}  # fmt: skip


LATE = (
    "mechanism",
    "hinge between interfaces",
    "ball joint between interfaces",
    "too many modes",
    "damping matrix",
)


def _without(A, row):
    A = A.copy()
    A[row], A[:, row] = 0, 0
    return A


def test_a_structure_needs_interfaces():
    with pytest.raises(ls.ModelError, match="no interfaces"):
        ls.from_matrices(FRAME[1], FRAME[0], CORNERS, {})


@pytest.mark.parametrize("case", CASES)
def test_faults_are_named(case, monkeypatch):
    """Before the structure is factorised, which may take long, where that does not show them."""
    make, words = CASES[case]
    if case not in LATE:
        monkeypatch.setattr("lissom.structures.finite.reduce.Held", None)
    with pytest.raises(ls.ModelError, match=words):
        make()
