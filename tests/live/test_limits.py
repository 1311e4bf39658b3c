"""The hourly limit."""

import pytest

from themisto_lab.errors import RemoteLimitError
from themisto_lab.live.limits import HourlyLimit


def test_the_limit_holds_for_an_hour_and_then_lifts():
    now = 0.0
    limit = HourlyLimit(clock=lambda: now)
    limit.take(2)
    now = 10.0
    limit.take(2)
    with pytest.raises(RemoteLimitError, match="limit of 2 requests"):
        limit.take(2)
    now = 3600.0
    limit.take(2)  # the first one is an hour old
    with pytest.raises(RemoteLimitError):
        limit.take(2)


def test_a_limit_of_zero_refuses_all():
    with pytest.raises(RemoteLimitError):
        HourlyLimit().take(0)
