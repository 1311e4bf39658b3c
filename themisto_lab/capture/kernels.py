"""What kind of kernel a manager has, and what a person is told of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from themisto_lab.capture.listener import Capability


@dataclass(frozen=True, slots=True)
class KernelKind:
    """What a kernel's manager tells without asking the kernel.

    Attributes
    ----------
    name
        The name of its spec.
    display_name
        The name that people see.
    language
        Its language, in lower case.
    pid
        Its process; None where it is not on this machine.
    is_ipykernel
        Whether its command starts ipykernel, so that the probe can go in at once.
    has_sockets
        Whether its ports can be reached from here; a gateway's kernel has none.
    """

    name: str
    display_name: str
    language: str
    pid: int | None
    is_ipykernel: bool
    has_sockets: bool


def describe_kernel(kernel_manager: Any) -> KernelKind:
    """Describe a manager's kernel.

    Parameters
    ----------
    kernel_manager
        A jupyter_client manager of one kernel.

    Returns
    -------
    KernelKind
        Names are empty and the language is ``python`` where the spec is gone.
    """
    name = str(kernel_manager.kernel_name or "")
    has_sockets = getattr(kernel_manager, "provisioner", None) is not None
    try:
        # A gateway's specs are asked over the network, and its kernels are not read anyway.
        spec = kernel_manager.kernel_spec if has_sockets else None
    except Exception:  # noqa: BLE001 - a spec that was removed while its kernel runs; the rest goes on
        spec = None
    language = str(getattr(spec, "language", "") or "python").lower()
    argv = [str(part) for part in getattr(spec, "argv", ())]
    return KernelKind(
        name=name,
        display_name=str(getattr(spec, "display_name", "") or name),
        language=language,
        pid=_local_pid(kernel_manager),
        has_sockets=has_sockets,
        is_ipykernel=language == "python" and any(part.startswith("ipykernel") for part in argv),
    )


def note_for(kernel: KernelKind, capability: Capability, *, language: str, implementation: str) -> str:
    """Return one sentence on what can't be had from a kernel; empty where all can.

    Parameters
    ----------
    kernel
        The kernel.
    capability
        ``full`` or ``no_variables``.
    language
        The language that the kernel itself names.
    implementation
        What the kernel calls itself.

    Returns
    -------
    str
        A sentence for a person.
    """
    if not kernel.has_sockets:
        return "This kernel runs behind a gateway: its runs can't be recorded from here."
    what = "code, outputs and variables are used" if capability == "full" else "code and outputs are used"
    if kernel.pid is None:
        return f"This kernel runs on another machine; {what}."
    if capability == "full":
        return ""
    called = language if language != "python" else implementation or kernel.display_name
    called = called[:1].upper() + called[1:]
    return f"This kernel ({called}) shows no variables; {what}."


def _local_pid(kernel_manager: Any) -> int | None:
    pid = getattr(getattr(kernel_manager, "provisioner", None), "pid", None)
    return pid if isinstance(pid, int) else None
