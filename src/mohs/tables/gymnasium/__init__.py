"""Tables of Gymnasium environments: read from their dynamics, or explored by playing."""
