"""A real PostgreSQL server for tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text


def _postgres_programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    if found:
        return found[-1].parent
    program = shutil.which("initdb")
    return Path(program).resolve().parent if program else None


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """A PostgreSQL server of our own on a Unix socket, as a user without rights; gives the socket's folder."""
    programs = _postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL's server is not installed: apt-get install postgresql")
    # PostgreSQL refuses to run as root. The folder's path is short, for a socket's path may have 107 bytes.
    owner: dict[str, Any] = {"user": "nobody"} if os.geteuid() == 0 else {}
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    if owner:
        shutil.chown(folder, "nobody")
    common: dict[str, Any] = {"cwd": folder, "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **owner}
    data = str(folder / "data")
    try:
        initdb = [programs / "initdb", "-D", data, "-U", "themisto", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"]
        subprocess.run(initdb, check=True, **common)
        options = f"-c listen_addresses='' -k {folder} -c fsync=off"
        control = [programs / "pg_ctl", "-D", data, "-w"]
        started = [*control, "-o", options, "-l", str(folder / "log"), "start"]
        subprocess.run(started, check=True, **common)
        try:
            yield str(folder)
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], check=True, **common)
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of an empty PostgreSQL database."""
    name = f"t{uuid.uuid4().hex[:12]}"
    base = f"postgresql+psycopg://themisto@/{{}}?host={postgres_server}"
    admin = create_engine(base.format("postgres"), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield base.format(name).replace("+psycopg", "")
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()
