"""Values of a model file changed from outside: "parts.payload.body.mass=3 kg"."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import ModelError
from .addresses import AddressError, Path, changed, found_path
from .problems import Problem, key_text
from .source import Source

_LIKE = 'such as gravity[2]=-1.62 or "parts.payload.body.mass=3 kg"'


def overridden(source: Source, given: Sequence[str]) -> Source:
    """Content of a file with other values.

    Parameters
    ----------
    source : Source
        The file.
    given : sequence of str
        ADDRESS=VALUE: a number, a number with a unit, true, false, a list as in TOML, or text.
    """
    values: dict[Path, Any] = {}
    texts: dict[Path, str] = {}
    for text in given:
        address, equals, value = text.partition("=")
        address = address.strip()
        if not equals or not address:
            raise ModelError(f"{text!r}: expected ADDRESS=VALUE, {_LIKE}")
        try:
            path = found_path(source.data, address)
        except AddressError as error:
            raise ModelError(f"{source.path}: {address!r} {error}") from None
        if path in values:
            raise ModelError(f"{text!r}: {address!r} is given twice; give one value")
        values[path], texts[path] = _value(value.strip()), text
    return _Changed(source, changed(source.data, values), texts)


class _Changed(Source):
    """A file with other values.

    Parameters
    ----------
    source : Source
        The file.
    data : dict
        Its content with these values.
    texts : mapping
        ADDRESS=VALUE as given, by the path of the value.
    """

    def __init__(self, source: Source, data: dict[str, Any], texts: Mapping[Path, str]) -> None:
        super().__init__(source.path, source.text, data, lambda: source.places)
        self.texts = texts

    def problem(self, path: Sequence[str | int], message: str) -> Problem:
        """Problem at a key; for a given value not the line of the file, which has another."""
        here = tuple(path)
        for changed_path, text in self.texts.items():
            if here[: len(changed_path)] == changed_path:
                return Problem(self.path, 0, 0, key_text(here), f'{message} (given as "{text}")')
        inside = [x for path, x in self.texts.items() if here and path[: len(here)] == here]
        also = f' (with "{inside[0]}")' if inside else ""
        return super().problem(path, message + also)


def _value(text: str) -> Any:
    """Value as in TOML; what TOML cannot read is text, such as 3 kg."""
    if "\n" in text:
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, ValueError, RecursionError):
        return text
