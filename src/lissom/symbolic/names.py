"""Names of coordinates and speeds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from ..errors import SymbolicError, name_list
from ..system import System


@dataclass(frozen=True)
class Names:
    """Symbols of coordinates and speeds, in the order of q and v."""

    coordinates: tuple[sympy.Symbol, ...]
    speeds: tuple[sympy.Symbol, ...]

    @classmethod
    def of(cls, system: System, coordinates: Any = None, speeds: Any = None) -> Names:
        """Names derived from the bodies, unless given by the user."""
        default_q: list[str] = []
        default_v: list[str] = []
        for name, body, joint in zip(system.names, system.bodies, system.joints, strict=True):
            word = identifier(name)
            default_q += numbered("eta", word, body.n_mode, always=True)
            default_q += numbered("q", word, joint.n_q)
            default_v += numbered("etadot", word, body.n_mode, always=True)
            default_v += numbered("v", word, joint.n_v)
        return cls(
            _chosen(coordinates, default_q, "coordinates"), _chosen(speeds, default_v, "speeds")
        )


def numbered(letter: str, word: str, n: int, *, always: bool = False) -> list[str]:
    """Names such as q_arm_1, without a number if there is only one."""
    if n == 1 and not always:
        return [f"{letter}_{word}"]
    return [f"{letter}_{word}_{k}" for k in range(1, n + 1)]


def _chosen(names: Any, default: Sequence[str], what: str) -> tuple[sympy.Symbol, ...]:
    symbols = as_symbols(default if names is None else names, what)
    if len(symbols) != len(default):
        raise SymbolicError(
            f"{what}: {len(symbols)} names given, but the model has {len(default)}: "
            f"{name_list(default, show=str)}; give one for each"
        )
    return symbols


def as_symbols(entries: Any, what: str) -> tuple[sympy.Symbol, ...]:
    """Symbols from names, symbols or a string such as "t1 t2"; `what` is for messages."""
    if isinstance(entries, str):
        entries = entries.replace(",", " ").split()
    if isinstance(entries, sympy.Symbol):
        entries = [entries]
    if not isinstance(entries, Iterable):
        raise SymbolicError(f"{what} is {entries!r}; give names or SymPy symbols")
    symbols: list[sympy.Symbol] = []
    for x in entries:
        if not isinstance(x, (str, sympy.Symbol)) or not str(x):
            raise SymbolicError(f"{what}: {x!r} is not a name; give names or SymPy symbols")
        symbols.append(x if isinstance(x, sympy.Symbol) else sympy.Symbol(x, real=True))
    names = [s.name for s in symbols]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise SymbolicError(
            f"{what}: duplicate names {name_list(twice, show=str)}; give different names with "
            f"{what}="
        )
    return tuple(symbols)


def identifier(name: str, *, ascii_only: bool = False) -> str:
    """Valid identifier, with other characters replaced by underscores."""
    word = re.sub(r"\W", "_", unicodedata.normalize("NFKC", name), flags=re.ASCII * ascii_only)
    return word if word.isidentifier() else f"_{word}"


def check_choice(value: Any, choices: Iterable[str], what: str) -> str:
    """Value if it is one of the choices; `what` names it in messages."""
    if isinstance(value, str) and value in choices:
        return value
    quoted = [f'"{x}"' for x in choices]
    raise SymbolicError(f"{what} is {value!r}; use {', '.join(quoted[:-1])} or {quoted[-1]}")
