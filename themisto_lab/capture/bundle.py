"""The one silent execute that puts the probe into a kernel."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from themisto_lab.capture.extensions import summary_plugins

PROBE_MODULE = "_themisto_lab_probe"
"""The package's name in the kernel's ``sys.modules``."""

# In the order of their imports.
_PARTS = (
    "secrets",
    "safe",
    "scalars",
    "records",
    "values",
    "science",
    "arrays",
    "buffers",
    "pieces",
    "sample",
    "whole",
    "glance",
    "changes",
    "ledger",
    "memory",
    "plugins",
    "look_rules",
    "look_trust",
    "look_wrappers",
    "look_limits",
    "look_operators",
    "look_reads",
    "look_calls",
    "look_loops",
    "look_changes",
    "look_eval",
    "look_text",
    "look_shell",
    "look",
    "idle",
    "hooks",
)

# Runs with a namespace of its own. Whatever fails in it is told by its class and never raised, so that a
# fault here shows no traceback and leaves `sys.last_value` alone; a kernel that is not ipykernel stays silent.
_INSTALLER = """
def _install(package_name, parts, plugins):
    import sys, types
    from IPython import get_ipython
    shell = get_ipython()
    package = types.ModuleType(package_name)
    package.__path__ = []
    package.__package__ = package_name
    sys.modules[package_name] = package
    for name, source in parts:
        full_name = package_name + "." + name
        module = types.ModuleType(full_name)
        module.__package__ = package_name
        sys.modules[full_name] = module
        setattr(package, name, module)
        exec(compile(source, "<" + full_name + ">", "exec"), module.__dict__)
    package.plugins.load(package_name, plugins)
    package.hooks.install(shell)
try:
    _install(PACKAGE_NAME, PARTS, PLUGINS)
except Exception as error:
    try:
        from IPython import get_ipython
        kernel = get_ipython().kernel
        content = {"error": type(error).__name__}
        kernel.session.send(kernel.iopub_socket, "themisto_snapshot", content, parent=kernel.get_parent("shell"))
    except Exception:
        pass
"""


@lru_cache(maxsize=1)
def install_code() -> str:
    """Return the code that installs the probe.

    Returns
    -------
    str
        One expression: it binds no name in the user's namespace and has no value that would be shown.
    """
    folder = files("themisto_lab.capture.probe")
    parts = [(name, folder.joinpath(name + ".py").read_text(encoding="utf-8")) for name in _PARTS]
    plugins = summary_plugins()
    namespace = (
        f"{{'PACKAGE_NAME': {PROBE_MODULE!r}, 'PARTS': {parts!r}, 'PLUGINS': {plugins!r}, "
        f"'__name__': {PROBE_MODULE!r}}}"
    )
    return f"__import__('builtins').exec({_INSTALLER!r}, {namespace})"
