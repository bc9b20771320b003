"""Which third-party environments does mohs know by name? One module for each package that brings some."""
