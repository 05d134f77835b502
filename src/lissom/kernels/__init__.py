"""The sweeps of `lissom.algorithms` on flat arrays, compiled by Numba for speed.

All are compiled by `compiling`.  `import lissom` imports nothing from here.
"""
