"""Simulations compared with those of other libraries."""
