"""Recursions on trees: the reference text, and public functions that call the compiled one."""
