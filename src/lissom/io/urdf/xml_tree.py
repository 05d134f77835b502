"""XML parsed to a tree of elements with line numbers, by the standard library's expat.

Document types and entities are rejected: a few lines of them can expand to any size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

import numpy as np

from ...errors import ModelError
from ..reading import read_regular

Array = np.ndarray

_DEEPEST = 64  # levels of elements


@dataclass(frozen=True)
class XmlFormat:
    """Format of an XML file, with limits far above any real file of it."""

    name: str  # name in messages
    # most_bytes, most_elements: limits
    most_bytes: int
    most_elements: int
    # whether text between tags is kept, and prefixes of namespaces are removed from tags
    texts: bool = False


URDF = XmlFormat("URDF", 64_000_000, 200_000)


@dataclass(eq=False)
class Element:
    """One element of an XML file."""

    tag: str
    attributes: dict[str, str]
    line: int  # line of its start tag
    file: Path
    parent: Element | None = None  # enclosing element
    children: list[Element] = field(default_factory=list)
    content: str = ""  # text directly inside, for formats that keep it

    @property
    def title(self) -> str:
        """Label for errors: file, line and element, with its name or that of an enclosing one."""
        owner, words = self, self._opening
        while "name" not in owner.attributes and owner.parent is not None:
            owner = owner.parent
        if owner is not self and owner.parent is not None:
            words += f" of {owner._opening}"
        return f"{self.file}:{self.line}: {words}"

    @property
    def _opening(self) -> str:
        name = self.attributes.get("name")
        return f'<{shown(self.tag)} name="{shown(name)}">' if name else f"<{shown(self.tag)}>"

    def fault(self, words: str) -> ModelError:
        """Error about this element."""
        return ModelError(f"{self.title}: {shown(words, 1000)}")

    def find(self, tag: str) -> Element | None:
        """The only child with a tag, or None."""
        children = self.all(tag)
        if len(children) > 1:
            raise children[1].fault(
                f"there is another <{tag}> on line {children[0].line}; remove one of them"
            )
        return children[0] if children else None

    def need(self, tag: str) -> Element:
        """The only child with a tag."""
        child = self.find(tag)
        if child is None:
            raise self.fault(f"has no <{tag}>; add it")
        return child

    def all(self, tag: str) -> list[Element]:
        """All children with a tag."""
        return [child for child in self.children if child.tag == tag]

    def text(self, name: str) -> str:
        """Required, non-empty attribute."""
        value = self.attributes.get(name, "").strip()
        if not value:
            what = f'{name}="" is empty' if name in self.attributes else f"has no {name}"
            raise self.fault(f'{what}; give {name}="..."')
        return value

    def number(
        self, name: str, default: float | None = None, *, unit: str = "", least: float = -math.inf
    ) -> float:
        """Attribute as a finite number; `unit` is for errors."""
        if default is not None and name not in self.attributes:
            return default
        [value] = self._floats(name, 1, unit)
        if value < least:
            raise self.fault(f'{name}="{shown(self.text(name))}"; it must not be negative{unit}')
        return value

    def numbers(
        self, name: str, count: int, default: tuple[float, ...] | None = None, *, unit: str = ""
    ) -> Array:
        """Attribute as an array (count,) of finite numbers."""
        if default is not None and name not in self.attributes:
            return np.array(default, dtype=float)
        return np.array(self._floats(name, count, unit))

    def _floats(self, name: str, count: int, unit: str) -> list[float]:
        text = self.text(name)
        words = text.split()
        try:
            values = [float(x) for x in words]
        except ValueError:
            values = []
        if len(values) == count and all(map(math.isfinite, values)):
            return values
        expected = "one finite number" if count == 1 else f"{count} finite numbers"
        hint = ""
        if "$" in text:
            hint = "; this is xacro, expand the file first: xacro robot.xacro > robot.urdf"
        elif "," in text or ";" in text:
            hint = ", with decimal points and separated by spaces"
        elif values and len(values) != count:
            hint = f", not {len(values)}"
        raise self.fault(f'{name}="{shown(text)}"; expected {expected}{unit}{hint}')


def shown(text: str, most: int = 60) -> str:
    """Text of a file, shortened to one printable line."""
    line = "".join(x if x.isprintable() else "?" for x in text[:most])
    return f"{line}..." if len(text) > most else line


def read_xml(path: str | Path, kind: XmlFormat = URDF) -> Element:
    """Root element of a file."""
    file = Path(path)
    try:
        data = read_regular(file, kind.most_bytes)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        words = f"{shown(str(file), 400)}: cannot be read ({reason}); check the path"
        raise ModelError(words) from None
    return _XmlBuilder(file, kind).read(data)


class _XmlBuilder:
    """Expat handlers that build the tree."""

    def __init__(self, file: Path, kind: XmlFormat) -> None:
        self.file, self.kind = file, kind
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.EntityDeclHandler = self.refuse
        if kind.texts:
            self.texts: list[list[str]] = []
            self.parser.buffer_text = True
            self.parser.buffer_size = 1 << 16
            self.parser.CharacterDataHandler = self.text

    def read(self, data: bytes) -> Element:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            place = f"{self.file}:{error.lineno}:{error.offset + 1}"
            raise ModelError(f"{place}: not well-formed XML: {self.reason(error)}") from None
        except ModelError:  # raised by the handlers
            raise
        except (ValueError, LookupError) as error:  # unknown encodings
            raise ModelError(
                f"{self.file}:1: not readable as XML ({shown(str(error))}); save it as UTF-8"
            ) from None
        assert self.root is not None
        return self.root

    def reason(self, error: expat.ExpatError) -> str:
        """Cause and remedy of a syntax error."""
        words = expat.errors.messages[error.code]
        if self.open and words in (expat.errors.XML_ERROR_TAG_MISMATCH, *_CUT):
            last = self.open[-1]
            what = f"<{shown(last.tag)}> on line {last.line} is not closed"
            return f"{what}; add </{shown(last.tag)}>, or restore the end of a truncated file"
        if self.root is None and words == expat.errors.XML_ERROR_NO_ELEMENTS:
            return "the file contains no element; check the path"
        if words == expat.errors.XML_ERROR_UNKNOWN_ENCODING:
            return "unknown encoding; save the file as UTF-8"
        return f"{words}; correct the file at this position or just before it"

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        parent = self.open[-1] if self.open else None
        if self.kind.texts:
            tag = tag.rpartition(":")[2]
            self.texts.append([])
        element = Element(tag, attributes, self.parser.CurrentLineNumber, self.file, parent)
        self.count += 1
        if len(self.open) >= _DEEPEST:
            raise element.fault(
                f"elements are nested more than {_DEEPEST} levels deep; check that this is a "
                f"{self.kind.name} file"
            )
        if self.count > (most := self.kind.most_elements):
            raise element.fault(
                f"there are more than {most} elements; check that this is a {self.kind.name} file"
            )
        if parent is None:
            self.root = element
        else:
            parent.children.append(element)
        self.open.append(element)

    def end(self, _tag: str) -> None:
        element = self.open.pop()
        if self.kind.texts:
            element.content = "".join(self.texts.pop())

    def text(self, characters: str) -> None:
        if self.texts:
            self.texts[-1].append(characters)

    def refuse(self, *_: object) -> None:
        raise ModelError(
            f"{self.file}:{self.parser.CurrentLineNumber}: document type and entity declarations "
            "are rejected for safety; remove them"
        )


# Errors of expat in a truncated file.
_CUT = (
    expat.errors.XML_ERROR_NO_ELEMENTS,
    expat.errors.XML_ERROR_UNCLOSED_TOKEN,
    expat.errors.XML_ERROR_PARTIAL_CHAR,
)
