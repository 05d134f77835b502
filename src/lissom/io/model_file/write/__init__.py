"""Models and runs as text of a model file."""
