"""Files of flexible bodies and of finite-element models."""
