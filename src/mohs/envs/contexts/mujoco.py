"""Which fields of a MuJoCo model can a context set?

    gravity        the vertical acceleration, negative downward
    mass.BODY      the mass of a body; its inertia is scaled with it, as if the density had changed
    friction       the sliding friction of all geoms, friction.GEOM that of one
    size.GEOM      the first size of a geom, which is the radius of a capsule

A contact takes the larger friction of its two geoms. A geom without a name goes by the name of its body. Sizes are set
in the XML, which is compiled again, so that masses and inertias follow as the file says.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from mohs.core.errors import UsageError

_FREE, _NOT_NEGATIVE, _POSITIVE = "a finite number", "a number ≥ 0", "a number > 0"
_DOMAINS = {"gravity": _FREE, "friction": _NOT_NEGATIVE, "mass": _POSITIVE, "size": _POSITIVE}


def fields(env: Any) -> list[str]:
    """The names of all fields of the environment's model that a context may set."""
    model = env.model
    geoms = list(_geoms(model))
    bodies = [model.body(i).name for i in range(1, model.nbody) if model.body_mass[i] > 0]
    each = [f"mass.{name}" for name in bodies]
    return ["gravity", "friction", *each, *(f"{kind}.{name}" for kind in ("friction", "size") for name in geoms)]


def field(env: Any, name: str) -> float | None:
    """The value of a field; None where geoms of the name have several."""
    model, (kind, _, of) = env.model, name.partition(".")
    if name == "gravity":
        return float(model.opt.gravity[2])
    if kind == "mass":
        return float(model.body_mass[model.body(of).id])
    geoms = _geoms(model)[of] if of else slice(None)
    found = np.unique((model.geom_friction if kind == "friction" else model.geom_size)[geoms, 0])
    return float(found[0]) if len(found) == 1 else None


def set_fields(env: Any, values: Mapping[str, Any], title: str) -> None:
    """Sets fields of the model. Setting them again changes nothing."""
    import mujoco

    for name, value in values.items():
        allowed = _DOMAINS[name.partition(".")[0]]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or (allowed is _NOT_NEGATIVE and value < 0) or (allowed is _POSITIVE and value <= 0):
            raise UsageError(f"{name} of {title} is {value!r}, but must be {allowed}.")
    model, geoms = env.model, _geoms(env.model)
    sizes = {i: value for name, value in values.items() if name.startswith("size.") for i in geoms[name[5:]]}
    if sizes:
        _resize(env, sizes)
    for name, value in sorted(values.items()):  # `friction` before that of one geom
        kind, _, of = name.partition(".")
        if name == "gravity":
            model.opt.gravity[2] = value
        elif kind == "friction":
            model.geom_friction[geoms[of] if of else slice(None), 0] = value
        elif kind == "mass":
            body = model.body(of).id
            model.body_inertia[body] *= value / model.body_mass[body]
            model.body_mass[body] = value
    mujoco.mj_setConst(model, mujoco.MjData(model))  # what the solver derives from masses, such as inverse weights


def _geoms(model: Any) -> dict[str, list[int]]:
    """The numbers of the geoms by name."""
    found: dict[str, list[int]] = {}
    for i in range(model.ngeom):
        found.setdefault(model.geom(i).name or model.body(model.geom_bodyid[i]).name, []).append(i)
    return found


def _resize(env: Any, sizes: Mapping[int, float]) -> None:
    """Compiles the XML with other sizes, and copies what came of it into the model that the environment holds."""
    import mujoco

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the file is Gymnasium's, and so is what MuJoCo says of it
        spec = mujoco.MjSpec.from_file(env.fullpath)
        before = spec.compile()
        for i, size in sizes.items():
            geom = spec.geoms[i]
            geom.size = [size, *geom.size[1:]]
        after = spec.compile()
    for name in dir(after):
        new, plain = getattr(after, name), getattr(before, name)
        # Only what follows from the sizes: what somebody has set in the model otherwise stays.
        if isinstance(new, np.ndarray) and new.flags.writeable and not np.array_equal(new, plain, equal_nan=True):
            getattr(env.model, name)[...] = new
