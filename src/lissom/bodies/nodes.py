"""Checks of nodes shared by the flexible bodies: names, the inboard node, masses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import ModelError


def checked_names(names: Any, n_node: int, what: str) -> dict[str, int]:
    """Validated names of nodes: text without a dot, for nodes that exist."""
    if not isinstance(names, Mapping):
        raise ModelError(f'{what}: names is {names!r}; give a dictionary {{"tip": 9}}')
    for name, node in names.items():
        if not isinstance(name, str) or not name or "." in name:
            raise ModelError(f"{what}: node name {name!r} must be text without a dot")
        if not isinstance(node, (int, np.integer)) or not 0 <= node < n_node:
            raise ModelError(
                f"{what}: name {name!r} points to node {node!r}, which does not exist; "
                f"nodes are 0 to {n_node - 1}"
            )
        if name.isdecimal() and node != int(name) < n_node:
            raise ModelError(
                f"{what}: name {name!r} of node {node} is the number of another node, which could "
                "then not be addressed; give a name with a letter"
            )
    return {name: int(node) for name, node in names.items()}


def checked_inboard(inboard: Any, names: Mapping[str, int], n_node: int, what: str) -> int:
    """Number of the inboard node, given by number or name; other parameters as above."""
    node = names.get(inboard, -1) if isinstance(inboard, str) else inboard
    if not isinstance(node, (int, np.integer)) or not 0 <= node < n_node:
        raise ModelError(
            f"{what}: inboard is {inboard!r}; it must be a node, 0 to {n_node - 1}, or one of the "
            f"names {sorted(names)}"
        )
    return int(node)


def check_masses(masses: np.ndarray, what: str) -> None:
    """Reject negative masses (n,), naming the node."""
    if np.any(masses < 0):
        node = int(np.argmin(masses))
        raise ModelError(
            f"{what}: mass of node {node} is {masses[node]:g} kg; masses must not be negative"
        )


def node_called(names: Mapping[str, int], node: int) -> str | None:
    """First name of a node, or None."""
    return next((name for name, k in names.items() if k == node), None)
