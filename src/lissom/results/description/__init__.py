"""Conversion of a System to text and arrays, and back, for results files."""
