"""What handlers call: the live driver and what is behind it, wired once by the server extension."""

from __future__ import annotations

from dataclasses import dataclass

from themisto_lab.live.driver import LiveDriver
from themisto_lab.live.owner import Owner
from themisto_lab.services.pulls import Pulls


@dataclass(frozen=True, slots=True)
class ServerContext:
    """One object in the server's settings under the key ``themisto``.

    Attributes
    ----------
    driver
        The live driver with its store and registry.
    owner
        What the owner of the record decides.
    pulls
        The model downloads under way.
    """

    driver: LiveDriver
    owner: Owner
    pulls: Pulls
