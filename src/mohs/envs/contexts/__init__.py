"""How does an environment of somebody else's get another physics? By a context: names and values, set in it."""
