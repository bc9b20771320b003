"""The algorithms: one file each, with its hyperparameters; what several share stands beside them."""
