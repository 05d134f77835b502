"""XML as a tree of elements that know their line, by the standard library's expat.

Document types and entities are refused: a few lines of them can make a file of any size.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

import numpy as np

from ..errors import ModelError

__all__ = ["Element", "read_xml"]

Array = np.ndarray

# Limits that no description of a robot comes near.
_DEEPEST, _LARGEST, _MOST = 64, 64_000_000, 500_000


@dataclass(eq=False)
class Element:
    """One element of a file.

    Attributes
    ----------
    tag : str
    attributes : dict
    line : int
        Where it begins.
    file : Path
    children : list of Element
    """

    tag: str
    attributes: dict[str, str]
    line: int
    file: Path
    children: list[Element] = field(default_factory=list)

    @property
    def title(self) -> str:
        """How errors call it: file, line and element with its name."""
        name = self.attributes.get("name")
        shown = f'<{self.tag} name="{name}">' if name else f"<{self.tag}>"
        return f"{self.file}:{self.line}: {shown}"

    def fault(self, words: str) -> ModelError:
        """An error about this element."""
        return ModelError(f"{self.title}: {words}")

    def find(self, tag: str) -> Element | None:
        """The only child with a tag, or None."""
        found = self.all(tag)
        if len(found) > 1:
            raise found[1].fault(f"a second <{tag}>; remove one")
        return found[0] if found else None

    def need(self, tag: str) -> Element:
        """The only child with a tag."""
        found = self.find(tag)
        if found is None:
            raise self.fault(f"has no <{tag}>; add it")
        return found

    def all(self, tag: str) -> list[Element]:
        """All children with a tag."""
        return [child for child in self.children if child.tag == tag]

    def text(self, name: str) -> str:
        """An attribute that must be there and not be empty."""
        value = self.attributes.get(name, "").strip()
        if not value:
            raise self.fault(f'has no attribute {name}; add {name}="..."')
        return value

    def number(self, name: str, default: float | None = None) -> float:
        """An attribute as a finite number."""
        if default is not None and name not in self.attributes:
            return default
        return float(self.numbers(name, 1)[0])

    def numbers(self, name: str, count: int, default: tuple[float, ...] | None = None) -> Array:
        """An attribute as finite numbers (count,)."""
        if default is not None and name not in self.attributes:
            return np.array(default, dtype=float)
        text = self.text(name)
        try:
            values = np.array([float(x) for x in text.split()])
        except ValueError:
            values = np.zeros(0)
        if len(values) != count or not np.all(np.isfinite(values)):
            expected = "a finite number" if count == 1 else f"{count} finite numbers"
            raise self.fault(f'{name}="{text}"; expected {expected}')
        return values


def read_xml(path: str | Path) -> Element:
    """Root element of a file.

    Parameters
    ----------
    path : path
        File.
    """
    file = Path(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ModelError(f"{file}: cannot be read ({error.strerror}); check the path") from None
    if len(data) > _LARGEST:
        raise ModelError(f"{file}: {len(data)} bytes are more than the {_LARGEST} that are read")
    return _Reader(file).read(data)


class _Reader:
    """Handlers of expat that build the tree."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.EntityDeclHandler = self.refuse

    def read(self, data: bytes) -> Element:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            words = expat.errors.messages[error.code]
            raise ModelError(
                f"{self.file}:{error.lineno}:{error.offset + 1}: not well-formed XML ({words}); "
                "correct the file there or just before"
            ) from None
        except ModelError:  # by the handlers
            raise
        except (ValueError, LookupError) as error:  # unknown encodings
            raise ModelError(f"{self.file}: not readable as XML ({error})") from None
        assert self.root is not None
        return self.root

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        element = Element(tag, attributes, line, self.file)
        self.count += 1
        if len(self.open) >= _DEEPEST or self.count > _MOST:
            raise element.fault("elements are nested too deep or too many; is this a robot?")
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, tag: str) -> None:
        self.open.pop()

    def refuse(self, *_: object) -> None:
        raise ModelError(
            f"{self.file}:{self.parser.CurrentLineNumber}: has a document type or entity "
            "declaration, which is refused for safety; remove it"
        )
