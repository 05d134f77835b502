"""Operations, counted in the text of the kernels and in the papers."""
