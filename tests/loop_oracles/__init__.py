"""Closed mechanisms derived again from geometry, particles and energies.

Nothing here imports lissom.  `closures` adds loops of any joint to the particle model of
`tests.oracle`; the other modules each derive one mechanism by its own closed-form geometry.
"""
