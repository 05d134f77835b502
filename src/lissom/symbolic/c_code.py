"""C99 programs: one header and one source, only <math.h>, no allocation."""

from __future__ import annotations

from pathlib import Path

from ..errors import SymbolicError
from .names import check_choice, identifier
from .printing import C_DOUBLE, C_FLOAT, body_of
from .program import Function, Program, heading
from .writing import as_path, write_text

_RESERVED = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef
    union unsigned void volatile while _Bool _Complex _Imaginary
    alignas alignof asm bool catch class constexpr const_cast decltype delete dynamic_cast explicit
    export false friend mutable namespace new noexcept nullptr operator private protected public
    reinterpret_cast static_assert static_cast template this thread_local throw true try typeid
    typename typeof using virtual wchar_t
    and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq
    NAN INFINITY HUGE_VAL HUGE_VALF HUGE_VALL""".split()
)
_REALS = {"double": C_DOUBLE, "float": C_FLOAT}


def write_c(program: Program, folder: str | Path, name: str, real: str) -> tuple[Path, Path]:
    """Write NAME.h and NAME.c into a folder and return their paths."""
    check_choice(real, _REALS, "real")
    prefix = identifier(str(name), ascii_only=True)
    for word in program.parameters:
        _check_name(word)
    functions = [program.function(f) for f in program.names]
    header = _header(program, functions, prefix, real)
    source = _source(program, functions, prefix, real)
    where = as_path(folder, "folder")
    paths = where / f"{prefix}.h", where / f"{prefix}.c"
    for path, text in zip(paths, (header, source), strict=True):
        write_text(path, text)
    return paths


def _check_name(word: str) -> None:
    if word in _RESERVED or not word.isidentifier() or not word.isascii():
        why = "is a reserved word in C" if word in _RESERVED else "is not a valid name in C"
        raise SymbolicError(
            f"the parameter {word!r} {why}; rename the symbol, or give its number with values="
        )


def _comment(program: Program) -> str:
    system = program.derivation.system
    lines = [
        *heading(program),
        f"The caller provides all arrays: q has {system.n_q} entries, v, forces and acceleration",
        f"have {system.n_v}, the size of out is given with each function. Sizes are not checked.",
        "Matrices are stored row by row.  Results may overwrite inputs.",
    ]
    text = _in_comment("\n   ".join(lines).replace("\n   \n", "\n\n"))
    return f"/* {text} */\n"


def _in_comment(text: str) -> str:
    return text.replace("*/", "* /").replace("/*", "/ *")


def _signature(function: Function, program: Program, prefix: str, real: str) -> str:
    arguments = [
        f"{real} {name}" if name in function.SCALARS else f"const {real} *{name}"
        for name in function.inputs
    ]
    if program.parameters:
        arguments.append(f"const {prefix}_parameters *p")
    name = identifier(function.name, ascii_only=True)
    return f"void {prefix}_{name}({', '.join([*arguments, f'{real} *out'])})"


def _shape(function: Function) -> str:
    return " x ".join(str(n) for n in function.output.shape)


def _header(program: Program, functions: list[Function], prefix: str, real: str) -> str:
    guard, system = f"{prefix.upper()}_H", program.derivation.system
    parts = [_comment(program), f"#ifndef {guard}\n#define {guard}\n"]
    for letter, n in (("Q", system.n_q), ("V", system.n_v)):
        parts.append(f"#define {prefix.upper()}_N_{letter} {n}\n")
    parts.append('#ifdef __cplusplus\nextern "C" {\n#endif\n')
    if program.parameters:
        fields = "".join(f"    {real} {name};\n" for name in program.parameters)
        parts.append(f"typedef struct {{\n{fields}}} {prefix}_parameters;\n")
    parts += [
        f"/* {_in_comment(f.words)}: {_shape(f)} */\n{_signature(f, program, prefix, real)};\n"
        for f in functions
    ]
    parts.append("#ifdef __cplusplus\n}\n#endif\n\n#endif\n")
    return "\n".join(parts)


def _source(program: Program, functions: list[Function], prefix: str, real: str) -> str:
    parts = [_comment(program), f'#include "{prefix}.h"\n\n#include <math.h>\n']
    parts += [_function(f, program, prefix, real) for f in functions]
    return "\n".join(parts)


def _function(function: Function, program: Program, prefix: str, real: str) -> str:
    symbols = {name: f"p->{name}" for name in program.parameters}
    where: dict[str, tuple[str, int]] = {}
    for vector, names in function.inputs.items():
        for k, name in enumerate(names):
            symbols[name] = vector if vector in function.SCALARS else f"{vector}{k}"
            where[name] = vector, k
    body = body_of(function, _REALS[real], symbols)
    read = {where[name][0] for name in body.used if name in where}
    unread = [name for name in function.inputs if name not in read]
    if program.parameters and not body.used & set(program.parameters):
        unread.append("p")
    lines = [f"    (void){name};" for name in unread]
    lines += [
        f"    const {real} {vector}{k} = {vector}[{k}];"
        for name, (vector, k) in where.items()
        if name in body.used and vector not in function.SCALARS
    ]
    lines += [f"    const {real} {name} = {text};" for name, text in body.assignments]
    lines += [f"    out[{k}] = {text};" for k, text in enumerate(body.results)]
    head = f"{_signature(function, program, prefix, real)}\n{{\n"
    return head + "\n".join(lines) + "\n}\n"
