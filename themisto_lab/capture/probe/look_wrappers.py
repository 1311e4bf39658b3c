"""Reads what result objects of statistics libraries hold already; nothing is computed for it.

The results of statsmodels stand behind a wrapper that finds attributes by itself. What was computed is in the inner
object's own dict or its cache, and the wrapper's label maker puts the names of the parameters on it.
"""

from __future__ import annotations

from typing import Any

from . import safe
from .look_rules import family

NOT_HELD = object()
"""What is returned where there is nothing to read."""


def read_wrapped(value: object, name: str) -> Any:
    """Return a result's attribute with its labels, if it was computed already; `NOT_HELD` where it was not.

    Parameters
    ----------
    value
        Anything; only results of statsmodels are read.
    name
        The attribute's name.

    Returns
    -------
    object
        The value; a number or an array of results with its labels, as a Series or a DataFrame.
    """
    base = safe.library("statsmodels.base.wrapper").get("ResultsWrapper")
    kind = type(value)
    if base is None or name.startswith("_") or not safe.inherits(kind, base):
        return NOT_HELD
    if safe.module_of(kind).partition(".")[0] != "statsmodels":
        return NOT_HELD
    results = (safe.instance_dict(value) or {}).get("_results")
    if safe.module_of(type(results)).partition(".")[0] != "statsmodels":
        return NOT_HELD
    held = safe.instance_dict(results) or {}
    cache = held.get("_cache")
    found = held.get(name, cache.get(name, NOT_HELD) if type(cache) is dict else NOT_HELD)
    if found is NOT_HELD or not family(found):
        return found
    how = getattr(kind, "_wrap_attrs", {}).get(name)
    model = held.get("model")
    data: Any = (safe.instance_dict(model) or {}).get("data")
    if not how or safe.module_of(type(data)).partition(".")[0] != "statsmodels":
        return found
    return data.wrap_output(found, how)
