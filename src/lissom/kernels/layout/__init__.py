"""Layouts of the flat arrays that kernels share: each declared once, read by name."""
