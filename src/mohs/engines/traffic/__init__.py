"""Traffic signals as a compiled fleet: `junction` (what an intersection is), `arrivals` (who comes when), `layout` (the
records), `discharge` (how fast a queue leaves), `queues` (vehicles enter and cross), `measures` (what detectors see),
`law` (signals, rewards, episodes), `fleet` (how one is built), `fixed_time` (plans without detectors).
"""
