"""Schema of model files: the types of fields and the tables of each section."""
