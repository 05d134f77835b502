"""Processors that kernels are compiled for."""

from __future__ import annotations

import platform
from typing import NamedTuple


class ProcessorLevel(NamedTuple):
    """One kind of processor."""

    name: str  # name shown to the user, such as "x86-64-v3"
    # cpu, features: the same for LLVM; empty for the processor of this machine
    cpu: str = ""
    features: str = ""

    @property
    def identifier(self) -> str:
        """Name in symbols."""
        return self.name.replace("-", "_")


# Vectors of 512 bits cost more than they save on several processors.
LEVELS = {
    "x86_64": (
        ProcessorLevel("x86-64-v2", "x86-64-v2"),
        ProcessorLevel("x86-64-v3", "x86-64-v3"),
        ProcessorLevel("x86-64-v4", "x86-64-v4", "+prefer-256-bit"),
    ),
    "aarch64": (ProcessorLevel("generic", "generic"),),
}


class BuildTarget(NamedTuple):
    """What a binary is compiled for."""

    # LLVM's name of the system, such as "aarch64-unknown-linux-gnu"; empty for this one
    triple: str
    levels: tuple[ProcessorLevel, ...]  # levels in rising order

    @classmethod
    def named(cls, triple: str = "") -> BuildTarget:
        """Target of a triple; of this machine if it is empty."""
        machine = triple.partition("-")[0] or platform.machine().lower()
        machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
        return cls(triple, LEVELS.get(machine, (ProcessorLevel("native"),)))
