"""Animated view of a run, finished or in progress, as a page of a browser."""
