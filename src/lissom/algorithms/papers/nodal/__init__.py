"""Trees of finite-element bodies in nodal coordinates (D'Eleuterio and Damaren)."""
