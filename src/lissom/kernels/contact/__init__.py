"""Contact between shapes: geometry of pairs, laws, forces and their changes."""
