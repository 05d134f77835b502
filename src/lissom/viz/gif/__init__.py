"""Animated GIFs."""
