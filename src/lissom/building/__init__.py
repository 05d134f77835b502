"""Compiling all kernels ahead of their use, into one binary; `python -m lissom.building`."""
