"""Figures that several protocols draw: bars, curves, maps of two axes. Data first, drawing second."""
