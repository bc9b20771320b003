"""States seen as images: `shapes` of discrete states, `points` in a plane or on a grid; `common` to both."""
