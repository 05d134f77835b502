"""Instructions that shift, choose, convert, load, store and branch, as statements of C."""

from __future__ import annotations

import re

from .instructions import NUMBERS, Scope, Unknown, handler, label, only, register, symbol
from .parsing import SIZES


def _shift(scope: Scope, words: list[str], given: list[str], name: str) -> str:
    (kind,) = words
    d, a, n = given
    values = f"{scope.whole(a, kind)}, {scope.whole(n, 'u32')}"
    return f"{scope.target(d, kind)} = {name}({kind}, {values});"


@handler("shl")
def _shl(scope: Scope, words: list[str], given: list[str]) -> str:
    if words[0][0] != "b":
        raise Unknown(words[0])
    return _shift(scope, words, given, "SHL")


@handler("shr")
def _shr(scope: Scope, words: list[str], given: list[str]) -> str:
    return _shift(scope, words, given, "SHR_S" if words[0][0] == "s" else "SHR_U")


@handler("bfe")
def _bfe(scope: Scope, words: list[str], given: list[str]) -> str:
    (kind,) = words
    d, a, place, n = given
    where = f"{scope.whole(place, 'u32')}, {scope.whole(n, 'u32')}, {8 * SIZES[kind]}"
    return f"{scope.target(d, kind)} = bfe_{kind[0]}({scope.whole(a, kind)}, {where});"


@handler("shf")
def _shf(scope: Scope, words: list[str], given: list[str]) -> str:
    way, mode, kind = words
    if way not in "lr" or mode not in ("wrap", "clamp") or kind != "b32":
        raise Unknown(".".join(words))
    d, *rest = given
    values = ", ".join(scope.whole(x, "u32") for x in rest)
    return f"{scope.target(d, kind)} = shf({values}, {int(way == 'l')}, {int(mode == 'wrap')});"


@handler("prmt")
def _prmt(scope: Scope, words: list[str], given: list[str]) -> str:
    if words != ["b32"]:
        raise Unknown(".".join(words))
    d, *rest = given
    return f"{scope.target(d, 'b32')} = prmt({', '.join(scope.whole(x, 'u32') for x in rest)});"


# ---- comparisons, choices

