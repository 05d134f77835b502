"""Drawings of a mechanism in a given state."""
