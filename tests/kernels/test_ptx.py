"""PTX on the CPU: instructions against values by hand, faults, calls, linked texts, counts."""

import ctypes
import math
import shutil
from functools import cache

import numba
import numpy as np
import pytest

from lissom.batches.device import argument
from lissom.batches.functions import functions_ptx
from lissom.kernels.device.entry import DEVICE_ENTRIES, DeviceEntry
from lissom.sim.signals.callbacks import CompiledFunction
from tests.ptx.assembler import assembled, assembler
from tests.ptx.compiled import library
from tests.ptx.device import PtxDevice
from tests.ptx.parsing import PtxError, parse
from tests.ptx.translation import translated
from tests.samples.ptx_texts import ADD, CALLER, CASES, FUNCTIONS, HEAD, OUTSIDE

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")


@cache
def results():
    """What each case leaves in %x, each in a scope of its own."""
    body = "\n".join(
        f"mov.b64 %x, -1; mov.pred %p, 0; {text} st.global.b64 [%to+{8 * k}], %x;"
        for k, (text, _) in enumerate(CASES)
    )
    registers = ".reg .b64 %x, %to; .reg .b32 %w; .reg .b16 %h; .reg .pred %p, %o;"
    text = f"{HEAD}.visible .entry cases(.param .u64 to)\n{{ {registers}\nld.param.b64 %to, [to];"
    out = np.zeros(len(CASES), dtype=np.uint64)
    started(f"{text}\n{body}\nret; }}", "cases", out)
    return out


def started(text, name, *given, blocks=1, width=1, others=()):
    """Start an entry with arrays."""
    words = np.array([x.ctypes.data for x in given], dtype=np.uint64)
    run = library((text, *others))[f"run_{name}"]
    run.restype = ctypes.c_char_p
    return run(ctypes.c_void_p(words.ctypes.data), ctypes.c_uint32(blocks), ctypes.c_uint32(width))


@pytest.mark.parametrize("k", range(len(CASES)), ids=lambda k: CASES[k][0].split()[0])
def test_instruction(k):
    assert int(results()[k]) == CASES[k][1], CASES[k][0]


@pytest.mark.parametrize(
    "text",
    [
        "tanh.approx.f32 %w, %w;",
        "bar.sync 0;",
        "add.rz.f64 %x, %x, %x;",
        "add.ftz.f32 %w, %w, %w;",
        "div.f64 %x, %x, %x;",
        "div.approx.f32 %w, %w, %w;",
        "sqrt.f64 %x, %x;",
        "cvt.rn.sat.f64.s32 %x, %w;",
        "cvt.rm.f64.s64 %x, %x;",
        "setp.lt.b64 %p, %x, %x;",
        "ld.shared.b64 %x, [%x];",
        "ld.v8.b64 {%x, %x}, [%x];",
        "mul.lo.cc.u32 %w, %w, %w;",
        "mov.u32 %w, %laneid;",
        "atom.cas.b64 %x, [%x], %x, %x;",
        "shl.s64 %x, %x, 1;",
    ],
)
def test_what_is_not_known_is_named(text):
    registers = ".reg .b64 %x; .reg .b32 %w; .reg .pred %p;"
    whole = f"{HEAD}.visible .entry lissom_x()\n{{ {registers} {text} ret; }}"
    name = text.split()[0].rstrip(";")
    with pytest.raises(PtxError, match=rf"{name}|%laneid"):
        translated(whole)


@pytest.mark.parametrize("text", [".extern .shared .b8 x[4];", ".visible .tex x;"])
def test_directives_that_are_not_known_are_refused(text):
    with pytest.raises(PtxError, match=r"not understood|not known: x"):
        parse(HEAD + text)


def test_calls_memory_branches_and_linked_texts():
    out = np.zeros((3, 8), dtype=np.uint64)
    unused = np.zeros(1)
    given = {"others": (HEAD + OUTSIDE,), "blocks": 2}
    assert started(HEAD + FUNCTIONS, "start", out, unused, **given) is None
    assert out[:2, 0].tolist() == [40, 40] and out[:2, 2].tolist() == [1, 1]
    assert out[:2, 3].tolist() == [2, 2] and out[:2, 4].tolist() == [0, 2]
    assert out[1, 5] == 77 | 0x0101 << 32
    assert out[:2, 6].tolist() == [100, 101] and out[:2, 7].tolist() == [0, 1001]
    assert out[0, 1] == 2 and not out[2].any()
    fault = started(HEAD + FUNCTIONS, "start", out, unused, **{**given, "blocks": 3})
    assert fault == b"a branch outside its table"
    misplaced = out.reshape(-1).view(np.uint8)[4:]
    assert started(HEAD + FUNCTIONS, "start", misplaced, unused, **given) == b"a misaligned address"


@pytest.mark.skipif(assembler() is None, reason="no ptxas")
def test_the_assembler_refuses_what_is_no_ptx():
    assert assembled(HEAD + FUNCTIONS, 75) > 0
    with pytest.raises(PtxError, match="ptxas refuses the code: .*known instruction"):
        assembled(HEAD + FUNCTIONS.replace("ret;", "return;"), 75)


def test_a_text_without_what_it_calls_is_not_linked():
    with pytest.raises(PtxError, match="outside"):
        library((HEAD + FUNCTIONS,))


