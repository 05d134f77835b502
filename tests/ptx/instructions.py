"""Each instruction of PTX as a statement of C.

A handler gets the words behind the instruction's name, `add.rn.f64` has `rn` and `f64`, and its
operands.  Words that a handler does not name are an error, as are instructions without one.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

from .parsing import SIZES, PtxError, bits

SPECIAL = {f"%{x}.x": f"t->{x}" for x in ("tid", "ctaid", "ntid", "nctaid")}
SPECIAL |= {f"%{x}.{axis}": "0u" for x in ("tid", "ctaid") for axis in "yz"}
SPECIAL |= {f"%{x}.{axis}": "1u" for x in ("ntid", "nctaid") for axis in "yz"}
NUMBERS = {"f64": "F", "f32": "S"}


def register(name: str) -> str:
    return "R_" + name.lstrip("%").replace(".", "$d")


def symbol(name: str) -> str:
    return "N_" + name.replace(".", "$d").replace("%", "$p")


def label(name: str) -> str:
    return "L_" + name.replace(".", "$d").replace("%", "$p")


@dataclass
class Scope:
    """Names that a function knows."""

    registers: dict[str, str] = field(default_factory=dict)  # with their types
    spaces: set[str] = field(default_factory=set)  # of parameters
    symbols: set[str] = field(default_factory=set)
    branches: dict[str, list[str]] = field(default_factory=dict)

    def whole(self, x: str, kind: str) -> str:
        """An operand as an unsigned integer of C."""
        if x in SPECIAL:
            return SPECIAL[x]
        if x.startswith("!"):
            return f"!{self.whole(x[1:], kind)}"
        if x in self.registers:
            return register(x)
        if x in self.symbols:
            return f"((u64){symbol(x)})"
        if kind == "pred":
            return "1" if bits(x, 8) else "0"
        width = 8 * SIZES[kind]
        return f"((u{width}){bits(x, width)}ull)"

    def number(self, x: str, kind: str) -> str:
        """An operand as a number of C."""
        if x in self.registers:
            return self.target(x, kind)
        digits = bits(x, 64)
        if x[:2].lower() != ("0d" if kind == "f64" else "0f"):
            raise PtxError(f"{x} is no constant of type {kind}")
        form, whole = ("<d", "<Q") if kind == "f64" else ("<f", "<I")
        (value,) = struct.unpack(form, struct.pack(whole, digits))
        if math.isnan(value):
            return "NAN"
        if math.isinf(value):
            return "INFINITY" if value > 0 else "-INFINITY"
        return f"(({kind}){value.hex()})"

    def signed(self, x: str, kind: str) -> str:
        """An operand as an integer with the sign that its type has."""
        return f"(({kind})({self.whole(x, kind)}))"

    def target(self, x: str, kind: str) -> str:
        """A register that is written."""
        if x not in self.registers:
            raise PtxError(f"{x} is no register")
        if kind not in NUMBERS:
            return register(x)
        if SIZES[self.registers[x]] != SIZES[kind]:
            raise PtxError(f"{x} is {self.registers[x]}, not {kind}")
        return f"{NUMBERS[kind]}({register(x)})"


Handler = Callable[[Scope, list[str], list[str]], str]
HANDLERS: dict[str, Handler] = {}


def handler(*names: str) -> Callable[[Handler], Handler]:
    def keep(function: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(names, function))
        return function

    return keep


class Unknown(Exception):
    """A word that an instruction is not known with."""


def only(words: list[str], *known: str) -> None:
    """Refuse words that are not known."""
    for word in words:
        if word not in known:
            raise Unknown(word)


STATEMENT = re.compile(r"(?:@(!?)([\w%$]+)\s+)?([a-z]\w*(?:\.[\w:]+)*)\s*(.*)")


def statement(text: str, scope: Scope) -> str:
    """C of an instruction."""
    found = STATEMENT.fullmatch(text)
    if not found:
        raise PtxError(f"instruction not understood: {text}")
    unless, guard, name, rest = found.groups()
    head, *words = name.split(".")
    if head not in HANDLERS:
        raise PtxError(f"instruction {name} is not known: {text}")
    try:
        made = HANDLERS[head](scope, words, operands(rest))
    except (Unknown, KeyError, ValueError, IndexError) as error:
        raise PtxError(f"instruction {name} is not known ({error}): {text}") from error
    return f"if ({unless}{scope.whole(guard, 'pred')}) {{ {made} }}" if guard else made


def operands(text: str) -> list[str]:
    """Operands of an instruction, those in brackets together."""
    return [
        x.strip() for x in re.findall(r"[^,{\[(]*(?:\{[^}]*\}|\[[^\]]*\]|\([^)]*\))|[^,]+", text)
    ]


# ---- integers and numbers


def _float(c: Callable[[list[str]], str], count: int, *rounding: str) -> Handler:
    def made(scope: Scope, words: list[str], given: list[str]) -> str:
        *more, kind = words
        only(more, *rounding)
        d, *rest = given
        if len(rest) != count:
            raise Unknown(f"{len(rest)} operands")
        suffix = "f" if kind == "f32" else ""
        value = c([scope.number(x, kind) for x in rest]).replace("~", suffix)
        return f"{scope.target(d, kind)} = {value};"

    return made


FLOATS: dict[str, Handler] = {
    "add": _float(lambda x: f"{x[0]} + {x[1]}", 2, "rn"),
    "sub": _float(lambda x: f"{x[0]} - {x[1]}", 2, "rn"),
    "mul": _float(lambda x: f"{x[0]} * {x[1]}", 2, "rn"),
    "div": _float(lambda x: f"{x[0]} / {x[1]}", 2, "rn"),
    "fma": _float(lambda x: f"fma~({x[0]}, {x[1]}, {x[2]})", 3, "rn"),
    "mad": _float(lambda x: f"fma~({x[0]}, {x[1]}, {x[2]})", 3, "rn"),
    "sqrt": _float(lambda x: f"sqrt~({x[0]})", 1, "rn"),
    "neg": _float(lambda x: f"-{x[0]}", 1),
    "abs": _float(lambda x: f"fabs~({x[0]})", 1),
    "min": _float(lambda x: f"min_f64({x[0]}, {x[1]})", 2),
    "max": _float(lambda x: f"max_f64({x[0]}, {x[1]})", 2),
    "copysign": _float(lambda x: f"copysign~({x[1]}, {x[0]})", 2),
}
MUST_ROUND = ("div", "fma", "sqrt")  # else approximate, or not in PTX
PLAIN = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}


def _two(scope: Scope, words: list[str], given: list[str], name: str) -> str:
    *more, kind = words
    only(more)
    d, a, b = given
    x, y = scope.signed(a, kind), scope.signed(b, kind)
    if kind == "pred":
        x, y = scope.whole(a, kind), scope.whole(b, kind)
    if name in PLAIN:
        bitwise = name in ("and", "or", "xor")
        if bitwise != (kind == "pred" or kind.startswith("b")):
            raise Unknown(kind)
        made = f"{scope.whole(a, kind)} {PLAIN[name]} {scope.whole(b, kind)}"
    elif name in ("div", "rem"):
        made = f"{name.upper()}_{kind[0].upper()}({kind}, {x}, {y})"
    else:
        made = f"{x} {'<' if name == 'min' else '>'} {y} ? {x} : {y}"
    return f"{scope.target(d, kind)} = {made};"


def _carried(name: str, scope: Scope, words: list[str], given: list[str]) -> str:
    """Sums of 32 or 64 bits that set or take the carry."""
    carry_in, carry_out = int(name.endswith("c")), int("cc" in words)
    *_, kind = words
    only([x for x in words[:-1] if x != "cc"])
    base = name.rstrip("c") if name in ("addc", "subc") else name
    wide = {"32": "", "64": "64"}[kind[1:]]
    d, a, b = given
    values = f"{scope.whole(a, kind)}, {scope.whole(b, kind)}"
    return f"{scope.target(d, kind)} = {base}_cc{wide}(t, {values}, {carry_in}, {carry_out});"


def _sum(name: str) -> Handler:
    def made(scope: Scope, words: list[str], given: list[str]) -> str:
        if "cc" in words or name in ("addc", "subc"):
            return _carried(name, scope, words, given)
        if words[-1] in NUMBERS:
            if name in MUST_ROUND and "rn" not in words:
                raise Unknown("without rn")
            return FLOATS[name](scope, words, given)
        return _two(scope, words, given, name)

    return made


HANDLERS["copysign"] = FLOATS["copysign"]
for _name in ("add", "sub", "addc", "subc", "and", "or", "xor", "min", "max", "div", "rem"):
    HANDLERS[_name] = _sum(_name)
for _name in MUST_ROUND:
    HANDLERS[_name] = _sum(_name)


def product(scope: Scope, part: str, kind: str, a: str, b: str) -> tuple[str, str]:
    """A part of a product, and the type of what it goes to."""
    width, letter = int(kind[1:]), kind[0]
    double = f"{letter}{2 * width}"
    x, y = scope.signed(a, kind), scope.signed(b, kind)
    if part == "lo":
        return f"((u{width})((u64){x} * (u64){y}))", kind
    if part == "hi":
        return f"((u{width})((({double}){x} * ({double}){y}) >> {width}))", kind
    if part == "wide" and width < 64:
        return f"((u{2 * width})(({double}){x} * ({double}){y}))", double
    raise Unknown(part)


@handler("mul")
def _mul(scope: Scope, words: list[str], given: list[str]) -> str:
    if words[-1] in NUMBERS:
        return FLOATS["mul"](scope, words, given)
    part, kind = words
    made, _ = product(scope, part, kind, given[1], given[2])
    return f"{scope.target(given[0], kind)} = {made};"


def _mad(scope: Scope, words: list[str], given: list[str], name: str) -> str:
    if words[-1] in NUMBERS:
        only(words[:1], "rn")
        return FLOATS["mad"](scope, words, given)
    part, *more, kind = words
    only(more, "cc")
    made, to = product(scope, part, kind, given[1], given[2])
    last = scope.whole(given[3], to)
    if not more and name == "mad":
        return f"{scope.target(given[0], kind)} = {made} + {last};"
    wide = {"32": "", "64": "64"}[kind[1:]]
    flags = f"{int(name == 'madc')}, {int(bool(more))}"
    return f"{scope.target(given[0], kind)} = add_cc{wide}(t, {made}, {last}, {flags});"


def _one(scope: Scope, words: list[str], given: list[str], name: str) -> str:
    (kind,) = words
    d, a = given
    if kind in NUMBERS:
        return FLOATS[name](scope, words, given)
    x, width = scope.whole(a, kind), 8 * SIZES[kind]
    if name == "not":
        made = f"!{x}" if kind == "pred" else f"~{x}"
    elif name in ("neg", "abs"):
        if kind[0] != "s":
            raise Unknown(kind)
        negative = f"(u{width})(0 - {x})"
        made = negative if name == "neg" else f"({kind}){x} < 0 ? {negative} : {x}"
    elif kind not in ("b32", "b64"):
        raise Unknown(kind)
    else:
        made = f"__builtin_popcountll({x})" if name == "popc" else f"clz({x}, {width})"
    return f"{scope.target(d, kind)} = {made};"


def _named(function: Callable[..., str], name: str) -> Handler:
    return lambda scope, words, given: function(scope, words, given, name)


HANDLERS |= {x: _named(_mad, x) for x in ("mad", "madc")}
HANDLERS |= {x: _named(_one, x) for x in ("neg", "abs", "not", "popc", "clz")}


@handler("rcp")
def _rcp(scope: Scope, words: list[str], given: list[str]) -> str:
    *more, kind = words
    d, a = given
    value = scope.number(a, kind)
    if more == ["approx", "ftz"] and kind == "f64":
        return f"{scope.target(d, kind)} = rcp_approx({value});"
    if more != ["rn"]:
        raise Unknown(".".join(more))
    return f"{scope.target(d, kind)} = ({kind})1 / {value};"


@handler("rsqrt")
def _rsqrt(scope: Scope, words: list[str], given: list[str]) -> str:
    if words != ["approx", "ftz", "f64"]:
        raise Unknown(".".join(words))
    return f"{scope.target(given[0], 'f64')} = rsqrt_approx({scope.number(given[1], 'f64')});"


@handler("ex2")
def _ex2(scope: Scope, words: list[str], given: list[str]) -> str:
    if words != ["approx", "ftz", "f32"]:
        raise Unknown(".".join(words))
    return f"{scope.target(given[0], 'f32')} = ex2_approx({scope.number(given[1], 'f32')});"


TESTS = {
    "infinite": "isinf({0})",
    "finite": "isfinite({0})",
    "notanumber": "isnan({0})",
    "number": "!isnan({0})",
}


@handler("testp")
def _testp(scope: Scope, words: list[str], given: list[str]) -> str:
    how, kind = words
    test = TESTS[how].format(scope.number(given[1], kind))
    return f"{scope.target(given[0], 'pred')} = !!({test});"
