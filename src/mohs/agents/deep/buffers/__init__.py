"""Replay buffers and rollouts, each with a state for each cell of a pack."""
