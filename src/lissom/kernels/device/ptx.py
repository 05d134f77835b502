"""PTX of kernels: LLVM's back end for NVIDIA's GPUs, after Numba's front end for the CPU.

Each kernel gets a function around it that a GPU starts with many threads.  A thread takes every
n-th state, n the number of all threads, finds its arrays, and writes the status of each state.
Its parameters, all of eight bytes:
  number of states, addresses of the statuses, then for each argument of the kernel
  I, C  int64[::1], float64[::1]: address, length, and the distance from one state to the next
        (0: the same for all)
  W     float64[:]: address and length; the workspaces of LANES threads are interleaved
  M     float64[:,::1]: address, rows, columns; those of the next state follow
  i, f  the number itself
Functions such as sin come from NVIDIA's libdevice, which the CUDA toolkit and some of its packages
contain.
"""

from __future__ import annotations

import os
import re
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import KernelError
from ..run.calls import OUTSIDE
from .entry import LANES, DeviceEntry

LETTERS = {
    "int64": "i",
    "float64": "f",
    "int64[::1]": "I",
    "float64[::1]": "C",
    "float64[:]": "W",
    "float64[:,::1]": "M",
}
SLOTS = {"i": 1, "f": 1, "I": 3, "C": 3, "W": 2, "M": 3}
LIBDEVICE = "libdevice.10.bc"
MATHEMATICS = (
    "sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 expm1 log log2 log10 log1p pow hypot "
    "cbrt fmod sqrt ceil trunc round asinh acosh atanh erf erfc tgamma lgamma"
)
REMEDY = (
    "install the CUDA toolkit or `pip install nvidia-cuda-nvcc-cu12`, or set CUDA_HOME to where it "
    "is"
)


# Arrays have no owner here.  The only matrix that is seen as a vector is that of the composite
# method, which runs on a GPU do not use.
UNCOUNTED = r"define linkonce_odr void \1(ptr %x) { ret void }\n"
UNSHAPED = r"define linkonce_odr \1(\2) { ret i32 0 }\n"


# Integers and numbers are never at the same place: what is read of one stays valid when the other
# is written.
TYPES = """
!90000 = !{!"kernels"}
!90001 = !{!"double", !90000}
!90002 = !{!"i64", !90000}
!90003 = !{!90001, !90001, i64 0}
!90004 = !{!90002, !90002, i64 0}
"""


# Modules of trees that stay functions
APART: tuple[str, ...] = ("4rods", "10rod_pieces", "11rod_tension", "8floating", "8definite")
APART += ("11dense_modes", "5lumps", "6joints13general_joint")


class Outside(NamedTuple):
    """A user's function, compiled for the CPU."""

    # text, native: LLVM's text of it and all that it calls, and its name there
    text: str
    native: str
    sizes: tuple[int, int, int, int]  # sizes of q, v, memory and out

    @property
    def declaration(self) -> str:
        """Its declaration in LLVM's text."""
        array = "ptr, ptr, i64, i64, ptr, i64, i64"
        return f'declare i32 @"{self.native}"(ptr, ptr, double, {", ".join([array] * 4)})\n'


class Generation(NamedTuple):
    """A generation of GPUs."""

    name: str
    capability: int  # least compute capability, 75 for 7.5
    features: str  # version of PTX for LLVM


GENERATIONS = (
    Generation("Turing", 75, "+ptx64"),
    Generation("Ampere", 80, "+ptx70"),
    Generation("Hopper", 90, "+ptx78"),
)


def letters(signature: str) -> str:
    """Letters of the arguments of a kernel for a GPU."""
    _, _, arguments = signature.rstrip(")").partition("(")
    return "".join(LETTERS[x] for x in arguments.split(", "))


def libdevice() -> Path:
    """NVIDIA's library of mathematical functions for LLVM."""
    for folder in _cuda_folders():
        for path in sorted(folder.glob(f"**/{LIBDEVICE}")):
            return path
    raise KernelError(f"device code cannot be built without {LIBDEVICE}; {REMEDY}")


def _cuda_folders() -> Iterator[Path]:
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(name):
            yield Path(os.environ[name], "nvvm")
    yield Path(sysconfig.get_path("purelib"), "nvidia")
    for root in sorted(Path("/usr/local").glob("cuda*"), reverse=True):
        yield root / "nvvm"
    yield Path("/usr/lib/nvidia-cuda-toolkit/libdevice")


def ptx(entry: DeviceEntry, text: str, native: str, generation: Generation) -> str:
    """PTX of a kernel for a generation of GPUs."""
    machine, name = _machine(generation), f"lissom_{entry.symbol}"
    around = _entry_function(name, letters(entry.signature), native)
    module = _module(_for_device(text, machine) + around)
    _inline(module, native, entry.inlined)
    return _optimised(module, machine, name)


