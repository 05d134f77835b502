"""A run: settings, plan, packed arrays, the loop in slices of compiled code, and its outcome."""
