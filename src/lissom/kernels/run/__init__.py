"""Kernels of simulation: loads, coordinates on their groups, steps, and the loop of a run."""
