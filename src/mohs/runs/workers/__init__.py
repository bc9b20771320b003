"""Who trains a pack, and where? Workers behind one interface: local processes, or this process."""
