"""PTX texts with what they do: instructions with values by hand, calls, a sum of two arrays."""

import math
import struct

import numpy as np

HEAD = ".version 6.4\n.target sm_75\n.address_size 64\n"
M1 = (1 << 64) - 1


def d(x):
    """Bits of a number, and the constant of PTX."""
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def c(x):
    return f"0d{d(x):016X}"


def s(x):
    """The same of a single number."""
    return struct.unpack("<I", struct.pack("<f", x))[0]


def cs(x):
    return f"0f{s(x):08X}"


NAN, INF, TINY = math.nan, math.inf, 2.0**-30
YES, NO = 1, 0
# What is done with %x (64 bits), %w (32 bits), %h (16 bits), %p; and what is then in %x
CASES = [
    # numbers
    (f"add.rn.f64 %x, {c(0.1)}, {c(0.2)};", d(0.1 + 0.2)),
    (f"sub.f64 %x, {c(0.3)}, {c(0.1)};", d(0.3 - 0.1)),
    (f"mul.f64 %x, {c(0.1)}, {c(3.0)};", d(0.1 * 3)),
    (f"div.rn.f64 %x, {c(1.0)}, {c(3.0)};", d(1 / 3)),
    (f"rcp.rn.f64 %x, {c(3.0)};", d(1 / 3)),
    (f"sqrt.rn.f64 %x, {c(2.0)};", d(math.sqrt(2))),
    # 1 - 2^-60 - 1: two roundings would leave nothing
    (f"fma.rn.f64 %x, {c(1 + TINY)}, {c(1 - TINY)}, {c(-1.0)};", d(-(TINY**2))),
    (f"neg.f64 %x, {c(0.0)};", d(-0.0)),
    (f"abs.f64 %x, {c(-2.5)};", d(2.5)),
    (f"copysign.f64 %x, {c(-1.0)}, {c(3.0)};", d(-3.0)),
    (f"min.f64 %x, {c(NAN)}, {c(2.0)};", d(2.0)),
    (f"max.f64 %x, {c(-3.0)}, {c(NAN)};", d(-3.0)),
    (f"min.f64 %x, {c(0.0)}, {c(-0.0)};", d(-0.0)),
    (f"max.f64 %x, {c(-0.0)}, {c(0.0)};", d(0.0)),
    (f"rcp.approx.ftz.f64 %x, {c(4.0)};", d(0.25)),
    (f"rcp.approx.ftz.f64 %x, {c(3.0)};", d(1 / 3) & ~0xFFFFFFFF),
    (f"rcp.approx.ftz.f64 %x, {c(1e-310)};", d(INF)),
    (f"rsqrt.approx.ftz.f64 %x, {c(16.0)};", d(0.25)),
    (
        f"add.rn.f32 %w, {cs(0.1)}, {cs(0.2)}; cvt.u64.u32 %x, %w;",
        s(np.float32(0.1) + np.float32(0.2)),
    ),
    (
        f"mul.rn.f32 %w, {cs(0.1)}, {cs(3.0)}; cvt.u64.u32 %x, %w;",
        s(np.float32(0.1) * np.float32(3)),
    ),
    (f"ex2.approx.ftz.f32 %w, {cs(-3.0)}; cvt.u64.u32 %x, %w;", s(0.125)),
    # integers
    ("add.s64 %x, 9223372036854775807, 1;", 1 << 63),
    ("sub.s32 %w, 3, 5; cvt.u64.u32 %x, %w;", 0xFFFFFFFE),
    ("add.s16 %h, -1, 3; cvt.u64.u16 %x, %h;", 2),
    ("mul.lo.s64 %x, -3, 5;", M1 - 14),
    ("mul.hi.s64 %x, -1, 2;", M1),
    ("mul.hi.u64 %x, -1, 2;", 1),
    ("mul.hi.u32 %w, -1, 16; cvt.u64.u32 %x, %w;", 15),
    ("mul.wide.s32 %x, -3, 5;", M1 - 14),
    ("mul.wide.u32 %x, -1, 2;", 0x1FFFFFFFE),
    ("mad.lo.s64 %x, 3, -4, 5;", M1 - 6),
    ("mad.lo.s32 %w, 3, -4, 5; cvt.u64.u32 %x, %w;", 0xFFFFFFF9),
    ("div.s64 %x, -7, 2;", M1 - 2),
    ("div.u64 %x, -7, 2;", (M1 - 6) // 2),
    ("rem.s64 %x, -7, 2;", M1),
    ("rem.u32 %w, 7, 4; cvt.u64.u32 %x, %w;", 3),
    ("neg.s64 %x, 5;", M1 - 4),
    ("abs.s64 %x, -5;", 5),
    ("min.s64 %x, -5, 3;", M1 - 4),
    ("min.u64 %x, -5, 3;", 3),
    ("max.s32 %w, -5, 3; cvt.u64.u32 %x, %w;", 3),
    ("and.b64 %x, 12, 10;", 8),
    ("or.b64 %x, 12, 10;", 14),
    ("xor.b64 %x, 12, 10;", 6),
    ("not.b64 %x, 5;", M1 - 5),
    ("shl.b64 %x, 3, 2;", 12),
    ("shl.b64 %x, 3, 64;", 0),
    ("shl.b32 %w, 3, 33; cvt.u64.u32 %x, %w;", 0),
    ("shr.s64 %x, -8, 1;", M1 - 3),
    ("shr.s64 %x, -8, 100;", M1),
    ("shr.u64 %x, -8, 100;", 0),
    ("shr.u32 %w, -8, 28; cvt.u64.u32 %x, %w;", 15),
    ("shl.b16 %h, -1, 12; cvt.u64.u16 %x, %h;", 0xF000),
    ("bfe.u32 %w, 0x7FF12345, 20, 11; cvt.u64.u32 %x, %w;", 0x7FF),
    ("bfe.s64 %x, 8, 3, 1;", M1),
    ("bfe.s64 %x, 8, 2, 1;", 0),
    ("bfe.s64 %x, -4, 62, 8;", M1),
    ("bfe.u32 %w, -1, 4, 0; cvt.u64.u32 %x, %w;", 0),
    ("shf.l.wrap.b32 %w, 0x80000000, 1, 33; cvt.u64.u32 %x, %w;", 3),
    ("shf.l.clamp.b32 %w, 7, 1, 33; cvt.u64.u32 %x, %w;", 7),
    ("shf.r.wrap.b32 %w, 2, 1, 1; cvt.u64.u32 %x, %w;", 0x80000001),
    ("prmt.b32 %w, 0x33221100, 0x77665544, 0x7480; cvt.u64.u32 %x, %w;", 0x77440000 | 0x0000),
    ("prmt.b32 %w, 0x33221180, 0, 0x8123; cvt.u64.u32 %x, %w;", 0xFF112233),
    ("clz.b64 %w, 1; cvt.u64.u32 %x, %w;", 63),
    ("clz.b32 %w, 0; cvt.u64.u32 %x, %w;", 32),
    ("popc.b64 %w, 255; cvt.u64.u32 %x, %w;", 8),
    # the carry
    ("add.cc.u32 %w, -1, 1; addc.u32 %w, 5, 6; cvt.u64.u32 %x, %w;", 12),
    ("sub.cc.u32 %w, 1, 2; subc.u32 %w, 9, 3; cvt.u64.u32 %x, %w;", 5),
    ("mad.lo.cc.u32 %w, -1, 1, 1; madc.hi.u32 %w, -1, 2, 0; cvt.u64.u32 %x, %w;", 2),
    (
        "add.cc.u32 %w, -1, 1; madc.hi.cc.u32 %w, 0, 0, -1; addc.u32 %w, 0, 0; cvt.u64.u32 %x, %w;",
        1,
    ),
    # conversions
    (f"cvt.rzi.s64.f64 %x, {c(-2.7)};", M1 - 1),
    (f"cvt.rzi.s64.f64 %x, {c(1e300)};", (1 << 63) - 1),
    (f"cvt.rzi.s64.f64 %x, {c(NAN)};", 1 << 63),
    (f"cvt.rzi.u64.f64 %x, {c(-3.0)};", 0),
    (f"cvt.rni.s32.f64 %w, {c(2.5)}; cvt.u64.u32 %x, %w;", 2),
    (f"cvt.rni.s32.f64 %w, {c(-1e300)}; cvt.u64.u32 %x, %w;", 1 << 31),
    (f"cvt.rni.s32.f64 %w, {c(NAN)}; cvt.u64.u32 %x, %w;", 1 << 31),
    (f"cvt.rzi.s32.f32 %w, {cs(NAN)}; cvt.u64.u32 %x, %w;", 0),
    (f"cvt.rni.f64.f64 %x, {c(3.5)};", d(4.0)),
    (f"cvt.rmi.f64.f64 %x, {c(-3.5)};", d(-4.0)),
    (f"cvt.rpi.f64.f64 %x, {c(-3.5)};", d(-3.0)),
    (f"cvt.rzi.f64.f64 %x, {c(-3.5)};", d(-3.0)),
    ("cvt.rn.f64.s32 %x, -3;", d(-3.0)),
    ("cvt.rn.f64.u64 %x, -1;", d(2.0**64)),
    ("cvt.rn.f64.s64 %x, 9007199254740993;", d(2.0**53)),
    (f"cvt.rn.f32.f64 %w, {c(0.1)}; cvt.f64.f32 %x, %w;", d(float(np.float32(0.1)))),
    ("cvt.s64.s32 %x, -3;", M1 - 2),
    ("cvt.u64.u32 %x, -3;", 0xFFFFFFFD),
    ("mov.b32 %w, 511; cvt.s64.s8 %x, %w;", M1),
    ("mov.b64 %x, 0x1234567890; cvt.u32.u64 %w, %x; cvt.u64.u32 %x, %w;", 0x34567890),
    # parts
    (f"mov.b64 {{%w, _}}, {c(1.0)}; cvt.u64.u32 %x, %w;", 0),
    (f"{{ .reg .b32 part; mov.b64 {{part, %w}}, {c(1.0)}; }} cvt.u64.u32 %x, %w;", 0x3FF00000),
    ("mov.b64 %x, {1, 2};", 2 << 32 | 1),
    # comparisons and choices
    ("selp.b64 %x, 3, 4, %p;", 4),
    ("@%p mov.b64 %x, 3;", M1),
    ("@!%p mov.b64 %x, 3;", 3),
    ("not.pred %p, %p; @%p mov.b64 %x, 3;", 3),
    ("mov.pred %p, -1; selp.b64 %x, 3, 4, %p;", 3),
    (f"testp.infinite.f64 %p, {c(-INF)}; selp.b64 %x, 1, 0, %p;", YES),
]
SETP = [
    ("lt.s64", "-1", "0", YES),
    ("lt.u64", "-1", "0", NO),
    ("hi.u32", "-1", "0", YES),
    ("eq.b16", "65535", "-1", YES),
    ("ge.s32", "-1", "-1", YES),
    ("eq.f64", c(NAN), c(NAN), NO),
    ("equ.f64", c(NAN), c(1.0), YES),
    ("ne.f64", c(NAN), c(1.0), NO),
    ("neu.f64", c(NAN), c(1.0), YES),
    ("neu.f64", c(0.0), c(-0.0), NO),
    ("lt.f64", c(NAN), c(1.0), NO),
    ("ltu.f64", c(NAN), c(1.0), YES),
    ("ltu.f64", c(2.0), c(1.0), NO),
    ("leu.f64", c(1.0), c(1.0), YES),
    ("geu.f64", c(1.0), c(NAN), YES),
    ("gtu.f64", c(1.0), c(1.0), NO),
    ("num.f64", c(1.0), c(INF), YES),
    ("num.f64", c(NAN), c(1.0), NO),
    ("nan.f64", c(1.0), c(NAN), YES),
    ("lt.f32", cs(1.0), cs(2.0), YES),
]
CASES += [(f"setp.{how} %p, {a}, {b}; selp.b64 %x, 1, 0, %p;", r) for how, a, b, r in SETP]
CASES += [
    ("mov.pred %p, 1; setp.lt.and.s64 %p|%o, 2, 1, %p; selp.b64 %x, 1, 0, %o;", YES),
    ("setp.lt.or.s64 %p|%o, 2, 1, !%p; selp.b64 %x, 1, 0, %p;", YES),
]


FUNCTIONS = """
.extern .func (.param .b64 func_retval0) outside(.param .b64 outside_param_0);
.global .align 16 .b8 table[32] = {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3};
.global .align 8 .u64 places[2] = {generic(table), 7};
.func (.param .align 16 .b8 func_retval0[16]) twice(
    .param .b64 twice_param_0
)
;
.visible .entry start(
    .param .u64 .ptr .global .align 8 start_param_0,
    .param .u64 start_param_1
)
{
    .local .align 8 .b8 __local_depot0[24];
    .reg .b64 %SPL; .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<20>;
    mov.b64 %SPL, __local_depot0;
    ld.param.b64 %rd1, [start_param_0];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %nctaid.x;
    mad.lo.s32 %r5, %r2, %r3, %r1;
    mul.wide.u32 %rd2, %r5, 64;
    add.s64 %rd3, %rd1, %rd2; // the thread's own
    st.local.b64 [%SPL+8], 40;
    ld.local.b64 %rd4, [%SPL+8];
    st.global.b64 [%rd3], %rd4;
    mov.b64 %rd5, places;
    ld.global.nc.b64 %rd6, [%rd5];
    ld.v2.b64 {%rd7, _}, [%rd6+0];
    ld.global.nc.v2.b64 {_, %rd8}, [%rd6];
    st.v2.b64 [%rd3+16], {%rd7, %rd8};
    cvt.u64.u32 %rd9, %r5;
    { // callseq 0, 0
    .param .b64 param0;
    .param .align 16 .b8 retval0[16];
    st.param.b64 [param0], %rd9;
    call.uni (retval0), twice, (param0);
    ld.param.b64 %rd10, [retval0];
    ld.param.b32 %r6, [retval0+8];
    } // callseq 0
    st.global.b64 [%rd3+32], %rd10;
    st.global.b32 [%rd3+40], %r6;
    st.b8 [%rd3+44], 0x101;
    ld.b8 %r6, [%rd3+44];
    st.b8 [%rd3+45], %r6;
    $L_brx_0: .branchtargets
        $L_zero,
        $L_one;
    brx.idx %r5, $L_brx_0;
$L_zero:
    st.global.b64 [%rd3+48], 100;
    bra.uni $L_end;
$L_one:
    st.global.b64 [%rd3+48], 101;
$L_end:
    atom.add.u64 %rd12, [%rd1+8], 1;
    setp.ne.b32 %p1, %r5, 1;
    @%p1 exit;
    {
    .param .b64 param0; .param .b64 retval0;
    st.param.b64 [param0], %rd9;
    call.uni (retval0), outside, (param0);
    ld.param.b64 %rd11, [retval0];
    }
    st.global.b64 [%rd3+56], %rd11;
    ret;
}
.func (.param .align 16 .b8 func_retval0[16]) twice(
    .param .b64 twice_param_0
)
{
    .reg .b64 %rd<3>;
    ld.param.b64 %rd1, [twice_param_0];
    add.s64 %rd2, %rd1, %rd1;
    st.param.b64 [func_retval0], %rd2;
    st.param.b32 [func_retval0+8], 77;
    ret;
}
"""
OUTSIDE = """
.func twice() { ret; }
.visible .func (.param .b64 func_retval0) outside(.param .b64 outside_param_0)
{
    .reg .b64 %rd<2>;
    call.uni twice, ();
    ld.param.b64 %rd1, [outside_param_0];
    add.s64 %rd1, %rd1, 1000;
    st.param.b64 [func_retval0], %rd1;
    ret;
}
"""


ADD = """
.visible .entry lissom_add(
    .param .u64 count, .param .u64 statuses, .param .u64 x, .param .u64 n_x, .param .u64 each_x,
    .param .u64 y, .param .u64 n_y, .param .u64 each_y
)
{
    .reg .b64 %rd<9>; .reg .b32 %r<2>; .reg .pred %p<2>;
    mov.u32 %r1, %tid.x;
    cvt.u64.u32 %rd6, %r1;
    ld.param.b64 %rd5, [count];
    setp.ge.s64 %p1, %rd6, %rd5;
    @%p1 ret;
    ld.param.b64 %rd1, [statuses];
    st.global.b64 [%rd1], 0;
    ld.param.b64 %rd2, [x];
    ld.param.b64 %rd3, [y];
    ld.global.nc.b64 %rd4, [%rd2];
    add.f64 %rd4, %rd4, %rd4;
    st.global.b64 [STORE], %rd4;
    ret;
}
"""

# Calls the function of a user whose number is at `which`, with the time there and arrays
CALLER = """
.extern .func (.param .b64 func_retval0) lissom_call(
    .param .b64 p0, .param .b64 p1, .param .b64 p2, .param .b64 p3, .param .b64 p4, .param .b64 p5
);
.visible .entry start(
    .param .u64 status, .param .u64 which, .param .u64 time, .param .u64 q, .param .u64 v,
    .param .u64 memory, .param .u64 out
)
{
    .reg .b64 %rd<12>;
    ld.param.b64 %rd1, [which];
    ld.global.b64 %rd1, [%rd1];
    ld.param.b64 %rd2, [time];
    ld.global.b64 %rd2, [%rd2];
    ld.param.b64 %rd3, [q];
    ld.param.b64 %rd4, [v];
    ld.param.b64 %rd5, [memory];
    ld.param.b64 %rd6, [out];
    {
    .param .b64 param0; .param .b64 param1; .param .b64 param2; .param .b64 param3;
    .param .b64 param4; .param .b64 param5; .param .b64 retval0;
    st.param.b64 [param0], %rd1;
    st.param.b64 [param1], %rd2;
    st.param.b64 [param2], %rd3;
    st.param.b64 [param3], %rd4;
    st.param.b64 [param4], %rd5;
    st.param.b64 [param5], %rd6;
    call.uni (retval0), lissom_call, (param0, param1, param2, param3, param4, param5);
    ld.param.b64 %rd7, [retval0];
    }
    ld.param.b64 %rd8, [status];
    st.global.b64 [%rd8], %rd7;
    ret;
}
"""
