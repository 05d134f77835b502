/* What PTX's instructions mean, where C has no operator that means the same.
   Registers are unsigned integers of their width; F and S read them as numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8; typedef uint16_t u16; typedef uint32_t u32; typedef uint64_t u64;
typedef int8_t s8; typedef int16_t s16; typedef int32_t s32; typedef int64_t s64;
typedef u8 b8; typedef u16 b16; typedef u32 b32; typedef u64 b64;
typedef double f64; typedef float f32; typedef u8 pred;
typedef __uint128_t u128; typedef __int128_t s128;

typedef struct {
  u32 tid, ctaid, ntid, nctaid;
  u32 carry;
  u64 stack; /* where the thread's own memory begins */
  const char *fault;
  jmp_buf end;
} Thread;

#define F(x) (*(f64 *)&(x))
#define S(x) (*(f32 *)&(x))
#define FAULT(words) (t->fault = (words), longjmp(t->end, 1))

/* memory: addresses must be multiples of what is read there, as on a GPU */
#ifdef COUNTED
void counted(Thread *t, u64 address, u32 size, int what);
#define SEEN(a, n, what) counted(t, a, n, what)
#else
#define SEEN(a, n, what) (void)0
#endif
enum { GENERIC = 0, GLOBAL = 1, CONSTANT = 2, LOCAL = 3, STORED = 4 };
#define AT(a, n, what, aligned) ({ u64 a_ = (a); \
  if (a_ & ((aligned) - 1)) FAULT("a misaligned address"); \
  SEEN(a_, n, what); a_; })

#define SHL(T, a, n) ((n) >= 8 * sizeof(T) ? (T)0 : (T)((T)(a) << (n)))
#define SHR_U(T, a, n) ((n) >= 8 * sizeof(T) ? (T)0 : (T)((T)(a) >> (n)))
#define SHR_S(T, a, n) ((T)((T)(a) >> ((n) >= 8 * sizeof(T) ? 8 * sizeof(T) - 1 : (n))))

static inline u64 bfe_u(u64 a, u32 b, u32 c, u32 width) {
  u32 place = b & 255, n = c & 255;
  u64 x = place >= width ? 0 : a >> place;
  return n >= 64 ? x : x & (((u64)1 << n) - 1);
}
static inline u64 bfe_s(u64 a, u32 b, u32 c, u32 width) {
  u32 place = b & 255, n = c & 255;
  u32 last = place + n - 1 < width - 1 ? place + n - 1 : width - 1;
  if (n == 0) return 0;
  int negative = (a >> last) & 1;
  u64 x = bfe_u(a, b, c, width);
  u32 known = place >= width ? 0 : (n < width - place ? n : width - place);
  return known >= 64 || !negative ? x : x | (~(u64)0 << known);
}
static inline u32 shf(u32 low, u32 high, u32 n, int left, int wrap) {
  n = wrap ? n & 31 : (n > 32 ? 32 : n);
  u64 both = (u64)high << 32 | low;
  return left ? (n == 32 ? low : (u32)(both << n >> 32)) : (u32)(both >> n);
}
static inline u32 prmt(u32 a, u32 b, u32 c) {
  u64 both = (u64)b << 32 | a;
  u32 made = 0;
  for (int k = 0; k < 4; k++) {
    u32 which = c >> 4 * k & 15, byte = both >> 8 * (which & 7) & 255;
    if (which & 8) byte = byte & 128 ? 255 : 0;
    made |= byte << 8 * k;
  }
  return made;
}
static inline u32 clz(u64 a, u32 width) {
  u32 n = 0;
  while (n < width && !(a >> (width - 1 - n) & 1)) n++;
  return n;
}

/* 32-bit sums with the carry */
static inline u32 add_cc(Thread *t, u32 a, u32 b, int in, int out) {
  u64 sum = (u64)a + b + (in ? t->carry : 0);
  if (out) t->carry = (u32)(sum >> 32);
  return (u32)sum;
}
static inline u32 sub_cc(Thread *t, u32 a, u32 b, int in, int out) {
  u64 sum = (u64)a - b - (in ? t->carry : 0);
  if (out) t->carry = (u32)(sum >> 63);
  return (u32)sum;
}
static inline u64 add_cc64(Thread *t, u64 a, u64 b, int in, int out) {
  u128 sum = (u128)a + b + (in ? t->carry : 0);
  if (out) t->carry = (u32)(sum >> 64);
  return (u64)sum;
}
static inline u64 sub_cc64(Thread *t, u64 a, u64 b, int in, int out) {
  u128 sum = (u128)a - b - (in ? t->carry : 0);
  if (out) t->carry = (u32)(sum >> 127);
  return (u64)sum;
}

/* quotients that C leaves undefined */
#define DIV_U(T, a, b) ((T)(b) == 0 ? (T)~(T)0 : (T)((T)(a) / (T)(b)))
#define REM_U(T, a, b) ((T)(b) == 0 ? (T)(a) : (T)((T)(a) % (T)(b)))
#define DIV_S(T, a, b) ((T)(b) == 0 ? (T)-1 : (T)(b) == -1 ? (T)(0 - (u64)(a)) : (T)((T)(a) / (T)(b)))
#define REM_S(T, a, b) ((T)(b) == 0 ? (T)(a) : (T)(b) == -1 ? (T)0 : (T)((T)(a) % (T)(b)))

/* smaller and larger numbers: that which is a number; -0 is below 0 */
static inline f64 min_f64(f64 a, f64 b) {
  if (isnan(a)) return isnan(b) ? NAN : b;
  if (isnan(b)) return a;
  return a < b || (a == b && signbit(a)) ? a : b;
}
static inline f64 max_f64(f64 a, f64 b) {
  if (isnan(a)) return isnan(b) ? NAN : b;
  if (isnan(b)) return a;
  return a > b || (a == b && !signbit(a)) ? a : b;
}

/* rounded numbers as integers: the nearest that there is; what is no number has the first bit */
static inline s64 integer_s(f64 a, u32 width) {
  f64 most = ldexp(1.0, width - 1);
  if (isnan(a) || a < -most) return (s64)(~(u64)0 << (width - 1));
  return a >= most ? (s64)(((u64)1 << (width - 1)) - 1) : (s64)a;
}
static inline u64 integer_u(f64 a, u32 width) {
  if (isnan(a)) return (u64)1 << (width - 1);
  if (a <= 0.0) return 0;
  return a >= ldexp(1.0, width) ? ~(u64)0 >> (64 - width) : (u64)a;
}

/* approximations of the upper half, of which the upper half is left; small numbers are zeros */
static inline f64 upper(f64 a) {
  u64 x;
  memcpy(&x, &a, 8);
  if (isnan(a)) x = (u64)0x7FF80000 << 32;
  x &= ~(u64)0xFFFFFFFF;
  if ((x >> 52 & 2047) == 0) x &= (u64)1 << 63;
  memcpy(&a, &x, 8);
  return a;
}
static inline f64 rcp_approx(f64 a) { return upper(1.0 / upper(a)); }
static inline f64 rsqrt_approx(f64 a) { return upper(1.0 / sqrt(upper(a))); }
static inline f32 ex2_approx(f32 a) {
  if (fpclassify(a) == FP_SUBNORMAL) a = 0;
  f32 y = exp2f(a);
  return fpclassify(y) == FP_SUBNORMAL ? 0 : y;
}
