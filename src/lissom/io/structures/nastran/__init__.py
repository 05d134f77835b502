"""Files of Nastran: bulk data, and matrices in DMIG and OP4 form."""
