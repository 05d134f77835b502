"""The journal of a run: rows on disk while it runs."""
