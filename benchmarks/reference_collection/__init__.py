"""Which tasks are known, how hard are they, and what did agents reach? Makes the file that cards compare with."""
