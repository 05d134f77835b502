"""A module of PTX as a file of C."""

from __future__ import annotations

import re
from itertools import pairwise

from . import moves  # noqa: F401  its handlers
from .instructions import Scope, label, register, statement, symbol
from .parsing import SIZES, Data, Function, PtxError, parse

REGISTERS = re.compile(r"\.reg\s+\.(\w+)\s+(.*)")
SPACE = re.compile(r"\.(param|local)\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+([\w$.]+)(?:\[(\d+)\])?")


def translated(text: str) -> str:
    """C of a PTX text: a function for each of its own, and `run_...` for what a GPU starts."""
    module = parse(text)
    symbols = {x.name for x in module.data}
    lines = ['#include "meaning.h"']
    lines += [_data(x) for x in module.data]
    lines += [f"{_head(x)};" for x in module.functions]
    for function in module.functions:
        if function.body is not None:
            lines += _function(function, symbols)
            if function.entry:
                lines.append(_start(function))
    return "\n".join(lines) + "\n"


def _data(x: Data) -> str:
    start = f"static u{8 * SIZES[x.type]} {symbol(x.name)}[{x.count}]"
    start += f" __attribute__((aligned({x.align})))"
    if x.values is None:
        return f"{start};"
    mask = (1 << 8 * SIZES[x.type]) - 1
    values = [f"(u64){symbol(v)}" if isinstance(v, str) else f"{v & mask}ull" for v in x.values]
    return f"{start} = {{{', '.join(values)}}};"


def _head(function: Function) -> str:
    given = [f"u8 *{symbol(x.name)}" for x in (*function.results, *function.parameters)]
    static = "" if function.visible else "static __attribute__((noinline, unused)) "
    return f"{static}void {symbol(function.name)}({', '.join(['Thread *t', *given])})"


def _function(function: Function, symbols: set[str]) -> list[str]:
    body = function.body or []
    scope = Scope(symbols=set(symbols))
    scope.spaces = {x.name for x in (*function.results, *function.parameters)}
    used = set(re.findall(r"%[\w]+", "\n".join(x for x in body if not x.startswith("."))))
    lines = [f"{_head(function)} {{"]
    targets = _branches(body, scope)
    for text in body:
        if text in "{}":
            lines.append(text)
        elif text.endswith(":"):
            if text[:-1] not in targets:
                lines.append(f"{label(text[:-1])}:;")
        elif text.startswith("."):
            lines.append(_directive(text, scope, used))
        else:
            lines.append(statement(text, scope))
    return [*lines, "}"]


def _branches(body: list[str], scope: Scope) -> set[str]:
    """Keep the tables of branches; their labels."""
    for name, text in pairwise(body):
        if text.startswith(".branchtargets"):
            words = text.removeprefix(".branchtargets").split(",")
            scope.branches[name.rstrip(":")] = [x.strip() for x in words]
    return set(scope.branches)


def _directive(text: str, scope: Scope, used: set[str]) -> str:
    if text.startswith((".branchtargets", ".pragma")):
        return ""
    if found := REGISTERS.fullmatch(text):
        return _registers(found[1], found[2], scope, used)
    if found := SPACE.fullmatch(text):
        kind, align, of, name, count = found.groups()
        (scope.spaces if kind == "param" else scope.symbols).add(name)
        size = SIZES[of] * int(count or 1)
        return f"u8 {symbol(name)}[{max(size, 8)}] __attribute__((aligned({int(align or 8)})));"
    raise PtxError(f"directive not understood: {text}")


def _registers(kind: str, names: str, scope: Scope, used: set[str]) -> str:
    if kind not in SIZES:
        raise PtxError(f"registers of type {kind} are not known")
    made = []
    for name in (x.strip() for x in names.split(",")):
        found = re.fullmatch(r"([\w%]+)<(\d+)>", name)
        many = [f"{found[1]}{k}" for k in range(int(found[2]))] if found else [name]
        made += [x for x in many if x in used or not x.startswith("%")]
    scope.registers.update(dict.fromkeys(made, kind))
    return f"u{8 * SIZES[kind]} {', '.join(map(register, made))};" if made else ""


def _start(function: Function) -> str:
    """Function that starts the threads of all blocks one after another; words of a fault."""
    if any(x.size != 8 for x in function.parameters):
        raise PtxError(f"{function.name}: parameters must have eight bytes")
    given = ["&t", *(f"(u8 *)(given + {k})" for k in range(len(function.parameters)))]
    return f"""
const u32 parameters_{function.name} = {len(function.parameters)};
const char *run_{function.name}(u64 *given, u32 blocks, u32 width) {{
  static __thread Thread t;
  for (u32 block = 0; block < blocks; block++)
    for (u32 k = 0; k < width; k++) {{
      memset(&t, 0, sizeof t);
      t.stack = (u64)__builtin_frame_address(0);
      t.tid = k, t.ctaid = block, t.ntid = width, t.nctaid = blocks;
      if (setjmp(t.end) == 0) {symbol(function.name)}({", ".join(given)});
      if (t.fault) return t.fault;
    }}
  return 0;
}}"""