@pytest.mark.parametrize(
    ("store", "words"),
    [
        ("%rd3", None),
        ("%rd3+24", "a store outside of all arrays"),
        ("%rd2", "x is read as a constant, and written"),
    ],
)
def test_launches_count_and_check_what_they_touch(store, words):
    def add(x, y):
        return 0

    entry = DeviceEntry(add, "int64(float64[::1], float64[::1])", "a sum", symbol="add")
    del DEVICE_ENTRIES["add"]
    device = PtxDevice(texts={"add": HEAD + ADD.replace("STORE", store)}, counting=True)
    x, y = np.array([1.5, 2.0]), np.zeros(3)
    given = [argument(x), argument(y)]
    if words:
        with pytest.raises(PtxError, match=words):
            device.launch(entry, 1, 32, given)
        return
    assert device.launch(entry, 1, 32, given).tolist() == [0]
    assert y.tolist() == [3.0, 0.0, 0.0]
    counts = {a.name: tuple(a[1:]) for a in device.counts}
    assert counts["x"] == (1, 0, 1) and counts["y"] == (0, 1, 1)
    with pytest.raises(PtxError, match="x is also y, and written"):
        both = np.zeros(3)
        device.launch(entry, 1, 32, [argument(both[:2]), argument(both[1:])])
    with pytest.raises(PtxError, match="a word that one thread writes and another one touches"):
        device.launch(entry, 2, 32, given)


@numba.njit
def push(time, q, v, out):
    out[0] = np.sin(3.0 * time) - 2.0 * v[1]


@numba.njit
def filtered(time, q, v, memory, out):
    memory[0] += np.exp(-q[0]) / math.hypot(v[0], v[1])
    out[1] = memory[0] if time < 1.0 else np.inf


@numba.njit
def mathematics(time, q, v, out):
    x, y = q[0], v[0]
    out[0], out[1], out[2] = math.sin(x), math.cos(x), math.tan(x)
    out[3], out[4], out[5] = math.asin(x / 9), math.acos(x / 9), math.atan(x)
    out[6], out[7], out[8] = math.atan2(x, y), math.sinh(x), math.cosh(x)
    out[9], out[10], out[11] = math.tanh(x), math.exp(x), np.exp2(x)
    out[12], out[13], out[14] = math.expm1(x), math.log(y), np.log2(y)
    out[15], out[16], out[17] = math.log10(y), math.log1p(y), math.pow(y, x)
    out[18], out[19], out[20] = math.hypot(x, y), np.cbrt(x), np.fmod(x, y)
    out[21], out[22], out[23] = math.sqrt(y), math.ceil(x), np.trunc(x)
    out[24], out[25], out[26] = np.round(x), math.floor(x), np.rint(x)
    out[27], out[28], out[29] = x % y, x // y, math.copysign(y, x)
    out[30], out[31], out[32] = math.asinh(x), math.acosh(1 + y), math.atanh(x / 9)
    out[33], out[34] = math.erf(x), math.erfc(x)
    out[35], out[36] = math.gamma(x / 3), math.lgamma(y)


def test_compiled_functions_of_users_are_executed_as_ptx():
    """Both call libdevice, which is linked once; arrays are interleaved by 32."""
    sizes = 1, 2, 1, 2  # of q, v, memory and out
    kinds = {"forces": push, "controller": filtered}
    text = functions_ptx([CompiledFunction("f", x, form, sizes) for form, x in kinds.items()])
    rng, lane = np.random.default_rng(0), 3
    for which, time, status in ((0, 0.7, 0), (1, 0.7, 0), (1, 2.0, 1), (2, 0.7, 1)):
        given = [rng.uniform(1, 2, size=(n, 32)) for n in sizes]
        expected = [x[:, lane].copy() for x in given]
        before = [x.copy() for x in given]
        found = np.array([-1])
        arrays = [x[0, lane:] for x in given]
        numbers = np.array([which]), np.array([time])
        assert started(HEAD + CALLER, "start", found, *numbers, *arrays, others=(text,)) is None
        assert found[0] == status
        if which < 2:
            q, v, memory, out = expected
            out[:] = 0.0
            push(time, q, v, out) if which == 0 else filtered(time, q, v, memory, out)
        for x, y, old in zip(given, expected, before, strict=True):
            assert np.allclose(x[:, lane], y, rtol=1e-15, atol=0)
            assert np.array_equal(np.delete(x, lane, 1), np.delete(old, lane, 1))


def test_functions_of_libdevice_are_those_of_their_names():
    text = functions_ptx([CompiledFunction("f", mathematics, "forces", (1, 1, 1, 37))])
    # 1 over 0.1 rounds to 10, but 0.1 is contained in 1 nine times only
    for x, y in ((-7.3, 1.2), (0.3, 2.5), (2.5, 9.0), (-1e-3, 1e3), (8.9, 1e-4), (1.0, 0.1)):
        found, out, expected = np.array([-1]), np.full((37, 32), np.nan), np.zeros(37)
        q, v = np.array([x]), np.array([y])
        given = np.array([0]), np.array([0.0]), q, v, np.zeros(1), out
        assert started(HEAD + CALLER, "start", found, *given, others=(text,)) is None
        mathematics(0.0, q, v, expected)
        assert found[0] == 0 and np.allclose(out[:, 0], expected, rtol=1e-15, atol=0)
