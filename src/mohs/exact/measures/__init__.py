"""Which other properties explain hardness? Gaps, distances, occupancies and mixing."""
