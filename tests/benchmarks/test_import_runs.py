"""Results of other tools as runs: from the shell and from the page, labelled, comparable, never published."""

import ast
import io
import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.utils import timezone

from benchmarks import foreignwords, importing, publishing
from benchmarks.foreign import ForeignError, tools
from benchmarks.foreign.reading import LIMIT_BYTES
from benchmarks.models import BenchmarkRun
from calculator.models import Figure
from tests.benchmarks import runfactory as runs
from tests.benchmarks.test_import_reading import AIPERF, GUIDELLM, LLAMA, VLLM
from tests.benchmarks.worksite import Site

pytestmark = pytest.mark.django_db
FILES = {"vllm": VLLM, "guidellm": GUIDELLM, "aiperf": AIPERF, "llama": LLAMA}


@pytest.fixture
def operator(client: Client) -> User:
    user = runs.operator()
    client.force_login(user)
    return user


def imported(document: object = VLLM, **options: str) -> BenchmarkRun:
    (run,) = importing.import_bytes(json.dumps(document).encode(), "result.json", None, **options)
    run.refresh_from_db()
    return run


def upload(client: Client, raw: bytes, language: str = "fr", **values: str) -> "object":
    return client.post(f"/{language}/runs/import", {"file": SimpleUploadedFile("r.json", raw), **values})


def test_an_imported_run_is_labelled_by_tool_version_and_definition() -> None:
    run = imported(tool_version="0.14.2")
    assert (run.origin, run.import_tool, run.import_tool_version) == ("imported", "vllm bench serve", "0.14.2")
    assert (run.import_definition, run.import_file_name) == ("vllm-bench-serve", "result.json")
    assert (run.status, run.prompt_tokens, run.output_tokens, run.requests_count) == ("succeeded", 128, 64, 198)
    assert not run.flag_random_weights
    step = run.steps.get()
    assert (step.concurrency, step.output_tok_per_s, step.measured_count) == (16, 316.8, 200)


def test_the_version_in_the_file_is_believed_before_the_one_that_is_typed() -> None:
    assert imported(GUIDELLM, tool_version="9.9").import_tool_version == "0.8.1"


@pytest.mark.parametrize("name", FILES)
def test_each_format_becomes_runs_that_their_page_shows(client: Client, operator: User, name: str) -> None:
    run = imported(FILES[name])
    for language in ("fr", "en"):
        text = client.get(f"/{language}/runs/{run.code}").content.decode()
        assert run.import_tool in text and 'id="definition"' in text
        assert "Publier ce résultat" not in text and "Publish this result" not in text
    assert client.get(f"/fr/runs/{run.code}.json").status_code == 200


def test_our_own_definition_does_not_stand_under_foreign_figures(client: Client, operator: User) -> None:
    text = client.get(f"/fr/runs/{imported(GUIDELLM).code}").content.decode()
    assert "son propre TPOT contient le TTFT" in text
    assert "Débit\u00a0: tokens de sortie reçus pendant que tous les flux" not in text


def test_lengths_that_the_file_does_not_say_are_unknown_not_zero(client: Client, operator: User) -> None:
    run = imported({**VLLM, "total_input_tokens": None, "total_output_tokens": None})
    text = client.get(f"/fr/runs/{run.code}").content.decode()
    assert "prompt inconnu, réponse inconnu" in text


def test_an_imported_result_never_becomes_a_figure() -> None:
    run = imported()
    with pytest.raises(publishing.NotPublishableError, match="imported"):
        publishing.publish(run.pk, publishing.Approval(0, "x", "because"))
    assert Figure.objects.count() == 0


def test_the_same_file_is_imported_once_and_the_run_is_named() -> None:
    run = imported()
    with pytest.raises(ForeignError) as caught:
        imported()
    assert (caught.value.code, caught.value.detail) == ("duplicate", run.code)
    assert BenchmarkRun.objects.count() == 1


