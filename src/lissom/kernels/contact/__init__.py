"""Kernels of contacts: pairs of shapes, laws, and the compliance of the bodies behind them."""
