"""Derivatives of the recursions by configuration and speeds."""
