"""Results as NetCDF-4 files."""
