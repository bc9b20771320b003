"""Pictures of the toys for people: `show` (when), `episode` (what), one module for each toy (how), `window`."""
