/* Counts what a launch reads and writes, and refuses what is in none of its arrays. */
#define _GNU_SOURCE
#define COUNTED
#include "meaning.h"
#include <dlfcn.h>

typedef struct {
  u64 start, size;   /* an array [bytes] */
  u64 loads, stores; /* in words of eight bytes */
  u8 *seen;          /* of each word: 1 loaded, 2 stored, 4 loaded as a constant */
} Range;

static Range *ranges;
static u64 n_ranges;
u64 local_loads, local_stores, constant_loads;

void count_in(Range *given, u64 n) {
  ranges = given, n_ranges = n;
  local_loads = local_stores = constant_loads = 0;
}

void counted(Thread *t, u64 address, u32 size, int what) {
  int stored = what & STORED, space = what & ~STORED;
  u32 words = (size + 7) / 8;
  for (u64 k = 0; k < n_ranges; k++) {
    Range *r = ranges + k;
    if (address < r->start || address + size > r->start + r->size) continue;
    if (space == LOCAL) FAULT("an array of a launch where the thread's own memory is expected");
    *(stored ? &r->stores : &r->loads) += words;
    for (u32 j = 0; j < words; j++)
      r->seen[(address - r->start) / 8 + j] |= stored ? 2 : space == CONSTANT ? 4 | 1 : 1;
    return;
  }
  if (address >= (u64)__builtin_frame_address(0) && address + size <= t->stack) {
    if (space == GLOBAL || space == CONSTANT) FAULT("a thread's own memory as that of all");
    *(stored ? &local_stores : &local_loads) += words;
    return;
  }
  Dl_info found;
  if (!stored && space != LOCAL && dladdr((void *)address, &found)) {
    constant_loads += words;
    return;
  }
  FAULT(stored ? "a store outside of all arrays" : "a load outside of all arrays");
}
