"""Recursions as the papers print them, for study and for comparison with ours."""
