"""Trees of finite-element bodies in nodal coordinates (Rodriguez)."""
