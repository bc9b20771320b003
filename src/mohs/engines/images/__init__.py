"""States as images: `moves` (random transforms), `warp` (of any image), `polygons`, `discs`, `pictures` (of files)."""
