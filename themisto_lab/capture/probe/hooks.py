"""IPython's callbacks: one message when a run begins, one with the namespace once the kernel has answered.

Nothing here raises into the user's cell, prints, or touches the user's namespace, history or counter.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from . import safe
from .buffers import clock
from .changes import named_in
from .idle import call_when_idle, interrupt_again
from .ledger import LOOK_S, MAX_SUMMARIES_CHARS, Entry, Ledger
from .look import look_closely
from .memory import memory
from .plugins import summary_of
from .secrets import environment_secrets
from .values import Reader, Summary

RUN_MESSAGE = "themisto_run"
SNAPSHOT_MESSAGE = "themisto_snapshot"
LOOK_REQUEST = "themisto_look_request"
LOOK_REPLY = "themisto_look_reply"

_HIDDEN = frozenset(["In", "Out", "exit", "quit", "get_ipython", "open"])
_MAX_VARIABLES = 1000
_MAX_SKIPPED = 50
_MAX_NAME_CHARS = 200
_LOOK_AT_ALL_S = 0.120
"""The longest look where no cell waits for it: at the install, and when all is asked for."""


class Probe:
    """What is installed in a kernel.

    Parameters
    ----------
    shell
        IPython's shell, with the kernel that it runs in.
    """

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.kernel = shell.kernel
        self.ledger = Ledger()
        self.private: set[str] = set()
        self.secrets: set[str] = set()
        # A random word, new whenever `secrets` grew; empty while there are none.
        self.secrets_version = ""
        self.described_version = ""
        self.environment: dict[Any, Any] = {}
        self.sequence = 0
        # Runs after which the namespace is still to be told: info, count, request. More than one with subshells only.
        self.untold: list[tuple[Any, Any, Any]] = []
        self.telling = threading.Lock()

    def install(self) -> None:
        """Register with IPython and the control channel, and tell the present state."""
        for event, callback in self._callbacks():
            self.shell.events.register(event, callback)
        self.kernel.control_handlers[LOOK_REQUEST] = self.answer_look
        # Tells what is there already, and completes a run that ended while this was on its way.
        last = getattr(self.shell, "last_execution_result", None)
        info = getattr(last, "info", None)
        self._push(info, getattr(last, "execution_count", None), self.kernel.get_parent("shell"), _LOOK_AT_ALL_S)

    def remove(self) -> None:
        """Unregister, so that a second install doubles nothing."""
        for event, callback in self._callbacks():
            try:
                self.shell.events.unregister(event, callback)
            except ValueError:
                continue

    def _callbacks(self) -> tuple[tuple[str, Callable[..., None]], ...]:
        return (
            ("pre_execute", self.before_code),
            ("pre_run_cell", self.before_run),
            ("post_run_cell", self.after_run),
        )

    def before_code(self) -> None:
        """Tell what the last run left before any code changes it: IPython's ``pre_execute``."""
        try:
            if self.untold and self.tell():
                interrupt_again()
        except KeyboardInterrupt:
            interrupt_again()

    def before_run(self, info: Any) -> None:
        """Tell that a run begins: IPython's ``pre_run_cell``."""
        parent = None
        try:
            parent = self.kernel.get_parent("shell")
            if not _is_own_run(parent, info):
                return
            content = {
                "execution_count": self.shell.execution_count - (1 if info.store_history else 0),
                "cell_id": _text_or_none(info.cell_id),
                "store_history": bool(info.store_history),
            }
            self._send(RUN_MESSAGE, content, parent)
            user_ns = self.shell.user_ns
            self.ledger.take_baseline(named_in(info.raw_cell, user_ns), user_ns)
        except KeyboardInterrupt:
            interrupt_again()
        except Exception as error:  # noqa: BLE001 - a fault of ours never reaches the user's cell
            self._report(error, parent)

    def after_run(self, result: Any) -> None:
        """Have the namespace told once the kernel has answered: IPython's ``post_run_cell``."""
        parent = None
        for _ in range(2):
            try:
                info = getattr(result, "info", None)
                parent = self.kernel.get_parent("shell")
                if _is_own_run(parent, info):
                    self.untold.append((info, getattr(result, "execution_count", None), parent))
                    if not call_when_idle(self.kernel, self.tell):
                        self.tell()
            except KeyboardInterrupt:
                # The run is over: there is nothing left to interrupt, and its state is told all the same.
                continue
            except Exception as error:  # noqa: BLE001 - a fault of ours never reaches the user's cell
                self._report(error, parent)
            return

    def tell(self) -> bool:
        """Tell the namespace after runs where that is still to be done; return whether an interrupt came meanwhile."""
        interrupted = False
        with self.telling:
            while self.untold:
                info, execution_count, parent = self.untold[0]
                try:
                    self._push(info, execution_count, parent)
                except KeyboardInterrupt:
                    if not interrupted:
                        interrupted = True
                        continue
                except Exception as error:  # noqa: BLE001 - a fault of ours never reaches the user's cell
                    self._report(error, parent)
                del self.untold[0]
        return interrupted

    def answer_look(self, stream: Any, ident: Any, parent: dict[str, Any]) -> None:
        """Answer a look at named variables on the control channel, also while a cell runs.

        Parameters
        ----------
        stream, ident, parent
            As ipykernel passes them to a handler.
        """
        content: dict[str, Any] = {"status": "ok"}
        try:
            asked = parent["content"]
            if type(asked.get("code")) is str:
                self._learn_environment()
                content.update(look_closely(self.shell, asked["code"], self.secrets))
            names = asked.get("names")
            wanted = None if names is None else set(names)
            reader = Reader(self.secrets)
            namespace = self._namespace()
            chosen = [(n, v) for n, v in namespace if wanted is None or n in wanted]
            entries = _described(reader, chosen[-_MAX_VARIABLES:], clock() + _LOOK_AT_ALL_S)
            content["variables"] = entries
            content["secrets"] = sorted(self.secrets | reader.found) if asked.get("secrets") else []
        except Exception as error:  # noqa: BLE001 - the answer says what went wrong
            content = {"status": "error", "error": type(error).__name__}
        self.kernel.session.send(stream, LOOK_REPLY, content, parent, ident=ident)

    def _namespace(self) -> list[tuple[str, object]]:
        """Return the user's own variables: no private names, modules or names of IPython's."""
        hidden = self.shell.user_ns_hidden
        seen = self.ledger.seen
        missing = object()
        found: list[tuple[str, object]] = []
        user_ns, private = self.shell.user_ns, self.private
        # IPython's own `_12` and `_i12` grow by two with each cell: they are passed over as quickly as can be.
        for name in [name for name in list(user_ns) if type(name) is str and name not in private]:
            if name[:1] == "_":
                private.add(name)
                continue
            value = user_ns.get(name, missing)
            before = seen.get(name)
            if (before is not None and before.kept is value) or (
                value is not missing
                and name not in _HIDDEN
                and len(name) <= _MAX_NAME_CHARS
                and hidden.get(name, missing) is not value
                and not safe.is_module(value)
            ):
                found.append((name, value))
        return found

    def _push(self, info: Any, execution_count: Any, parent: Any, limit_s: float = LOOK_S) -> None:
        """Send what differs from the last message, and everything in the first."""
        # A full garbage collection takes long where there are millions of objects; no look of ours sets one off, nor
        # do finalizers of the user's run in the midst of it.
        collects = gc.isenabled()
        gc.disable()
        try:
            self._push_now(info, execution_count, parent, limit_s)
        finally:
            if collects:
                gc.enable()

    def _push_now(self, info: Any, execution_count: Any, parent: Any, limit_s: float) -> None:
        began = time.perf_counter()
        namespace = self._namespace()
        code = _text_or_none(getattr(info, "raw_cell", None)) or ""
        named = named_in(code, self.shell.user_ns)
        # With too many variables, those of this cell and the newest ones are told.
        kept = namespace
        if len(kept) > _MAX_VARIABLES:
            newest = len(kept) - _MAX_VARIABLES
            kept = [item for i, item in enumerate(kept) if i >= newest or item[0] in named]
        self._learn_environment()
        # A new secret may stand in any summary that was told before.
        again = self.secrets_version != self.described_version
        self.described_version = self.secrets_version
        reader = Reader(self.secrets)
        found = self.ledger.look(
            kept, named, lambda name, value: summary_of(reader, name, value), again=again, limit_s=limit_s
        )
        self._learn(reader.found)
        content: dict[str, Any] = {
            "sequence": self.sequence,
            "execution_count": execution_count if type(execution_count) is int else None,
            "cell_id": _text_or_none(getattr(info, "cell_id", None)),
            "store_history": bool(getattr(info, "store_history", False)),
            "variables": found["variables"],
            "removed": found["removed"],
            "n_variables": len(kept),
            "omitted": len(namespace) - len(kept),
            "changed": found["changed"],
            "hash_index": self.ledger.hash_index,
            "secrets_version": self.secrets_version,
            **memory(),
        }
        self.sequence += 1
        content["receipt"] = {
            "cost_ms": round((time.perf_counter() - began) * 1000, 3),
            "skipped": dict(list(self.ledger.skipped.items())[:_MAX_SKIPPED]),
            "out_of_time": found["out_of_time"],
        }
        self._send(SNAPSHOT_MESSAGE, content, parent)

    def _learn_environment(self) -> None:
        environment: Any = os.environ
        now = getattr(environment, "_data", None) if type(environment) is os._Environ else None
        if type(now) is dict and now != self.environment:
            self.environment = dict(now)
            self._learn(environment_secrets(list(environment.items())))

    def _learn(self, found: set[str]) -> None:
        if not found <= self.secrets and len(self.secrets) < 500:
            self.secrets |= found
            self.secrets_version = os.urandom(8).hex()

    def _report(self, error: BaseException, parent: Any) -> None:
        """Tell the server the error's class: all that is ever told of a fault of ours."""
        try:
            self._send(SNAPSHOT_MESSAGE, {"error": type(error).__name__}, parent)
        except Exception:  # noqa: BLE001 - there is no other way to tell
            return

    def _send(self, kind: str, content: dict[str, Any], parent: Any) -> None:
        kernel = self.kernel
        kernel.session.send(kernel.iopub_socket, kind, content, parent=parent, ident=kernel._topic(kind))


def install(shell: Any) -> None:
    """Put the probe into a kernel, in place of one that is there.

    Parameters
    ----------
    shell
        IPython's shell.
    """
    before = getattr(shell, "_themisto_lab_probe", None)
    if before is not None:
        before.remove()
    probe = Probe(shell)
    shell._themisto_lab_probe = probe
    probe.install()


def _described(reader: Reader, items: Iterable[tuple[str, object]], deadline: float) -> list[Entry]:
    """Describe variables anew, within a time and a total length."""
    entries: list[Entry] = []
    chars_left = MAX_SUMMARIES_CHARS
    for name, value in items:
        summary = Summary(None, None, None, "")
        if clock() < deadline and chars_left > 0:
            summary, _ = summary_of(reader, name, value)
        chars_left -= len(summary.text)
        entries.append([name, safe.type_name(type(value)), *summary])
    return entries


def _is_own_run(parent: Any, info: Any) -> bool:
    """Tell whether a callback is for the request itself, not for a ``run_cell`` that the user's code calls."""
    code = parent["content"].get("code")
    raw = getattr(info, "raw_cell", None)
    return type(code) is str and type(raw) is str and code == raw


def _text_or_none(value: object) -> str | None:
    return str(value) if type(value) is str else None