def _machine(generation: Generation) -> Any:
    """LLVM's description of a generation of GPUs."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple("nvptx64-nvidia-cuda").create_target_machine(
        cpu=f"sm_{generation.capability}", features=generation.features, opt=3
    )


def _module(text: str) -> Any:
    """Module of a text, with the functions of libdevice that it needs."""
    import llvmlite.binding as llvm

    return _with_libdevice(llvm.parse_assembly(text), text)


def _with_libdevice(module: Any, text: str) -> Any:
    """The module, linked with libdevice where its text calls that: once, or names clash."""
    import llvmlite.binding as llvm

    if "@__nv_" in text:
        library = llvm.parse_bitcode(libdevice().read_bytes())
        library.triple, library.data_layout = module.triple, module.data_layout
        module.link_in(library)
    return module


def _optimised(module: Any, machine: Any, name: str) -> str:
    """PTX of a module whose function `name` is called from outside."""
    import llvmlite.binding as llvm

    for part in (*module.functions, *module.global_variables):
        if not part.is_declaration and part.name != name:
            part.linkage = "internal"
    options = llvm.create_pipeline_tuning_options()
    options.speed_level, options.loop_vectorization, options.slp_vectorization = 3, False, False
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    missing = [x.name for x in module.functions if x.is_declaration and not _known(x.name)]
    if missing:
        raise KernelError(f"{name}: a GPU has no function {', '.join(missing)}")
    return str(machine.emit_assembly(module))


def outside_ptx(functions: Sequence[Outside], generation: Generation) -> str:
    """PTX of the function that calls users' functions by their numbers, 0, 1, ..."""
    import llvmlite.binding as llvm

    machine = _machine(generation)
    texts: list[str] = []
    cases: list[str] = []
    for k, f in enumerate(functions):
        text = _for_device(_exact_remainders(f.text), machine, typed=False)
        texts.append(re.sub(r"^target .*\n", "", text, flags=re.M))
        arguments = ", ".join(
            f"ptr null, ptr null, i64 {n}, i64 8, ptr %{name}, i64 {n}, i64 {8 * LANES}"
            for name, n in zip(("q", "v", "memory", "out"), f.sizes, strict=True)
        )
        cases.append(f"""
case{k}:
  %code{k} = call i32 @"{f.native}"(ptr %result, ptr %error, double %t, {arguments})
  %bad{k} = icmp ne i32 %code{k}, 0
  %found{k} = load i64, ptr %result
  %status{k} = select i1 %bad{k}, i64 1, i64 %found{k}
  ret i64 %status{k}""")
    labels = " ".join(f"i64 {k}, label %case{k}" for k in range(len(functions)))
    head = f'target triple = "nvptx64-nvidia-cuda"\ntarget datalayout = "{machine.target_data}"\n'
    body = f"""
define i64 @{OUTSIDE}(i64 %which, double %t, ptr %q, ptr %v, ptr %memory, ptr %out) {{
  %result = alloca i64
  %error = alloca ptr
  switch i64 %which, label %unknown [ {labels} ]
unknown:
  ret i64 1{"".join(cases)}
}}
"""
    natives = "".join(f.declaration for f in functions)
    module = llvm.parse_assembly(head + natives + body)
    for text in texts:
        module.link_in(llvm.parse_assembly(head + text))
    return _optimised(_with_libdevice(module, "".join(texts)), machine, OUTSIDE)


def _inline(module: Any, native: str, whole: bool) -> None:
    """Put the kernel, and if `whole` the sweeps over trees, into the function around it.

    A call on a GPU saves registers in memory; what trees rarely have stays apart, or the driver
    would take minutes to compile it.
    """
    for function in module.functions:
        of_trees = "lissom7kernels4tree" in function.name or "lissom7kernels5small" in function.name
        rare = any(part in function.name for part in APART)
        if function.name == native or (
            whole and of_trees and not rare and not function.is_declaration
        ):
            function.add_function_attribute("alwaysinline")


def _known(name: str) -> bool:
    return name.startswith("llvm.") or name == OUTSIDE


def _for_device(text: str, machine: Any, *, typed: bool = True) -> str:
    """Text of a module for the CPU, for a GPU: functions of libdevice, nothing is counted.

    typed: whether integers and numbers are never at the same place.
    """
    layout = machine.target_data
    names = MATHEMATICS.replace(" ", "|")
    text = re.sub(rf"@llvm\.({names})\.f64\(", r"@__nv_\1(", text)
    text = text.replace("@numba_gamma(", "@tgamma(")
    text = re.sub(rf"@({names})\(", r"@__nv_\1(", text)
    text = _declared_once(text)
    text = re.sub(r'target triple = ".*"', 'target triple = "nvptx64-nvidia-cuda"', text)
    text = re.sub(r'target datalayout = ".*"', f'target datalayout = "{layout}"', text)
    text = re.sub(r'"target-(cpu|features)"="[^"]*"', "", text)
    if typed:
        text = re.sub(r"((?:load|store) (double|i64)\b.*, align 8)$", _typed, text, flags=re.M)
        text += TYPES
    text = re.sub(r"declare void (@NRT_MemInfo_call_dtor)\(.*\n", UNCOUNTED, text)
    return re.sub(r"declare (.*@numba_attempt_nocopy_reshape)\((.*)\).*\n", UNSHAPED, text)


