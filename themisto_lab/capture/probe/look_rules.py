"""What a closer look may evaluate: operations of exact library types that only read, and never run a user's code.

A class or function counts as a library's if the library's own module holds it under its own name, so that neither
a subclass nor a patched method passes.
"""

from __future__ import annotations

import builtins
import collections
import datetime
import math
import sys
import types
from typing import Any

from . import safe

FREE, SCAN, HEAVY = 0, 1, 2
"""What an operation costs: nothing, one pass over the values, or more."""

MAX_CELLS = {FREE: 1 << 62, SCAN: 300_000, HEAVY: 60_000}
"""The largest value that an operation of each cost is done on, in cells."""

SCALARS = frozenset(
    (
        *(type(None), bool, int, float, complex, str, bytes, range, slice, type(Ellipsis)),
        *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta),
    )
)
VIEWS = frozenset([type({}.keys()), type({}.values()), type({}.items())])
CONTAINERS = frozenset([list, tuple, dict, set, frozenset, collections.OrderedDict, collections.Counter]) | VIEWS
ITERATORS = frozenset([zip, enumerate, reversed, type(reversed([])), map, filter])

_BUILTINS = (
    "abs all any bool complex dict divmod enumerate float format frozenset int isinstance len list max min ord chr "
    "range repr reversed round set sorted str sum tuple type zip hex bin oct pow slice bytes"
)
_NUMPY_SCANS = (
    "abs all allclose any argmax argmin argsort array array_equal asarray atleast_1d atleast_2d average bincount ceil "
    "clip column_stack concatenate corrcoef count_nonzero cov cumprod cumsum degrees diag diff digitize dot dstack exp "
    "expand_dims expm1 fabs flip floor full_like histogram hstack hypot isclose isfinite isin isinf isnan log log10 "
    "log1p log2 logical_and logical_not logical_or max maximum mean median min minimum mod nan_to_num nanmax nanmean "
    "nanmedian nanmin nanpercentile nanstd nansum nanvar nonzero ones_like percentile power prod ptp quantile radians "
    "ravel reshape round rint roll sign sin cos tan sqrt square squeeze stack std subtract add multiply divide sum "
    "tanh trace transpose tril triu unique var vstack where zeros_like amax amin around array_repr array_str interp "
    "arctan arcsin arccos sinh cosh float64 float32 int64 int32 shape size ndim result_type"
)
_NUMPY_MAKERS = "arange eye full identity linspace logspace ones zeros outer repeat tile kron matmul"
_PANDAS_HEAVY = (
    "DataFrame Series Index concat crosstab cut date_range isna isnull melt merge notna notnull pivot_table qcut "
    "to_datetime to_numeric to_timedelta unique value_counts Timestamp Timedelta get_dummies"
)

_SKLEARN_METRICS = (
    "accuracy_score balanced_accuracy_score classification_report confusion_matrix explained_variance_score f1_score "
    "fbeta_score log_loss matthews_corrcoef max_error mean_absolute_error mean_absolute_percentage_error "
    "mean_squared_error mean_squared_log_error median_absolute_error precision_score r2_score recall_score "
    "roc_auc_score root_mean_squared_error"
)
_SCIPY_SPECIAL = "comb erf expit factorial gamma logit logsumexp perm softmax"

