"""Plots over time, and plots of mode shapes."""
