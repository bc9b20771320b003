"""What else explains hardness? Gaps, distances, occupancies and mixing."""
