"""Closed loops and couplings: reference text, closure in a state, assembly, redundancy."""
