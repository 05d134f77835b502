"""The immutable records of a mechanism as words and numbers, for all files that hold one."""
