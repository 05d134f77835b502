"""Whole runs beside those of other libraries."""
