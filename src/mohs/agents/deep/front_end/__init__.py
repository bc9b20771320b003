"""Front-ends: fixed maps from pixels to further channels, made without reward."""
