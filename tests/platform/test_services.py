"""The servers that tests use start, answer, and are gone afterwards."""

import psycopg
import pytest
import redis

from scripts import services


@pytest.mark.postgres
def test_postgres_answers_on_its_socket_and_leaves_nothing() -> None:
    with services.Postgres() as server:
        with psycopg.connect(server.url) as connection:
            assert connection.execute("select 6 * 7").fetchone() == (42,)
        process, folder = server.process, server.folder
    assert process is not None and process.poll() is not None
    assert not folder.exists()


def test_valkey_answers_on_its_socket_and_leaves_nothing() -> None:
    with services.Valkey() as server:
        assert redis.Redis(unix_socket_path=str(server.socket)).ping()
        process, folder = server.process, server.folder
    assert process is not None and process.poll() is not None
    assert not folder.exists()


def test_a_path_too_long_for_a_socket_is_avoided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services.tempfile, "gettempdir", lambda: "/var/folders/" + "x" * 80)
    assert services._short_tmp() == "/tmp"


def test_missing_postgres_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr(services.shutil, "which", lambda name: None)
    monkeypatch.setattr(services.sysconfig, "get_path", lambda name: str(tmp_path))
    monkeypatch.setattr(services.Path, "glob", lambda self, pattern: iter(()))
    with pytest.raises(services.UnavailableError, match="no initdb was found"):
        services.postgres_bin()
