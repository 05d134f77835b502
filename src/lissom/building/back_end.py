"""Bitcode to machine code for one level of processors, by the passes that Numba uses.

Straight-line code is compiled to vector instructions in the functions that `VECTORS` names, those
of flexible bodies on rows of six numbers, which then take a quarter less time; sweeps over rigid
bodies would take longer.
"""

from __future__ import annotations

from typing import Any

from .targets import Level

VECTORS = (  # functions of `kernels.tree`
    "one_node.pass_one_node",
    "one_node.force_through_one_node",
    "one_node.accelerate_one_node",
    "compliance.seen_force",
    "compliance.deform",
)


def machine_code(bitcode: bytes, level: Level, triple: str = "") -> bytes:
    """Object file of kernels for one level.

    Parameters
    ----------
    bitcode : bytes
        From `front_end.bitcode`.
    level : Level
        Processors that must be able to run it.
    triple : str
        System to compile for; this one if empty.
    """
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module, vectors = llvm.parse_bitcode(bitcode), llvm.parse_bitcode(bitcode)
    machine = _machine(llvm, module, level, triple)
    _machine(llvm, vectors, level, triple)
    for function in _defined(module):
        if _in_vectors(function):
            function.linkage = "available_externally"  # their code is in the other module
            function.add_function_attribute("noinline")
    for function in _defined(vectors):
        function.linkage = "external" if _in_vectors(function) else "internal"
    _optimise(llvm, module, machine, vectors=False)
    _optimise(llvm, vectors, machine, vectors=True)
    module.link_in(vectors)
    for function in _defined(module):
        if function.name.startswith("lissom_"):
            function.name = function.name.replace("lissom_", f"lissom_{level.identifier}_", 1)
            function.visibility = "hidden"
        else:
            function.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, _builder(llvm, machine, 0))
    return bytes(machine.emit_object(module))


def _machine(llvm: Any, module: Any, level: Level, triple: str) -> Any:
    """LLVM's description of the processor; the module gets its layout of data."""
    if triple:
        module.triple = triple
    cpu, features = level.cpu, level.features
    if not cpu:
        cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    machine = llvm.Target.from_triple(module.triple).create_target_machine(
        cpu=cpu, features=features, opt=3, reloc="pic", codemodel="default"
    )
    if triple:
        module.data_layout = str(machine.target_data)
    return machine


def _defined(module: Any) -> list[Any]:
    return [x for x in module.functions if not x.is_declaration]


def _in_vectors(function: Any) -> bool:
    """Whether a function is one of `VECTORS`; in Numba's names lengths precede the parts."""
    parts = (x.split(".") for x in VECTORS)
    return any(f"4tree{len(a)}{a}{len(b)}{b}B" in function.name for a, b in parts)


def _builder(llvm: Any, machine: Any, speed: int, vectors: bool = False) -> Any:
    options = llvm.create_pipeline_tuning_options()
    options.speed_level = speed
    options.loop_vectorization = speed > 0
    options.slp_vectorization = vectors
    return llvm.create_pass_builder(machine, options)


def _optimise(llvm: Any, module: Any, machine: Any, *, vectors: bool) -> None:
    builder = _builder(llvm, machine, 0)
    passes = builder.getModulePassManager()
    passes.add_loop_rotate_pass()
    passes.add_instruction_combine_pass()
    passes.add_jump_threading_pass()
    passes.add_refprune_pass()  # pairs of counting a reference up and down
    passes.run(module, builder)
    builder = _builder(llvm, machine, 3, vectors)
    passes = builder.getModulePassManager()
    passes.add_refprune_pass()
    passes.run(module, builder)
