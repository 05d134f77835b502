/* Counts what a launch reads and writes.  Refuses what is in none of its arrays, and words that one
   thread writes and another one touches: on a GPU nobody knows which comes first. */
#define _GNU_SOURCE
#define COUNTED
#include "meaning.h"
#include <dlfcn.h>

typedef struct {
  u64 start, size;   /* an array [bytes] */
  u64 loads, stores; /* in words of eight bytes */
  u8 *seen;          /* of each word: 1 loaded, 2 stored, 4 loaded as a constant */
  u32 *by;           /* thread that touches each word, from 1; MANY of them; 0 none yet */
} Range;

enum { MANY = 0xFFFFFFFF };
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
    u32 self = t->ctaid * t->ntid + t->tid + 1;
    for (u64 j = (address - r->start) / 8, end = j + words; j < end; j++) {
      if (r->by[j] != 0 && r->by[j] != self && (stored || r->seen[j] & 2))
        FAULT("a word that one thread writes and another one touches");
      r->by[j] = r->by[j] == 0 || r->by[j] == self ? self : MANY;
      r->seen[j] |= stored ? 2 : space == CONSTANT ? 4 | 1 : 1;
    }
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
