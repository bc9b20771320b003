"""A corridor: an example of a package that adds an environment, an agent and a protocol to mohs."""
