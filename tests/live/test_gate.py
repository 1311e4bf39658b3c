"""The turnstile before a model."""

import asyncio

import pytest

from themisto_lab.live.gate import Gate


async def test_shown_goes_before_shadows_and_one_at_a_time():
    gate = Gate()
    order = []
    inside = 0

    async def enter(name, rank):
        nonlocal inside
        async with gate.turn(rank):
            inside += 1
            assert inside == 1
            order.append(name)
            await asyncio.sleep(0)
            inside -= 1

    async with gate.turn(0):
        waiting = [
            asyncio.create_task(enter(name, rank)) for name, rank in (("shadow", 1), ("shadow 2", 1), ("shown", 0))
        ]
        await asyncio.sleep(0)
    await asyncio.gather(*waiting)
    assert order == ["shown", "shadow", "shadow 2"]


async def test_one_that_leaves_the_line_does_not_block_it():
    gate = Gate()
    async with gate.turn(0):
        leaver = asyncio.create_task(_hold(gate))
        stayer = asyncio.create_task(_hold(gate))
        await asyncio.sleep(0)
        leaver.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaver
    await asyncio.wait_for(stayer, 1)


async def test_one_cancelled_in_the_moment_of_its_turn_passes_it_on():
    gate = Gate()
    async with gate.turn(0):
        first = asyncio.create_task(_hold(gate))
        second = asyncio.create_task(_hold(gate))
        await asyncio.sleep(0)
    first.cancel()  # its turn has come, but it did not run yet
    await asyncio.wait_for(second, 1)
    async with asyncio.timeout(1):
        async with gate.turn(1):
            pass


async def _hold(gate):
    async with gate.turn(0):
        await asyncio.sleep(0)
