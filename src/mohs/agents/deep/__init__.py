"""Deep agents that train in packs: one network for each cell, all of them in one matrix product for each layer."""
