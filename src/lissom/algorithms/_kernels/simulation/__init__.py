"""Kernels of simulation: loads, coordinates on their groups, steps, and the run between returns."""
