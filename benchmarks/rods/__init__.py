"""Rods beside Exudyn's geometrically exact beams."""
