"""Which environments does mohs bring? One module for each, with its parameters and realisations as data."""
