"""Finds out what a kernel can tell, puts the probe into it, and asks the probe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from themisto_lab.capture.bundle import install_code
from themisto_lab.capture.kernels import KernelKind
from themisto_lab.capture.link import KernelLink
from themisto_lab.capture.looks import look_from
from themisto_lab.capture.namespace import variable_from
from themisto_lab.capture.probe.hooks import LOOK_REQUEST
from themisto_lab.types import Look, VariableSnapshot

_MAX_INSTALLS = 50


@dataclass(frozen=True, slots=True)
class KernelInfo:
    """What a kernel says of itself.

    Attributes
    ----------
    language
        Its language, in lower case.
    implementation
        What it calls itself; empty where it was not asked.
    is_ipython
        Whether the probe can work in it.
    """

    language: str
    implementation: str
    is_ipython: bool


async def ask_kernel(link: KernelLink, kernel: KernelKind) -> KernelInfo:
    """Ask a kernel what it is; not needed where its command says ipykernel, and that saves a round trip.

    Parameters
    ----------
    link
        Sockets to the kernel.
    kernel
        What its manager tells.

    Returns
    -------
    KernelInfo
        What the kernel says; the manager's word where it says nothing.
    """
    if kernel.is_ipykernel:
        return KernelInfo(kernel.language, "ipython", is_ipython=True)
    reply = await link.request("shell", "kernel_info_request", {})
    content: dict[str, Any] = reply["content"] if reply else {}
    language = str((content.get("language_info") or {}).get("name") or kernel.language).lower()
    implementation = str(content.get("implementation") or "")
    return KernelInfo(language, implementation, is_ipython=implementation == "ipython")


async def install_probe(link: KernelLink) -> bool:
    """Put the probe into a kernel with one silent execute; tell whether it ran.

    Parameters
    ----------
    link
        Sockets to an IPython kernel.

    Returns
    -------
    bool
        Whether the kernel ran it; the probe itself then tells that it is there.
    """
    content = {
        "code": install_code(),
        "silent": True,
        "store_history": False,
        "user_expressions": {},
        "allow_stdin": False,
        "stop_on_error": False,
    }
    for _ in range(_MAX_INSTALLS):
        reply = await link.request("shell", "execute_request", content)
        status = reply["content"].get("status") if reply else None
        if status != "aborted":
            return status == "ok"
        # It stood behind a cell that failed: the kernel drops what waits then.
    return False


async def look_at(link: KernelLink, names: list[str] | None, timeout_s: float) -> tuple[VariableSnapshot, ...] | None:
    """Ask the probe for variables as they are now, on the control channel.

    Parameters
    ----------
    link
        Sockets to the kernel.
    names
        Which variables; None for all.
    timeout_s
        How long to wait.

    Returns
    -------
    tuple of VariableSnapshot or None
        None when the kernel does not tell.
    """
    content = await _ask_probe(link, {"names": names, "secrets": False}, timeout_s)
    return None if content is None else tuple(variable_from(entry) for entry in content["variables"])


async def look_closely_at(link: KernelLink, code: str, timeout_s: float) -> Look | None:
    """Ask the probe for what a cell's code touches, on the control channel, before the cell is run.

    Parameters
    ----------
    link
        Sockets to the kernel.
    code
        The cell's source.
    timeout_s
        How long to wait.

    Returns
    -------
    Look or None
        None when the kernel does not tell.
    """
    content = await _ask_probe(link, {"names": [], "secrets": False, "code": code}, timeout_s)
    return None if content is None or "values" not in content else look_from(content)


async def ask_for_secrets(link: KernelLink, timeout_s: float) -> list[str] | None:
    """Ask the probe for the values that it found to be secret; they go into memory and nowhere else.

    Parameters
    ----------
    link
        Sockets to the kernel.
    timeout_s
        How long to wait.

    Returns
    -------
    list of str or None
        None when the kernel does not tell.
    """
    content = await _ask_probe(link, {"names": [], "secrets": True}, timeout_s)
    return None if content is None else [str(value) for value in content["secrets"]]


async def _ask_probe(link: KernelLink, question: dict[str, Any], timeout_s: float) -> dict[str, Any] | None:
    reply = await link.request("control", LOOK_REQUEST, question, timeout_s)
    if reply is None or reply["content"].get("status") != "ok":
        return None
    content: dict[str, Any] = reply["content"]
    return content
