"""Operation counts, from the kernels and from the paper."""
