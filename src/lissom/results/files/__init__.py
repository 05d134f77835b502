"""Results on disk: formats, safe file operations, checksums."""
