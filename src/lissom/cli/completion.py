"""Names of files that shells are offered to complete: none of them is ever run.

bash puts what it is offered into the line as it is, and zsh evaluates it; fish quotes by itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

_PLAIN = r"\w.,:=+@%/\-"  # what no shell reads as anything but itself


def offered(names: Iterable[str], incomplete: str) -> list[str]:
    """Names that begin as what was typed, written so that the shell in use takes them literally.

    Names with control characters or a leading dash are left out, and so are names with other signs
    where the shell leaves no safe way to write them.

    Parameters
    ----------
    names : iterable of str
        Of whatever origin.
    incomplete : str
        What was typed.
    """
    fitting = [x for x in names if x.startswith(incomplete) and x.isprintable() and x[:1] != "-"]
    shell = os.environ.get("_LISSOM_COMPLETE", "").removeprefix("complete_")
    if shell == "bash":
        return [re.sub(rf"([^{_PLAIN}])", r"\\\1", x) for x in fitting]
    if shell == "fish":
        return fitting
    allowed = f"{_PLAIN} " if shell == "zsh" else _PLAIN
    return [x for x in fitting if re.fullmatch(rf"[{allowed}]+", x)]
