"""Closed loops and couplings: gaps, constraint columns, and the forces that keep them closed."""
