"""Sweeps over a tree: motion outwards, articulated bodies inwards, and what follows from them."""
