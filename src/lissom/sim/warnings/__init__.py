"""Checks of runs and states against the limits of models and methods; they end in warnings."""
