"""Models and runs from the validated tables of a model file."""
