"""Events: zero crossings, their location within a step, and their actions."""
