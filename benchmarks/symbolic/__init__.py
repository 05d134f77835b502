"""Symbolic equations beside SymPy, and programs made of them beside the engine."""
