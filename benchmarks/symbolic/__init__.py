"""Symbolic equations compared with SymPy, and generated programs compared with the engine."""
