"""The sixteen cases of the Order-N paper."""
