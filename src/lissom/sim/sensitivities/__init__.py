"""Derivatives of whole runs: tangents of steps, the states of a run, and gradients."""
