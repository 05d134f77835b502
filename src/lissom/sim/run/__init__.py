"""A run: its settings (what was asked), plan (what acts), arrays, start, loop and record.

Each is owned by one module: `settings`, `plan`, `machine`, `prepare`, `runner`, `record`; they come
about in this order, and none changes those before it.
"""
