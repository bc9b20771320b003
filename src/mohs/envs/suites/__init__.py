"""Which environments of others does mohs know by name? One module for each package that brings some."""
