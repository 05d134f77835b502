"""Pages of this folder run beside the library that they speak of."""

from __future__ import annotations

import pytest

from tests.references.peers import peer

PEERS = {"pinocchio": "pin", "mujoco": "mujoco", "exudyn": "exudyn"}


@pytest.fixture(autouse=True)
def _peer(request):
    """Skip a page whose library is missing; with CI=true fail."""
    name = PEERS.get(request.path.stem)
    if name:
        peer(name)
