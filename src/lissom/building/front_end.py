"""Kernels to bitcode: Numba's typing and lowering, without generating machine code.

Each kernel gets a function of C around it that takes all arguments in slots of eight bytes, arrays
as address and shape (`calling.c`).  Functions that kernels call take no word that is the same in
all calls.
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
    whole, linked = _empty_module(), set[int]()
    for symbol in symbols:
        _add(by_symbol[symbol], whole, linked)
        done()
    if not linked:
        raise ValueError("no kernels to compile")
    for function in whole.functions:
        if function.is_declaration and function.name.startswith("_ZN"):
            raise RuntimeError(f"function {function.name} is not linked")
    _narrow_arguments(whole)
    whole.verify()
    return bytes(whole.as_bitcode())


def _narrow_arguments(module: Any) -> None:
    """Pass to functions only what differs between calls and is used.

    Numba passes an array in seven words and more.  Owner, parent, size of an item and stride are
    the same constants in all calls, and most functions use neither number of items nor shape: two
    words or one remain.  Only functions that nothing outside of the module calls can be changed.
    """
    import llvmlite.binding as llvm

    for function in module.functions:
        if not function.is_declaration and not function.name.startswith("lissom_"):
            function.linkage = "internal"
    llvm.initialize_all_targets()
    machine = llvm.Target.from_triple(module.triple).create_target_machine()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(0))
    passes = llvm.create_new_module_pass_manager()
    for _ in range(2):  # arguments out of memory; constants; what nobody reads
        passes.add_sroa_pass()
        passes.add_instruction_combine_pass()
        passes.add_simplify_cfg_pass()
        passes.add_ipsccp_pass()
    passes.add_dead_arg_elimination_pass()
    passes.run(module, builder)


def _empty_module() -> Any:
    import llvmlite.binding as llvm

    return llvm.parse_assembly("")


def generate_nothing() -> None:
    """Let Numba lower functions, but neither link nor optimise them nor generate machine code.

    Numba links into the module of each function those of all that it calls, and these again into
    the modules of its callers; `compiled_module` links each of them once.
    """
    from numba.core import codegen

    library_class: Any = codegen.CPUCodeLibrary
    codegen_class: Any = codegen.JITCPUCodegen

    def finish(library: Any) -> None:
        library._finalize_dynamic_globals()
        library._finalized = True

    library_class.finalize = finish
    codegen_class.set_env = lambda *_: None


def compiled_module(entry: Any) -> tuple[Any, Any]:
    """Module of one kernel and all that it calls, not optimised, and its function there."""
    whole = _empty_module()
    native = whole.get_function(_link(entry, whole, set()))
    _merge_copies(whole, native.name)
    return whole, native


def _merge_copies(module: Any, exported: str) -> None:
    """Leave functions out that nothing calls, and merge those that other modules have too."""
    for function in module.functions:
        if not function.is_declaration and not function.name.startswith(exported):
            function.linkage = "linkonce_odr"


def _link(entry: Any, whole: Any, linked: set[int]) -> str:
    """Link one kernel and what it calls, unless linked already; the name of its function."""
    function: Any = entry.function
    function.compile(entry.signature)
    (result,) = function.overloads.values()
    waiting = [result.library]
    while waiting:
        library = waiting.pop()
        if id(library) not in linked:
            linked.add(id(library))
            whole.link_in(library._final_module, preserve=True)
            waiting += library._linking_libraries[::-1]
    return str(result.fndesc.mangled_name)


def _add(entry: CompiledEntry, whole: Any, linked: set[int]) -> None:
    """Link one kernel, with the function of C around it."""
    import llvmlite.binding as llvm

    name = _link(entry, whole, linked)
    types = [str(x.type) for x in whole.get_function(name).arguments]
    text = _wrapper_text(entry.symbol, letters(entry.signature), name, types)
    layout = f'target triple = "{whole.triple}"\ntarget datalayout = "{whole.data_layout}"\n'
    whole.link_in(llvm.parse_assembly(layout + text))


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
