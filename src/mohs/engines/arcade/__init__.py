"""The arcade as a compiled fleet: `layout` (the records), `boards` (sets of cells), a module for each game (its rules),
`law` (how an episode goes on and what it pays), `fleet` (how one is built), `optimum` and `references` (what is the
best return), `screen` (how cells become pixels and masks).
"""
