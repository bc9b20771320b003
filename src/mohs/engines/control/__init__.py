"""Control problems as compiled fleets: one module for each, with its records, its law and its fleet."""