_TEXT_METHODS = (
    "capitalize casefold count encode endswith find format index isalnum isalpha isdigit isidentifier islower "
    "isnumeric isspace istitle isupper join lower lstrip partition removeprefix removesuffix replace rfind rindex "
    "rpartition rsplit rstrip split splitlines startswith strip swapcase title upper zfill decode hex"
)
_NUMBER_METHODS = "bit_length conjugate is_integer as_integer_ratio hex"
_TIME_METHODS = (
    "date time isoformat weekday isoweekday strftime total_seconds toordinal timestamp day_name month_name round "
    "normalize to_period to_pydatetime"
)
_CONTAINER_METHODS = (
    "copy count get index items keys values union intersection difference symmetric_difference issubset issuperset "
    "isdisjoint most_common"
)
_ARRAY_METHODS = (
    "all any argmax argmin argsort astype clip conj copy cumprod cumsum diagonal dot flatten item max mean min "
    "nonzero prod ravel repeat reshape round squeeze std sum take tolist trace transpose var is_integer"
)
_FRAME_FREE = "head tail keys get xs"
_FRAME_SCAN = (
    "abs add all any argmax argmin astype clip count cummax cummin cumsum diff div divide eq ge gt idxmax idxmin isna "
    "isnull le lt max mean median min mul ne notna notnull prod round shift std sub sum to_numpy tolist truediv var"
)
_FRAME_HEAVY = (
    "abs add agg aggregate all any append argmax argmin astype between clip combine_first copy corr corrwith count cov "
    "cummax cummin cumprod cumsum describe diff div divide dot drop drop_duplicates dropna duplicated eq equals "
    "explode ffill fillna bfill filter first_valid_index ge groupby gt idxmax idxmin infer_objects isin isna isnull "
    "items iteritems kurt kurtosis last_valid_index le lt mad max mean median melt memory_usage merge min mod mode mul "
    "ne nlargest notna notnull nsmallest nunique pct_change pivot pivot_table pow prod product quantile rank reindex "
    "rename replace reset_index round select_dtypes sem set_index shift size skew sort_index sort_values squeeze stack "
    "std sub sum swaplevel take to_dict to_frame to_list to_numpy to_string tolist transpose truediv unique unstack "
    "value_counts values var join ngroups ngroup first last nth cumcount get_group get_level_values day_name "
    "month_name strftime normalize to_period date time add_prefix add_suffix assign rename_axis to_timestamp item"
)
_FRAME_PROPERTIES = (
    "T at axes cat codes categories columns date day dayofweek day_name days dt dtype dtypes empty end_time freq "
    "freqstr hasnans hour iat iloc index inferred_freq is_monotonic_decreasing is_monotonic_increasing is_unique "
    "levels loc microsecond minute month name names nbytes ndim ngroups nlevels quarter second seconds shape size "
    "start start_time step stop str time values weekday year ordered left right mid start stop"
)
_ARRAY_PROPERTIES = "T dtype flat imag itemsize nbytes ndim real shape size names kind name str"
_SCALAR_PROPERTIES = (
    "real imag numerator denominator year month day hour minute second microsecond days seconds microseconds start "
    "stop step min max"
)


def _words(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in text.split())


METHODS = {
    "scalar": {
        **dict.fromkeys(_words(_TEXT_METHODS, _NUMBER_METHODS, _TIME_METHODS), SCAN),
    },
    "container": dict.fromkeys(_words(_CONTAINER_METHODS), SCAN),
    "numpy": dict.fromkeys(_words(_ARRAY_METHODS), SCAN),
    "pandas": {
        **dict.fromkeys(_words(_FRAME_HEAVY, _TEXT_METHODS, _TIME_METHODS), HEAVY),
        **dict.fromkeys(_words(_FRAME_SCAN), SCAN),
        **dict.fromkeys(_words(_FRAME_FREE), FREE),
    },
}
PROPERTIES = {
    "scalar": _words(_SCALAR_PROPERTIES),
    "container": frozenset[str](),
    "numpy": _words(_ARRAY_PROPERTIES),
    "pandas": _words(_FRAME_PROPERTIES),
}
_COSTLY_PROPERTIES = _words(
    "values day dayofweek days end_time hasnans hour inferred_freq is_monotonic_decreasing is_monotonic_increasing "
    "is_unique microsecond minute month quarter second seconds start_time week weekday year date time codes"
)


def property_cost(name: str) -> int:
    """Return what reading a property costs."""
    return SCAN if name in _COSTLY_PROPERTIES else FREE


REFUSED_ARGUMENTS = frozenset(["inplace", "out", "buf", "where", "func", "key", "file", "path_or_buf"])


