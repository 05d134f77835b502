"""Calls from arrays, ticks of a controller, single steps and short rollouts."""
