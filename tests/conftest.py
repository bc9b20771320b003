"""Property tests have no deadline (kernels compile on first use) and are the same every time in CI.

Windows are opened without a screen.
"""

from __future__ import annotations

import os

from hypothesis import settings

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
settings.register_profile("mohs", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("mohs")