def test_an_import_that_was_overtaken_finds_the_first_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second looked before the first had stored: the database refuses it, and looking again finds the run."""
    first, looks = imported(), iter((lambda _digest: None, importing.refuse_known))
    monkeypatch.setattr(importing, "refuse_known", lambda digest: next(looks)(digest))
    with pytest.raises(ForeignError) as caught:
        imported()
    assert (caught.value.code, caught.value.detail) == ("duplicate", first.code)
    assert BenchmarkRun.objects.count() == 1


def test_the_database_keeps_a_result_of_a_file_once() -> None:
    run = imported()
    other = BenchmarkRun.objects.get(pk=run.pk)
    other.pk, other.code = None, "2026-9000"
    with pytest.raises(IntegrityError, match=r"run_imported_once_a_result|import_file_sha256"), transaction.atomic():
        other.save(force_insert=True)
    runs.queued()
    runs.queued()  # Runs of our own have no file, and are as many as there are.
    assert BenchmarkRun.objects.filter(import_file_sha256="").count() == 2


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def shell(tmp_path: Path, request: pytest.FixtureRequest) -> Site:
    """An installation of its own that several processes may use at once."""
    if request.param == "postgresql":
        return Site(tmp_path, database=request.getfixturevalue("migrated_database"))
    request.getfixturevalue("migrated")(tmp_path)
    return Site(tmp_path)


RACE = """
import threading
from concurrent.futures import ThreadPoolExecutor
from django.db import connection
from benchmarks import importing
from benchmarks.foreign import ForeignError
start = threading.Barrier(4)
def one(number):
    try:
        start.wait(20)
        return importing.import_bytes(open({path!r}, "rb").read(), "r.json", None)[0].code
    except ForeignError as refusal:
        return refusal.detail
    finally:
        connection.close()
with ThreadPoolExecutor(4) as pool:
    told = sorted(set(pool.map(one, range(4))))
