"""The same mechanisms in other libraries."""
