"""Figures that several protocols draw: bars, curves, maps of two axes, and axes of doses. Data first, drawing second."""
