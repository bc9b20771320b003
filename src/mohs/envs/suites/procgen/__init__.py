"""How is Procgen (Cobbe et al. 2020) played? As Gymnasium has it, in pixels or in the classes of what is shown."""
