"""Addresses of stores."""

from __future__ import annotations

from pathlib import Path

import pytest
from jupyter_core.paths import jupyter_data_dir

from themisto_lab.errors import StoreError
from themisto_lab.store.location import default_store_path, locate


def test_the_default_is_in_jupyters_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("THEMISTO_STORE", raising=False)
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    assert jupyter_data_dir() == str(tmp_path)
    assert default_store_path() == tmp_path / "themisto_lab" / "store.sqlite"


def test_the_environment_says_another_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THEMISTO_STORE", "~/record.sqlite")
    assert default_store_path() == Path.home() / "record.sqlite"
    monkeypatch.setenv("THEMISTO_STORE", "postgresql://me@db/study")
    assert default_store_path() == "postgresql://me@db/study"


def test_paths_are_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for address in ("a b%20.sqlite", Path("a b%20.sqlite"), "sqlite:///a b%2520.sqlite"):
        location = locate(address)
        assert location.label in (str(tmp_path / "a b%20.sqlite"), str(tmp_path / "a b%2520.sqlite"))
        assert location.path == Path(location.label)
        assert not location.in_memory


@pytest.mark.parametrize("address", ["sqlite://", "sqlite:///:memory:"])
def test_memory(address: str) -> None:
    assert locate(address).in_memory
    assert locate(address).label == ":memory:"


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg2", "postgresql+psycopg"])
def test_postgres_is_reached_by_one_driver_and_hides_its_password(scheme: str) -> None:
    location = locate(f"{scheme}://me:pa55@db.example/study")
    assert location.url.drivername == "postgresql+psycopg"
    assert location.url.password == "pa55"
    assert location.label == "postgresql+psycopg://me:***@db.example/study"
    assert location.path is None
    assert not location.in_memory


@pytest.mark.parametrize("address", ["mysql://me:pa55@db/x", "://me:pa55@", "postgresql://me:pa55@db:port/x"])
def test_other_addresses_are_refused_without_their_password(address: str) -> None:
    with pytest.raises(StoreError) as caught:
        locate(address)
    assert "postgresql://" in str(caught.value)
    assert "pa55" not in str(caught.value)
