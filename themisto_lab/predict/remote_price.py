"""What a remote model's tokens cost, by litellm's price list."""

from __future__ import annotations

# The one import of litellm is there, with all that keeps it from the network and the logs.
from themisto_lab.predict.remote import load_litellm


def price_usd(model: str, prompt_tokens: int, completion_tokens: int) -> float | None:
    """Return the price of some tokens in US dollars; None where the model's price is not known.

    It imports litellm, which takes seconds: call it in a thread.
    """
    litellm = load_litellm()
    try:
        prices = litellm.cost_per_token(model=model, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
    except Exception:  # noqa: BLE001 - litellm raises bare ones for a model that it does not know
        return None
    return float(sum(prices))