def family(value: object) -> str:
    """Return the family of a value's exact type: ``scalar``, ``container``, ``numpy`` or ``pandas``; else empty."""
    kind = safe.key(type(value))
    if kind in SCALARS:
        return "scalar"
    if kind in CONTAINERS or kind in ITERATORS:
        return "container"
    top = safe.module_of(kind).partition(".")[0]
    if top == "numpy" and (kind is safe.library("numpy").get("ndarray") or is_number_or_dtype(kind)):
        return "numpy"
    if top == "pandas" and is_librarys(kind):
        return "pandas"
    return ""


def is_number_or_dtype(kind: type) -> bool:
    """Tell whether a class is one of numpy's numbers or dtypes."""
    names = safe.library("numpy")
    return kind is not names.get("void") and any(
        base is not None and safe.inherits(kind, base) for base in (names.get("generic"), names.get("dtype"))
    )


def is_librarys(kind: type) -> bool:
    """Tell whether a class is the one that its module holds under its name."""
    module = sys.modules.get(safe.module_of(kind))
    return type(module) is types.ModuleType and module.__dict__.get(safe.short_name(kind)) is kind


def class_attribute(kind: type, name: str) -> Any:
    """Return what a class or its bases hold under a name, as it stands there; None where there is nothing."""
    for base in safe.mro(kind):
        found = safe.class_dict(base).get(name)
        if found is not None:
            return found
    return None


def is_unpatched(kind: type, name: str, top: str) -> bool:
    """Tell whether a method or property that stands in a class is its library's own."""
    found = class_attribute(kind, name)
    if type(found) is property:
        found = found.fget
    if type(found) is types.FunctionType:
        module = found.__globals__.get("__name__")
        return type(module) is str and module.partition(".")[0] == top
    return found is not None


def functions() -> dict[int, tuple[str, int]]:
    """Return the functions that may be called, by identity: name and cost. Libraries count that are loaded already."""
    loaded = tuple(id(sys.modules.get(name)) for name in _LIBRARIES)
    if _FUNCTIONS.get("loaded") != loaded:
        _FUNCTIONS.update(loaded=loaded, found=_find_functions())
    found: dict[int, tuple[str, int]] = _FUNCTIONS["found"]
    return found


_LIBRARIES = ("numpy", "pandas", "sklearn.metrics", "scipy.special")
_FUNCTIONS: dict[str, Any] = {}
"""What was found, and in which libraries."""


def _find_functions() -> dict[int, tuple[str, int]]:
    found: dict[int, tuple[str, int]] = {}
    for name in _BUILTINS.split():
        found[id(getattr(builtins, name))] = (name, SCAN)
    for name, value in math.__dict__.items():
        if type(value) is types.BuiltinFunctionType and name not in ("factorial", "comb", "perm"):
            found[id(value)] = (name, SCAN)
    for names, library, cost in (
        (_NUMPY_SCANS, "numpy", SCAN),
        (_NUMPY_MAKERS, "numpy", HEAVY),
        (_PANDAS_HEAVY, "pandas", HEAVY),
        (_SKLEARN_METRICS, "sklearn.metrics", HEAVY),
        (_SCIPY_SPECIAL, "scipy.special", SCAN),
    ):
        held = safe.library(library)
        for name in names.split():
            value = held.get(name)
            if value is not None and _belongs(value, library):
                found[id(value)] = (library + "." + name, cost)
    return found


def _belongs(value: Any, library: str) -> bool:
    if safe.is_class(value):
        return is_librarys(value) or safe.module_of(value).partition(".")[0] == library
    library = library.partition(".")[0]
    if type(value) is types.FunctionType:
        code = value.__globals__.get("__name__")
        return type(code) is str and code.partition(".")[0] in (library, "numpy")
    return safe.module_of(type(value)).partition(".")[0] in (library, "builtins")


CHANGING_METHODS = {
    list: _words("append extend insert remove pop reverse sort clear"),
    dict: _words("update pop popitem setdefault clear"),
    set: _words("add update discard remove clear"),
}
"""Methods that change a container in place: done on a copy."""

MAKERS = frozenset("numpy." + name for name in _NUMPY_MAKERS.split()) | {"pandas.date_range", "range"}
