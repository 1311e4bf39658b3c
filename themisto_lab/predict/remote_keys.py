"""Which providers of remote models are known by name, and where each one's key comes from.

This is a small table of our own so that an unknown name, or a missing key, is noticed without importing litellm.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from types import MappingProxyType

REMOTE_PROVIDERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "ai21": ("AI21_API_KEY",),
        "anthropic": ("ANTHROPIC_API_KEY",),
        "azure": ("AZURE_API_KEY", "AZURE_AD_TOKEN", "AZURE_CLIENT_SECRET"),
        "azure_ai": ("AZURE_AI_API_KEY",),
        "bedrock": (),
        "cerebras": ("CEREBRAS_API_KEY",),
        "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
        "databricks": ("DATABRICKS_API_KEY", "DATABRICKS_TOKEN", "DATABRICKS_CLIENT_SECRET"),
        "deepinfra": ("DEEPINFRA_API_KEY",),
        "deepseek": ("DEEPSEEK_API_KEY",),
        "fireworks_ai": ("FIREWORKS_AI_API_KEY", "FIREWORKS_API_KEY"),
        "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "groq": ("GROQ_API_KEY",),
        "hosted_vllm": (),
        "huggingface": ("HF_TOKEN", "HUGGINGFACE_API_KEY"),
        "litellm_proxy": (),
        "llamafile": (),
        "lm_studio": (),
        "mistral": ("MISTRAL_API_KEY",),
        "moonshot": ("MOONSHOT_API_KEY",),
        "nebius": ("NEBIUS_API_KEY",),
        "nvidia_nim": ("NVIDIA_NIM_API_KEY",),
        "ollama": (),
        "ollama_chat": (),
        "openai": ("OPENAI_API_KEY",),
        "openrouter": ("OPENROUTER_API_KEY", "OR_API_KEY"),
        "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
        "replicate": ("REPLICATE_API_KEY", "REPLICATE_API_TOKEN"),
        "sagemaker": (),
        "sambanova": ("SAMBANOVA_API_KEY",),
        "together_ai": ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY"),
        "vertex_ai": (),
        "watsonx": ("WATSONX_API_KEY", "WATSONX_APIKEY", "WATSONX_TOKEN", "WATSONX_ZENAPIKEY"),
        "xai": ("XAI_API_KEY",),
    }
)
"""Providers, and the environment variables of which one must hold the key; none where a key is optional or the
provider's own library looks for credentials elsewhere."""


def key_variable(provider: str) -> str:
    """Return the environment variable to name to a person."""
    variables = REMOTE_PROVIDERS.get(provider, ())
    return variables[0] if variables else f"{provider.upper()}_API_KEY"


def has_key(provider: str, configured: str | None) -> bool:
    """Tell whether a provider's key is configured or in the environment, or is not needed."""
    variables = REMOTE_PROVIDERS.get(provider, ())
    return not variables or bool(configured) or any(os.environ.get(name) for name in variables)


def key_fingerprint(provider: str, configured: str | None) -> str:
    """Return a hash of the provider's keys as they are now, to notice when one was changed."""
    values = [configured or "", *(os.environ.get(name, "") for name in REMOTE_PROVIDERS.get(provider, ()))]
    return hashlib.sha256("\0".join(values).encode()).hexdigest()
