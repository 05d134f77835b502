"""Given functions of time: constants, tables, and users' functions with their derivatives."""
