"""The traffic signal in SUMO: `package` (where SUMO is), `plain` (an intersection as a network), `network` (what a
network says of a signal), `states` (greens, yellow, red), `programs` (SUMO's own control), `demand` (who comes when),
`osm` (maps), `files` (those of a task), `scene` (all that is simulated), `worker` (the process that simulates),
`workers` (how it is spoken to), `trips` (metrics), `env` and `faces` (Gymnasium).
"""