WHOLE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
UNSIGNED = {"lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
ORDERED = {x: f"{{0}} {c} {{1}}" for x, c in WHOLE.items()}
ORDERED["ne"] = "({0} < {1} || {0} > {1})"  # as all of these, false for what is no number
ORDERED |= {
    "equ": "!({0} < {1} || {0} > {1})",
    "neu": "{0} != {1}",
    "ltu": "!({0} >= {1})",
    "leu": "!({0} > {1})",
    "gtu": "!({0} <= {1})",
    "geu": "!({0} < {1})",
    "num": "({0} == {0} && {1} == {1})",
    "nan": "({0} != {0} || {1} != {1})",
}


@handler("setp")
def _setp(scope: Scope, words: list[str], given: list[str]) -> str:
    how, *joined, kind = words
    only(joined, "and", "or", "xor")
    targets, a, b, *more = given
    if len(more) != len(joined):
        raise Unknown("operands")
    if kind in NUMBERS:
        made = ORDERED[how].format(scope.number(a, kind), scope.number(b, kind))
    elif kind[0] == "b" and how not in ("eq", "ne"):
        raise Unknown(how)
    elif how in UNSIGNED:
        unsigned = f"u{kind[1:]}"
        made = f"{scope.signed(a, unsigned)} {UNSIGNED[how]} {scope.signed(b, unsigned)}"
    else:
        made = f"{scope.signed(a, kind)} {WHOLE[how]} {scope.signed(b, kind)}"
    if joined:
        sign = {"and": "&", "or": "|", "xor": "^"}[joined[0]]
        joined_with = f" {sign} {scope.whole(more[0], 'pred')}"
    else:
        joined_with = ""
    first, *second = targets.split("|")
    lines = [f"u8 c_ = ({made});"]
    if second:
        lines.append(f"u8 other_ = !c_{joined_with};")
    lines.append(f"{scope.target(first, 'pred')} = c_{joined_with};")
    if second:
        lines.append(f"{scope.target(second[0], 'pred')} = other_;")
    return f"{{ {' '.join(lines)} }}" if second or joined else f"{register(first)} = ({made});"


@handler("selp")
def _selp(scope: Scope, words: list[str], given: list[str]) -> str:
    (kind,) = words
    d, a, b, p = given
    value = scope.number if kind in NUMBERS else scope.whole
    chosen = f"{scope.whole(p, 'pred')} ? {value(a, kind)} : {value(b, kind)}"
    return f"{scope.target(d, kind)} = {chosen};"


@handler("mov")
def _mov(scope: Scope, words: list[str], given: list[str]) -> str:
    (kind,) = words
    d, a = given
    if d.startswith("{"):
        parts = parts_of(d)
        width = 8 * SIZES[kind] // len(parts)
        lines = [f"u64 x_ = {scope.whole(a, kind)};"]
        lines += [
            f"{scope.target(x, f'b{width}')} = (u{width})(x_ >> {k * width});"
            for k, x in enumerate(parts)
            if x != "_"
        ]
        return f"{{ {' '.join(lines)} }}"
    if a.startswith("{"):
        parts = parts_of(a)
        width = 8 * SIZES[kind] // len(parts)
        whole = [
            f"((u64)(u{width}){scope.whole(x, f'b{width}')} << {k * width})"
            for k, x in enumerate(parts)
        ]
        return f"{scope.target(d, kind)} = {' | '.join(whole)};"
    if kind in NUMBERS:
        return f"{scope.target(d, kind)} = {scope.number(a, kind)};"
    return f"{scope.target(d, kind)} = {scope.whole(a, kind)};"


def parts_of(text: str) -> list[str]:
    return [x.strip() for x in text.strip("{}").split(",")]


# ---- conversions

ROUNDED = {"rni": "rint", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}


@handler("cvt")
def _cvt(scope: Scope, words: list[str], given: list[str]) -> str:
    *rounding, to, of = words
    d, a = given
    target = scope.target(d, to)
    if to in NUMBERS and of in NUMBERS:
        if rounding and rounding[0] in ROUNDED and to == of:
            only(rounding[1:])
            return f"{target} = {ROUNDED[rounding[0]]}({scope.number(a, of)});"
        if rounding != (["rn"] if SIZES[to] < SIZES[of] else []) or to == of:
            raise Unknown(".".join(rounding))
        return f"{target} = ({to}){scope.number(a, of)};"
    if to in NUMBERS:
        if rounding != ["rn"]:
            raise Unknown(".".join(rounding))
        return f"{target} = ({to}){scope.signed(a, of)};"
    if of in NUMBERS:
        (how,) = rounding
        value, width = scope.number(a, of), 8 * SIZES[to]
        made = f"integer_{to[0]}({ROUNDED[how]}({value}), {width})"
        if of == "f32" and width < 64:
            made = f"{value} != {value} ? 0 : {made}"
        return f"{target} = {made};"
    only(rounding)
    return f"{target} = ({to}){scope.signed(a, of)};"


@handler("cvta")
def _cvta(scope: Scope, words: list[str], given: list[str]) -> str:
    *_, kind = words
    only(words[:-1], "to", "global", "local", "const")
    return f"{scope.target(given[0], kind)} = {scope.whole(given[1], kind)};"


# ---- memory

SPACES = {"global": "GLOBAL", "local": "LOCAL", "const": "CONSTANT"}


def _place(scope: Scope, words: list[str], where: str) -> tuple[str, str, int]:
    """Address that C reads, with {0} for how much is read; type; how many."""
    *more, kind = words
    only(more, "param", "nc", "v2", "v4", *SPACES)
    count = 4 if "v4" in more else 2 if "v2" in more else 1
    inside = where.strip("[]").replace(" ", "")
    base, _, offset = inside.partition("+")
    if "param" in more:
        if base not in scope.spaces:
            raise Unknown(where)
        return f"(u64)({symbol(base)} + {int(offset or 0)})", kind, count
    space = next((SPACES[x] for x in more if x in SPACES), "GENERIC")
    space = "CONSTANT" if "nc" in more else space
    address = f"{scope.whole(base, 'b64')} + (u64)({int(offset or 0)}ll)"
    size = SIZES[kind]
    return f"AT({address}, {size * count}, {space}{{0}}, {size * count})", kind, count


@handler("ld")
def _ld(scope: Scope, words: list[str], given: list[str]) -> str:
    d, where = given
    place, kind, count = _place(scope, words, where)
    place = place.format("")
    if count == 1:
        return f"{scope.target(d, kind)} = *({kind} *)({place});"
    whole = f"b{8 * SIZES[kind]}" if kind in NUMBERS else kind
    targets = parts_of(d)
    if len(targets) != count:
        raise Unknown(f"{len(targets)} parts")
    values = ", ".join(f"p_[{k}]" for k in range(count))
    moves = [f"{register(x)} = x_[{k}];" for k, x in enumerate(targets) if x != "_"]
    read = f"{whole} *p_ = ({whole} *)({place}), x_[] = {{ {values} }};"
    return f"{{ {read} {' '.join(moves)} }}"


@handler("st")
def _st(scope: Scope, words: list[str], given: list[str]) -> str:
    where, a = given
    if "nc" in words or "const" in words:
        raise Unknown("nc")
    place, kind, count = _place(scope, words, where)
    values = parts_of(a) if count > 1 else [a]
    if len(values) != count:
        raise Unknown(f"{len(values)} parts")
    whole = f"b{8 * SIZES[kind]}" if kind in NUMBERS else kind
    moves = [f"p_[{k}] = {scope.whole(x, whole)};" for k, x in enumerate(values)]
    place = place.format(" | STORED")
    return f"{{ {whole} *p_ = ({whole} *)({place}); {' '.join(moves)} }}"


@handler("atom")
def _atom(scope: Scope, words: list[str], given: list[str]) -> str:
    """A sum in memory; threads come one after another, so that nothing can come between."""
    only(words[:-1], "add", "global")
    if "add" not in words or words[-1] not in ("u32", "s32", "u64"):
        raise Unknown(".".join(words))
    d, where, a = given
    place, kind, _ = _place(scope, [x for x in words if x != "add"], where)
    place = place.format(" | STORED")
    sum_ = f"{kind} *p_ = ({kind} *)({place}), x_ = *p_; *p_ = x_ + {scope.whole(a, kind)};"
    return f"{{ {sum_} {scope.target(d, kind)} = x_; }}"


@handler("fence")
def _fence(_scope: Scope, words: list[str], _given: list[str]) -> str:
    only(words, "acq_rel", "sc", "cta", "gpu", "sys")
    return ";"


# ---- what comes next


@handler("bra")
def _bra(_scope: Scope, words: list[str], given: list[str]) -> str:
    only(words, "uni")
    return f"goto {label(given[0])};"


@handler("brx")
def _brx(scope: Scope, words: list[str], given: list[str]) -> str:
    only(words, "idx", "uni")
    which, table = given
    cases = [f"case {k}: goto {label(x)};" for k, x in enumerate(scope.branches[table])]
    out = 'default: FAULT("a branch outside its table");'
    return f"switch ({scope.whole(which, 'u32')}) {{ {' '.join(cases)} {out} }}"


@handler("call")
def _call(_scope: Scope, words: list[str], given: list[str]) -> str:
    only(words, "uni")
    found = re.fullmatch(r"(?:\(([^)]*)\), )?([\w$.]+)(?:, \(([^)]*)\))?", ", ".join(given))
    if not found:
        raise Unknown("form of the call")
    parts = ", ".join(x for x in (found[1], found[3]) if x)
    values = ["t", *(symbol(x.strip()) for x in parts.split(",") if x.strip())]
    return f"{symbol(found[2])}({', '.join(values)});"


@handler("ret")
def _ret(_scope: Scope, words: list[str], _given: list[str]) -> str:
    only(words, "uni")
    return "return;"


@handler("exit")
def _exit(_scope: Scope, words: list[str], _given: list[str]) -> str:
    only(words)
    return "longjmp(t->end, 2);"


@handler("trap")
def _trap(_scope: Scope, words: list[str], _given: list[str]) -> str:
    only(words)
    return 'FAULT("a trap");'
