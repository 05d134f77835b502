"""Derivatives of forward dynamics of mechanisms with loops and couplings."""

import pytest

from tests.tools.derivative_checks import loop_error

KINDS = ("revolute", "universal", "planar", "compound", "cylindrical", "spherical", "fixed")


@pytest.mark.parametrize("seed, kind", list(enumerate(KINDS)))
def test_free_motions_have_the_slopes_of_particles_by_automatic_differentiation(seed, kind):
    found = loop_error(seed, kind)
    if found is None:
        pytest.skip("automatic differentiation is of bodies at level full")
    assert found < 1e-9
