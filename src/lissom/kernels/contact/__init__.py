"""Contacts: closest points of pairs of shapes, and how gap, normal and wrench change with motions."""
