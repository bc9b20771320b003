"""Lifelong learning: curricula as data (`curriculum`, `variations`) and how alike their tasks are (`similarity`)."""
