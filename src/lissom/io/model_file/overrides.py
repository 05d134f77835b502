"""Values of a model file changed from outside: "parts.payload.body.mass=3 kg"."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import Any

from ...errors import ModelError
from .addresses import AddressError, Path, changed, found_path
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
        values[path] = _value(value.strip())
    data = changed(source.data, values)
    return Source(source.path, source.text, data, lambda: source.places)


def _value(text: str) -> Any:
    """Value as in TOML; what TOML cannot read is text, such as 3 kg."""
    if "\n" in text:
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, ValueError, RecursionError):
        return text
