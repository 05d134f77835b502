"""The kernels on a GPU: one thread for each state or run."""
