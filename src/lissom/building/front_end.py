"""Kernels to bitcode: Numba's typing and lowering, without generating machine code.

Each kernel gets a function of C around it that takes all arguments in slots of eight bytes, arrays
as address and shape (`calling.c`).
"""

from __future__ import annotations

import gc
import importlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..kernels.compiling import CompiledEntry

# Letters of types in the table of `calling.c`
LETTERS = {
    "void": "v",
    "int64": "i",
    "float64": "f",
    "boolean": "b",
    "int64[::1]": "I",
    "float64[::1]": "F",
    "float64[:,::1]": "M",
}
SLOTS = {"I": 2, "F": 2, "M": 3}
SIZE = 8  # bytes of a number


def entries() -> dict[str, CompiledEntry]:
    """All entries by their symbols; a run takes longest."""
    runs = ("kernels.run.advance", "kernels.run.load_derivatives", "kernels.run.adjoint")
    for name in ("sim", "kernels.entries", *runs):  # loads register themselves
        importlib.import_module(f"lissom.{name}")
    from ..kernels.compiling import ENTRIES

    by_symbol = {entry.symbol: entry for entry in ENTRIES}
    if len(by_symbol) != len(ENTRIES):
        raise RuntimeError("two kernels have functions of the same name")
    return by_symbol


def letters(signature: str) -> str:
    """Letters of the result and the arguments of a signature."""
    result, _, arguments = signature.rstrip(")").partition("(")
    return LETTERS[result] + "".join(LETTERS[x] for x in arguments.split(", "))


def bitcode(symbols: Iterable[str], done: Callable[[], None]) -> bytes:
    """Linked bitcode of kernels, not optimised; `done` is called after each of them."""
    generate_nothing()
    gc.disable()  # nothing of what the compiler makes can be freed before the end
    by_symbol: dict[str, CompiledEntry] = entries()
    whole: Any = None
    for symbol in symbols:
        module = _module(by_symbol[symbol])
        if whole is None:
            whole = module
        else:
            whole.link_in(module)
        done()
    if whole is None:
        raise ValueError("no kernels to compile")
    for function in whole.functions:
        if not function.is_declaration and not function.name.startswith("lissom_"):
            function.linkage = "linkonce_odr"
    whole.verify()
    return bytes(whole.as_bitcode())


def generate_nothing() -> None:
    """Let Numba link modules, but neither optimise them nor generate machine code."""
    from numba.core import codegen

    library_class: Any = codegen.JITCodeLibrary
    codegen_class: Any = codegen.JITCPUCodegen

    def finish(library: Any) -> None:
        library._finalize_dynamic_globals()
        library._verify_declare_only_symbols()
        library._finalized = True

    library_class._optimize_final_module = lambda library: None
    library_class._finalize_final_module = finish
    codegen_class.set_env = lambda *_: None


def compiled_module(entry: Any) -> tuple[Any, Any]:
    """Module of one kernel and all that it calls, not optimised, and its function there."""
    import llvmlite.binding as llvm

    function: Any = entry.function
    function.compile(entry.signature)
    (result,) = function.overloads.values()
    module = llvm.parse_bitcode(result.library._final_module.as_bitcode())
    return module, module.get_function(result.fndesc.mangled_name)


def _module(entry: CompiledEntry) -> Any:
    """Module of one kernel, with the function of C around it."""
    import llvmlite.binding as llvm

    module, native = compiled_module(entry)
    types = [str(x.type) for x in native.arguments]
    text = _wrapper_text(entry.symbol, letters(entry.signature), native.name, types)
    layout = f'target triple = "{module.triple}"\ntarget datalayout = "{module.data_layout}"\n'
    module.link_in(llvm.parse_assembly(layout + text))
    return module


def _wrapper_text(symbol: str, kinds: str, native: str, types: list[str]) -> str:
    """Text of the function of C: it loads the slots and calls Numba's function.

    Numba passes an array as owner, parent, number of items, size of an item, address, shape and
    strides.  Owner and parent are null: nothing is counted.
    """
    lines: list[str] = []
    arguments: list[str] = []
    slot = 0

    def load(kind: str) -> str:
        nonlocal slot
        at, value = f"%at{slot}", f"%x{slot}"
        lines.append(f"{at} = getelementptr i64, ptr %slots, i64 {slot}")
        lines.append(f"{value} = load {kind}, ptr {at}")
        slot += 1
        return value

    for letter in kinds[1:]:
        if letter in "IF":
            data, n = load("ptr"), load("i64")
            arguments += ["null", "null", n, str(SIZE), data, n, str(SIZE)]
        elif letter == "M":
            data, rows, columns = load("ptr"), load("i64"), load("i64")
            lines.append(f"%n{slot} = mul i64 {rows}, {columns}")
            lines.append(f"%s{slot} = mul i64 {columns}, {SIZE}")
            arguments += ["null", "null", f"%n{slot}", str(SIZE), data]
            arguments += [rows, columns, f"%s{slot}", str(SIZE)]
        elif letter == "f":
            arguments.append(load("double"))
        elif letter == "b":
            value = load("i64")
            lines.append(f"%b{slot} = trunc i64 {value} to {types[len(arguments) + 2]}")
            arguments.append(f"%b{slot}")
        else:
            arguments.append(load("i64"))
    if len(arguments) + 2 != len(types):
        raise RuntimeError(f"kernel {symbol}: Numba passes {types}, which is not as expected")
    call = ", ".join(
        f"{t} {x}" for t, x in zip(types, ["%result", "%error", *arguments], strict=True)
    )
    body = "\n  ".join(lines)
    return f"""
declare i32 @"{native}"({", ".join(types)})

define i32 @lissom_{symbol}(ptr %slots, ptr %result) {{
  %error = alloca ptr
  store ptr null, ptr %error
  {body}
  %status = call i32 @"{native}"({call})
  ret i32 %status
}}
"""
