"""Controllers of traffic signals that need no network."""
