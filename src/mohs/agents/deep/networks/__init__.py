"""Layers, encoders, policies and critics with one set of weights for each cell of a pack."""
