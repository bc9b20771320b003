"""A corridor: an example of a package that adds an environment to mohs."""
