"""Completion of file names, quoted so that the shell never executes any part of them.

bash inserts completions verbatim and zsh evaluates them; fish quotes them itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

_PLAIN = r"\w.,:=+@%/\-"  # characters that every shell takes literally


def offered(names: Iterable[str], incomplete: str) -> list[str]:
    """Names that start with the typed text, quoted so that the shell in use takes them literally.

    Names with control characters or a leading dash are omitted, and so are names with special
    characters if the shell has no safe way to write them.

    Parameters
    ----------
    names : iterable of str
        Names from any source.
    incomplete : str
        Typed text.
    """
    fitting = [x for x in names if x.startswith(incomplete) and x.isprintable() and x[:1] != "-"]
    shell = os.environ.get("_LISSOM_COMPLETE", "").removeprefix("complete_")
    if shell == "bash":
        return [re.sub(rf"([^{_PLAIN}])", r"\\\1", x) for x in fitting]
    if shell == "fish":
        return fitting
    allowed = f"{_PLAIN} " if shell == "zsh" else _PLAIN
    return [x for x in fitting if re.fullmatch(rf"[{allowed}]+", x)]
