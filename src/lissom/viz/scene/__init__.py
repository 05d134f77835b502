"""Scene of a motion: bodies, joints and arrows as the animated view and GIFs draw them."""
