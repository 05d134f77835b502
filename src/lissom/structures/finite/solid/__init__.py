"""Bodies of solid elements: tetrahedra, hexahedra and wedges."""
