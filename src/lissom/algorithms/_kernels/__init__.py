"""The sweeps of `lissom.algorithms` for speed: arrays in, arrays out, compiled by Numba.

`compiling` is the one way in which they are compiled. Nothing here is imported by `import lissom`.
"""
