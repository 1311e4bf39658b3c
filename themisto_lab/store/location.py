"""Where the record is kept, and what an address of a store means."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from jupyter_core.paths import jupyter_data_dir
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from themisto_lab.errors import StoreError

ENVIRONMENT_VARIABLE = "THEMISTO_STORE"


def default_store_path() -> Path | str:
    """Return where the record is kept when nothing else is said.

    Returns
    -------
    pathlib.Path or str
        ``themisto_lab/store.sqlite`` in Jupyter's data folder; or what the environment variable
        ``THEMISTO_STORE`` says, which may be a path or a database's URL (then a str).
    """
    chosen = os.environ.get(ENVIRONMENT_VARIABLE, "").strip()
    if chosen:
        return chosen if "://" in chosen else Path(chosen).expanduser()
    return Path(jupyter_data_dir()) / "themisto_lab" / "store.sqlite"


@dataclass(frozen=True, slots=True)
class Location:
    """A store's address, understood.

    Attributes
    ----------
    url
        For SQLAlchemy.
    path
        The file; None for a server's database and for one in memory.
    label
        What a person may be shown: the path, or the URL without its password.
    """

    url: URL
    path: Path | None
    label: str

    @property
    def in_memory(self) -> bool:
        """Whether nothing is ever written to a disk."""
        return self.url.get_backend_name() == "sqlite" and self.path is None


def locate(url_or_path: str | Path) -> Location:
    """Understand an address.

    Parameters
    ----------
    url_or_path
        A file's path, ``sqlite:///...`` or ``postgresql://...``.

    Raises
    ------
    StoreError
        When the URL can't be read or names another kind of database.
    """
    if isinstance(url_or_path, Path) or "://" not in url_or_path:
        path = Path(url_or_path).expanduser().absolute()
        return Location(URL.create("sqlite", database=str(path)), path, str(path))
    try:
        url = make_url(url_or_path)
        backend = url.drivername.partition("+")[0]
    except (ArgumentError, ValueError):
        # The text may hold a password, so it is not repeated.
        raise StoreError("The store's URL can't be read; use postgresql://user@host/database.") from None
    if backend in ("postgres", "postgresql"):
        url = url.set(drivername="postgresql+psycopg")
        return Location(url, None, url.render_as_string(hide_password=True))
    if backend == "sqlite":
        return _locate_sqlite(url.set(drivername="sqlite"))
    raise StoreError(f"The store can't be kept in {backend!r}; use a file's path or a postgresql:// URL.")


def _locate_sqlite(url: URL) -> Location:
    database = url.database or ""
    if database in ("", ":memory:"):
        return Location(URL.create("sqlite"), None, ":memory:")
    # A file: address carries SQLite's own options after the path.
    path = Path(database.removeprefix("file:")).expanduser().absolute()
    if not database.startswith("file:"):
        url = url.set(database=str(path))
    return Location(url, path, str(path))
