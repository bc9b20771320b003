"""Complete tables as a compiled fleet: `address` (where they lie), `layout`, `law` (how they are played), `fleet`."""
