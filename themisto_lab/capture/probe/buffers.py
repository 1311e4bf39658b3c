"""Hashes of large buffers at the speed of memory, within a time.

A cryptographic hash reads 0.3 to 1 GB a second. Numpy's XOR reduction reads memory as fast as the machine does, so
rows of a buffer are folded to one word each, and only the words are hashed. Up to `_BOTH_WAYS_BYTES` the columns of
each block are folded as well, so that items that change places are seen; beyond it, two items that change places
within the same 32 KB are not.
"""

from __future__ import annotations

import hashlib
import sys
import time
from typing import Any

from . import safe

# Time that this thread worked: a machine that is busy with other things makes no value look changed. Windows counts it
# in steps that are too coarse.
clock = time.perf_counter if sys.platform == "win32" else time.thread_time

_PLAIN_BYTES = 1 << 16
_BOTH_WAYS_BYTES = 1 << 25
_BLOCK_BYTES = 1 << 20
_ROW_WORDS = 4096


class OutOfTimeError(Exception):
    """A value cannot be hashed in the time that is left."""


class Budget:
    """The time that the full hashes of one cell may take.

    Parameters
    ----------
    seconds
        How long.
    """

    # Bytes or items a second, as measured so far in this process; the first values are guesses.
    speeds: dict[str, float] = {"rows": 12e9, "both": 5e9, "hash": 5e8, "text": 1e9, "items": 6e6}  # noqa: RUF012 - shared on purpose

    def __init__(self, seconds: float) -> None:
        self.deadline = clock() + seconds

    def need(self, kind: str, amount: float) -> None:
        """Raise `OutOfTimeError` if work of a kind can't be done in the time that is left."""
        if clock() + amount / self.speeds[kind] > self.deadline:
            raise OutOfTimeError

    def learn(self, kind: str, amount: float, began: float) -> None:
        """Take in how fast work of a kind was; work too small to tell is left out."""
        took = clock() - began
        if took > 0.001:
            self.speeds[kind] = 0.7 * self.speeds[kind] + 0.3 * amount / took


def fold(data: Any, budget: Budget) -> bytes:
    """Hash a whole buffer.

    Parameters
    ----------
    data
        An exact ndarray without objects, or a memoryview, bytes or bytearray.
    budget
        The time; `OutOfTimeError` is raised where it does not suffice.

    Returns
    -------
    bytes
        A digest of its bytes; equal only if they are, but for what the module's text says.
    """
    numpy = safe.library("numpy")
    if type(data) is numpy.get("ndarray"):
        return _fold_array(data, budget, numpy)
    size = data.nbytes if type(data) is memoryview else len(data)
    if size > _PLAIN_BYTES and "frombuffer" in numpy:
        return _fold_words(numpy["frombuffer"](data, dtype=numpy["uint8"]), budget, numpy)
    return _plain(data, size, budget)


def _plain(data: Any, size: int, budget: Budget) -> bytes:
    budget.need("hash", size)
    began = clock()
    digest = hashlib.blake2b(data, digest_size=16).digest()
    budget.learn("hash", size, began)
    return digest


def _fold_array(array: Any, budget: Budget, numpy: dict[str, Any]) -> bytes:
    size = int(array.nbytes)
    if size <= _PLAIN_BYTES:
        return _plain(array.tobytes(), size, budget)
    if array.flags.c_contiguous:
        return _fold_words(array.reshape(-1).view(numpy["uint8"]), budget, numpy)
    if array.flags.f_contiguous:
        return _fold_words(array.T.reshape(-1).view(numpy["uint8"]), budget, numpy)
    # Data that lie apart are copied, a part at a time.
    budget.need("hash", size)
    rows = max(1, int(len(array) * _BLOCK_BYTES // size))
    state = hashlib.blake2b(digest_size=16)
    for start in range(0, len(array), rows):
        part = array[start : start + rows]
        budget.need("hash", part.nbytes)
        state.update(part.tobytes())
    return state.digest()


def _fold_words(octets: Any, budget: Budget, numpy: dict[str, Any]) -> bytes:
    size = len(octets)
    both = size <= _BOTH_WAYS_BYTES
    kind = "both" if both else "rows"
    budget.need(kind, size)
    began = clock()
    reduce = numpy["bitwise_xor"].reduce
    row_words = 256 if both else _ROW_WORDS
    n_words = size // 8 // row_words * row_words
    words = octets[: n_words * 8].view(numpy["uint64"])
    state = hashlib.blake2b(octets[n_words * 8 :].tobytes(), digest_size=16)
    step = _BLOCK_BYTES // 8
    for start in range(0, n_words, step):
        block = words[start : start + step].reshape(-1, row_words)
        state.update(reduce(block, axis=1).tobytes())
        if both:
            state.update(reduce(block, axis=0).tobytes())
        if clock() > budget.deadline:
            budget.learn(kind, start * 8, began)
            raise OutOfTimeError
    budget.learn(kind, size, began)
    return state.digest()
