"""Bodies of solid elements compared with what CalculiX printed."""

from __future__ import annotations

import dataclasses

import numpy as np
import scipy.sparse.linalg as sparse_linalg

import lissom as ls
from lissom.io.structures import mesh as reader
from lissom.structures.finite.solid.kinds import KINDS
from tests.references import calculix_blocks, calculix_spin
from tests.references.spinning_beams import spun

ALLOY = ls.Material("alloy", 70e9, 2700.0, 0.33)


def structure(mesh, material=ALLOY):
    root = {"root": lambda x: x[:, 0] < x[:, 0].min() + 0.05}
    return reader.mesh_structure(mesh, material, root)


def held(s, nodes, force):
    """Free rows, and displacements under a force with nodes held."""
    fixed = (3 * np.asarray(nodes)[:, None] + np.arange(3)).ravel()
    free = np.setdiff1d(np.arange(s.n_freedom), fixed)
    u = np.zeros(s.n_freedom)
    u[free] = sparse_linalg.spsolve(s.stiffness[free][:, free], force[free])
    return free, u


# What CalculiX uses: fewer points for the mass of tetrahedra, all points printed for stress
CALCULIX = {
    "tetra": {"mass": ("tet", 1)},
    "tetra10": {"mass": ("tet", 2)},
    "hexahedron": {"stress": ("hex", 2)},
    "hexahedron20": {"stress": ("hex", 3)},
}


def compared(kind, found, changed, monkeypatch):
    """Largest relative differences of frequencies, displacement, stress, strain to CalculiX."""
    if changed:
        new = dataclasses.replace(KINDS[kind], **changed)
        if "stress" in changed:  # not extrapolated to nodes
            object.__setattr__(new, "to_nodes", np.zeros((new.n_node, len(new.rule("stress")[1]))))
        monkeypatch.setitem(reader.KINDS, kind, new)
    mesh = calculix_blocks.mesh(kind)
    s = structure(mesh)
    force = np.zeros(s.n_freedom)
    force[-3:] = calculix_blocks.FORCE
    free, u = held(s, calculix_blocks.held(mesh.points), force)
    K, M = (m[free][:, free] for m in (s.stiffness, s.mass))
    n = calculix_blocks.N_MODE
    values = sparse_linalg.eigsh(K, n, M, sigma=0, v0=np.ones(len(free)))[0]
    points = s.recovery(u[:, None]).points
    differences = []
    for name, values_of in (("stresses", points.stresses), ("strains", points.strains())):
        expected, inside = np.array(found[name]), values_of[len(s.recovery.nodes) :, :, 0]
        ours = in_order_of_calculix(inside.reshape(len(expected), -1, 6), kind)
        differences.append(np.abs(ours - expected).max() / np.abs(expected).max())
    return (
        np.abs(np.sqrt(values) / (2 * np.pi) / found["frequencies"] - 1).max(),
        np.abs(u[-3:] / found["displacement"] - 1).max(),
        *differences,
    )


def in_order_of_calculix(stress, kind):
    """Points of hexahedra with x first; those of tetrahedra as it has them."""
    if kind.startswith("hex"):
        q = round(stress.shape[1] ** (1 / 3))
        return stress.reshape(-1, q, q, q, 6).transpose(0, 3, 2, 1, 4).reshape(stress.shape)
    if kind == "tetra":
        return stress
    x = KINDS[kind].rule("stress")[0]
    near = [int(np.argmax(p)) if p.max() > 0.5 else -1 for p in x]
    return stress[:, [near.index(k) for k in (-1, 0, 1, 2)]]


def spun_differences(name, found):
    """Relative differences of the frequencies of a blade of `calculix_spin` at its rates."""
    mesh, options = calculix_spin.mesh(name), {"modes": 16, "level": "stiffened"}
    end = mesh.points[:, 0].max() - 1e-9
    ends = {"root": lambda x: np.isclose(x[:, 0], 0.0), "tip": lambda x: x[:, 0] > end}
    body = ls.from_mesh(mesh, ALLOY, ends, **options)
    return [spun(body, 2, rate)[:6] / found[str(rate)] - 1 for rate in calculix_spin.RATES]
