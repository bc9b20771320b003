"""The CT-graph as a compiled fleet: `layout` (the records), `law` (how it moves), `fleet` (how one is built)."""
