"""Files of finite-element models and of flexible bodies."""
