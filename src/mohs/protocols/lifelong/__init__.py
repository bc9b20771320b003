"""Lifelong learning: curricula as data (`curriculum`, `variations`, `similarity`), what is run (`study`), what follows.

What follows is in `scale`, `ceiling` and `verdict`, and in words in `sentences`.
"""
