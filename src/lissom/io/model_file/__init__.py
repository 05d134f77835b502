"""Model files: parsing, schema, construction of models and runs, and writing."""
