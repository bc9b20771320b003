"""Dials injected into environments: `layout` (the records), `law` (what a step does), `fleet` (how one is built)."""
