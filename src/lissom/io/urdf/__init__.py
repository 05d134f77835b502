"""URDF robot descriptions."""
