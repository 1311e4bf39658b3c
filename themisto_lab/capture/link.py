"""Our own sockets to one kernel: what it publishes comes in, our few requests go out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import zmq
import zmq.asyncio

Message = dict[str, Any]
Logger = logging.Logger | logging.LoggerAdapter[Any]

# A kernel that starts is connected to within this time of opening its ports, long before it reads its first
# request; with ZeroMQ's 100 ms another client's cell could come first.
_RECONNECT_MS = 10
_MAX_QUEUED_MESSAGES = 20_000


class KernelLink:
    """A client of one kernel process, with an IOPub, a shell and a control socket.

    Parameters
    ----------
    kernel_manager
        Jupyter's manager of the kernel; tells addresses and the signing key.
    on_message
        Called with each IOPub message, in order.
    on_disconnect
        Called when the kernel's end of the IOPub socket is gone.
    log
        Where faults are told, by their class.
    """

    def __init__(
        self,
        kernel_manager: Any,
        on_message: Callable[[Message], None],
        on_disconnect: Callable[[], None],
        log: Logger,
    ) -> None:
        self._on_message = on_message
        self._on_disconnect = on_disconnect
        self._log = log
        self._context = zmq.asyncio.Context()
        self._context.setsockopt(zmq.RECONNECT_IVL, _RECONNECT_MS)
        self._context.setsockopt(zmq.RCVHWM, _MAX_QUEUED_MESSAGES)
        client = kernel_manager.client(context=self._context)
        self._session = client.session
        # A clone shares its id with the manager's other clients; a kernel answers one client per id.
        self._session.session = uuid4().hex
        self._iopub = client.connect_iopub()
        self._monitor = self._iopub.get_monitor_socket(zmq.Event.DISCONNECTED)
        self._shell = client.connect_shell(identity=self._session.bsession)
        self._control = client.connect_control(identity=self._session.bsession)
        self._waiting: dict[str, asyncio.Future[Message]] = {}
        self._reader: asyncio.Task[None] | None = None
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to read."""
        self._reader = asyncio.create_task(self._read_iopub())
        self._tasks = [
            asyncio.create_task(self._read_replies(self._shell)),
            asyncio.create_task(self._read_replies(self._control)),
            asyncio.create_task(self._watch()),
        ]

    async def request(
        self, channel: str, kind: str, content: Message, timeout_s: float | None = None
    ) -> Message | None:
        """Send a request and wait for its reply.

        Parameters
        ----------
        channel
            ``shell`` or ``control``.
        kind
            The message's type.
        content
            Its content.
        timeout_s
            How long to wait; None waits as long as the link is open.

        Returns
        -------
        dict or None
            The reply; None when none came in time or the link was closed.
        """
        socket = self._shell if channel == "shell" else self._control
        message = self._session.msg(kind, content)
        reply: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        message_id = message["header"]["msg_id"]
        self._waiting[message_id] = reply
        try:
            # The session signs and frames; the frames are sent without waiting for the peer.
            await self._send(socket, message)
            return await asyncio.wait_for(reply, timeout_s)
        except (TimeoutError, ConnectionError, zmq.ZMQError):
            return None
        finally:
            self._waiting.pop(message_id, None)

    async def drain(self) -> None:
        """Read what has arrived and is not read yet, then stop reading: the kernel is gone."""
        if self._reader is None:
            return
        reader, self._reader = self._reader, None
        await _cancel(reader)
        while not self._iopub.closed and await self._iopub.poll(timeout=0):
            self._take(await self._iopub.recv_multipart())

    async def close(self) -> None:
        """Close the sockets; requests that wait get None."""
        if self._iopub.closed:
            return
        for task in [*self._tasks, *([self._reader] if self._reader else [])]:
            await _cancel(task)
        self._reader, self._tasks = None, []
        for reply in self._waiting.values():
            if not reply.done():
                reply.set_exception(ConnectionError("the kernel is gone"))
        self._iopub.disable_monitor()
        for socket in (self._iopub, self._monitor, self._shell, self._control):
            socket.close(linger=0)
        self._context.term()

    async def _send(self, socket: Any, message: Message) -> None:
        to_send = self._session.serialize(message)
        await socket.send_multipart(to_send, copy=True)

    async def _read_iopub(self) -> None:
        while True:
            self._take(await self._iopub.recv_multipart())

    def _take(self, frames: list[bytes]) -> None:
        message = self._parse(frames)
        if message is None:
            return
        try:
            self._on_message(message)
        except Exception as error:  # noqa: BLE001 - one odd message does not end the recording
            self._log.warning("A kernel message could not be recorded: %s", type(error).__name__)

    async def _read_replies(self, socket: Any) -> None:
        while True:
            message = self._parse(await socket.recv_multipart())
            if message is None:
                continue
            waiting = self._waiting.get(message["parent_header"].get("msg_id", ""))
            if waiting is not None and not waiting.done():
                waiting.set_result(message)

    def _parse(self, frames: list[bytes]) -> Message | None:
        try:
            _, frames = self._session.feed_identities(frames)
            message: Message = self._session.deserialize(frames)
        except (ValueError, TypeError, KeyError) as error:
            # A wrong signature, or not a Jupyter message (iopub_welcome of another protocol).
            self._log.debug("A kernel message could not be read: %s", type(error).__name__)
            return None
        return message

    async def _watch(self) -> None:
        while True:
            await self._monitor.recv_multipart()
            self._on_disconnect()


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        return
    except zmq.ZMQError:
        return
