"""Files of finite-element models."""
