"""The Effective Horizon Challenge: the settings of agents (`settings`), the MDPs they meet (`editions`), what follows.

What is run is in `study`, what becomes of one run in `runs`, what follows from all in `verdict`, in words in
`sentences`.
"""
