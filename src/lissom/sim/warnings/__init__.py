"""Checks of a run against the limits of its models and methods; they end in warnings."""