def _exact_remainders(text: str) -> str:
    """Text with remainders of fmod: LLVM's are those of a rounded quotient, and may be negative."""
    text, n = re.subn(
        r"= frem (?:[a-z]+ )*double (\S+), (\S+)",
        r"= call double @fmod(double \1, double \2)",
        text,
    )
    missing = n and not re.search(r"^declare .*@fmod\(", text, flags=re.M)
    return text + ("\ndeclare double @fmod(double, double)\n" if missing else "")


def _typed(match: re.Match[str]) -> str:
    """A load or store with the type of what is there."""
    return f"{match.group(1)}, !tbaa !{90003 if match.group(2) == 'double' else 90004}"


def _declared_once(text: str) -> str:
    """Text without the second declarations of functions of libdevice."""
    seen: set[str] = set()

    def keep(match: re.Match[str]) -> str:
        name = match.group(1)
        first = name not in seen
        seen.add(name)
        return match.group(0) if first else ""

    return re.sub(r"^declare .*@(__nv_\w+)\(.*\n", keep, text, flags=re.M)


def _entry_function(kernel: str, kinds: str, native: str) -> str:
    """Text of the function that a GPU starts; Numba's arguments as in `front_end`."""
    parameters = ["i64 %count", "ptr addrspace(1) noalias %statuses"]
    before: list[str] = []  # once in a thread
    lines: list[str] = []  # for each state
    arguments: list[str] = []  # to the kernel
    for k, letter in enumerate(kinds):
        if letter in "if":
            kind = "i64" if letter == "i" else "double"
            parameters.append(f"{kind} %x{k}")
            arguments.append(f"{kind} %x{k}")
            continue
        parameters += [f"ptr addrspace(1) noalias %g{k}", f"i64 %n{k}"]
        before.append(f"%a{k} = addrspacecast ptr addrspace(1) %g{k} to ptr")
        array = f"ptr null, ptr null, i64 %s{k}, i64 8, ptr %p{k}, i64 %n{k}"
        if letter in "IC":
            parameters.append(f"i64 %d{k}")
            lines += [
                f"%o{k} = mul i64 %state, %d{k}",
                f"%p{k} = getelementptr i64, ptr %a{k}, i64 %o{k}",
            ]
            arguments.append(array.replace(f"%s{k}", f"%n{k}") + ", i64 8")
        elif letter == "W":
            before += [
                f"%m{k} = mul i64 %first, %n{k}",
                f"%o{k} = add i64 %m{k}, %lane",
                f"%p{k} = getelementptr double, ptr %a{k}, i64 %o{k}",
            ]
            arguments.append(array.replace(f"%s{k}", f"%n{k}") + f", i64 {8 * LANES}")
        else:
            parameters.append(f"i64 %c{k}")
            before += [f"%s{k} = mul i64 %n{k}, %c{k}", f"%b{k} = mul i64 %c{k}, 8"]
            lines += [
                f"%o{k} = mul i64 %state, %s{k}",
                f"%p{k} = getelementptr double, ptr %a{k}, i64 %o{k}",
            ]
            arguments.append(array + f", i64 %c{k}, i64 %b{k}, i64 8")
    start, body = "\n  ".join(before), "\n  ".join(lines)
    registers = ("tid", "ctaid", "ntid", "nctaid")
    return f"""
{"".join(f"declare i32 @llvm.nvvm.read.ptx.sreg.{x}.x(){chr(10)}" for x in registers)}
define ptx_kernel void @{kernel}({", ".join(parameters)}) {{
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %width = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %before = mul i32 %block, %width
  %number = add i32 %before, %tid
  %thread = zext i32 %number to i64
  %threads32 = mul i32 %width, %blocks
  %threads = zext i32 %threads32 to i64
  %lane = and i64 %thread, {LANES - 1}
  %first = sub i64 %thread, %lane
  %result = alloca i64
  %error = alloca ptr
  {start}
  br label %loop
loop:
  %state = phi i64 [ %thread, %entry ], [ %next, %body ]
  %inside = icmp slt i64 %state, %count
  br i1 %inside, label %body, label %end
body:
  {body}
  %code = call i32 @"{native}"(ptr %result, ptr %error, {", ".join(arguments)})
  %status = load i64, ptr %result
  %place = getelementptr i64, ptr addrspace(1) %statuses, i64 %state
  store i64 %status, ptr addrspace(1) %place
  %next = add i64 %state, %threads
  br label %loop
end:
  ret void
}}
"""