print(told, BenchmarkRun.objects.count())
"""


@pytest.mark.worker
def test_imports_at_the_same_instant_keep_one_run_and_all_name_it(shell: Site, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps(VLLM))
    told, count = shell.python(RACE.format(path=str(path))).rsplit(" ", 1)
    (code,) = ast.literal_eval(told)
    assert (count, code[4:]) == ("1", "-0001")


@pytest.mark.django_db(transaction=True)
def test_files_that_were_kept_twice_before_stay_through_the_migration() -> None:
    executor = MigrationExecutor(connection)
    leaves = [node for node in executor.loader.graph.leaf_nodes() if node[0] == "benchmarks"]
    old_state = executor.migrate([("benchmarks", "0008_probes")])
    try:
        old = old_state.apps.get_model("benchmarks", "BenchmarkRun")
        now = timezone.now()
        given = {"requests_count": 0, "prompt_tokens": 8, "output_tokens": 8, "seed": 0, "created_at": now}
        given |= {"engine_kind": "", "origin": "imported", "import_tool": "aiperf", "import_definition": "aiperf"}
        given |= {"status": "succeeded", "finished_at": now}
        for code, digest in (("2026-0001", "a" * 64), ("2026-0002", "b" * 64), ("2026-0003", "a" * 64)):
            old.objects.create(code=code, import_file_sha256=digest, **given)
    finally:
        MigrationExecutor(connection).migrate(leaves)
    found = BenchmarkRun.objects.order_by("code").values_list("code", "import_number")
    assert list(found) == [("2026-0001", 1), ("2026-0002", 1), ("2026-0003", 2)]


def test_a_file_with_two_tests_of_generation_gives_two_runs() -> None:
    two = [LLAMA[1], {**LLAMA[1], "n_gen": 256}]
    found = importing.import_bytes(json.dumps(two).encode(), "l.json", None)
    assert [(run.output_tokens, run.import_number) for run in found] == [(128, 1), (256, 2)]


def test_the_shell_prints_the_number_of_the_run(tmp_path: Path) -> None:
    path, out = tmp_path / "aiperf.json", io.StringIO()
    path.write_text(json.dumps(AIPERF))
    call_command("import_result", str(path), stdout=out)
    run = BenchmarkRun.objects.get()
    assert out.getvalue() == f"{run.code} aiperf openai/gpt-oss-20b\n"
    assert run.import_file_name == "aiperf.json"


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"{", "JSON valide"), (b"{}", "n’est pas un résultat connu"), (b"", "vide"), (b"\xff", "UTF-8")],
)
def test_the_shell_says_why_a_file_is_no_result(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(CommandError, match=words):
        call_command("import_result", str(path))


def test_the_shell_says_when_there_is_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        call_command("import_result", str(tmp_path / "none.json"))


def test_an_upload_leads_to_its_run(client: Client, operator: User) -> None:
    response = upload(client, json.dumps(VLLM).encode(), tool_version=" 0.14 ")
    run = BenchmarkRun.objects.get()
    assert (response.status_code, response["Location"]) == (303, f"/fr/runs/{run.code}")  # type: ignore[attr-defined,index]
    assert (run.import_tool_version, run.created_by) == ("0.14", operator)


@pytest.mark.parametrize(
    ("language", "words"), [("fr", "n’est pas un résultat connu"), ("en", "is not a known result")]
)
def test_a_bad_upload_comes_back_with_a_sentence(client: Client, operator: User, language: str, words: str) -> None:
    response = upload(client, b'{"a": 1}', language, tool_version="<1>")
    text = response.content.decode()  # type: ignore[attr-defined]
    assert response.status_code == 422  # type: ignore[attr-defined]
    assert words in text and 'value="&lt;1&gt;"' in text and 'role="alert"' in text
    assert BenchmarkRun.objects.count() == 0


def test_no_file_is_a_sentence(client: Client, operator: User) -> None:
    response = client.post("/fr/runs/import", {})
    assert response.status_code == 422 and "Choisissez un fichier." in response.content.decode()


def test_a_body_that_is_announced_too_large_is_not_read(client: Client, operator: User) -> None:
    response = client.post("/fr/runs/import", {"file": SimpleUploadedFile("r.json", b" " * (LIMIT_BYTES + 200_000))})
    assert response.status_code == 413 and "8\u00a0Mo" in response.content.decode()


def test_importing_is_for_operators(client: Client) -> None:
    assert client.get("/fr/runs/import")["Location"] == "/fr/login/?next=/fr/runs/import"
    client.force_login(User.objects.create_user("visitor"))
    assert client.get("/fr/runs/import").status_code == 403


def test_a_forged_upload_is_refused(operator: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(operator)
    assert strict.post("/fr/runs/import", {}).status_code == 403


def test_every_tool_has_its_definition_in_words() -> None:
    assert all(foreignwords.definition(code) for code in tools.DEFINITIONS.values())


CODES = "empty too_big too_deep not_utf8 not_json unknown_tool no_rate load_unknown too_many_steps not_a_number "
CODES += "out_of_range unit duplicate missing"


@pytest.mark.parametrize("code", CODES.split())
def test_every_refusal_has_a_sentence_of_its_own(code: str) -> None:
    said = foreignwords.sentence(ForeignError(code, "7"))
    assert said.endswith(".") and said != foreignwords.sentence(ForeignError("nonsense"))


def test_a_null_character_in_the_version_is_not_kept(client: Client, operator: User) -> None:
    """PostgreSQL takes no such text."""
    upload(client, json.dumps(VLLM).encode(), tool_version="0.1\x002")
    assert BenchmarkRun.objects.get().import_tool_version == "0.12"


@pytest.mark.parametrize("name", ["max_concurrency", "completed", "total_input_tokens"])
def test_a_count_beyond_any_machine_is_refused_with_a_sentence(client: Client, operator: User, name: str) -> None:
    """2³¹ and more do not fit a whole number of PostgreSQL; of tokens, their mean over the requests counts."""
    raw = json.dumps({**VLLM, name: 9 * 10**11}).encode()
    assert upload(client, raw).status_code == 422  # type: ignore[attr-defined]
    assert not BenchmarkRun.objects.exists()
