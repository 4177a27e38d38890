"""`manage.py import_prices`: the pages' checks in a terminal, exit statuses, and the sample updates."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.core.management import CommandError, call_command

from calculator.models import CatalogVersion, PriceEvent, PriceRow, PriceUpload
from tests.pricelist.filefactory import GPU_HEADER, csv, xlsx

SAMPLES = Path(settings.BASE_DIR) / "fixtures" / "price_updates"
FRIDAY, HELD_BACK, ECB = (SAMPLES / name for name in ("friday-update.csv", "second-person.csv", "ecb-2026-10-30.xml"))
RIGHTS = ("upload_prices", "apply_prices")

ACCEPT = "--accept-old-rate"
pytestmark = pytest.mark.usefixtures("seeded", "noon")


@pytest.fixture
def ada() -> User:
    user = User.objects.create_user("ada")
    user.user_permissions.set(Permission.objects.filter(codename__in=RIGHTS))
    return user


def run(*arguments: Any, status: int = 0) -> str:
    """What the command prints; it must end with this status."""
    out = io.StringIO()
    if status:
        with pytest.raises(SystemExit) as ended:
            call_command("import_prices", *map(str, arguments), stdout=out)
        assert ended.value.code == status
    else:
        call_command("import_prices", *map(str, arguments), stdout=out)
    return out.getvalue()


def refused(*arguments: Any) -> str:
    """The sentence of a command that ends with status 2 before anything is compared."""
    with pytest.raises(CommandError) as error:
        call_command("import_prices", *map(str, arguments), stdout=io.StringIO())
    assert error.value.returncode == 2
    return str(error.value)


def answer(*arguments: Any, status: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--json", status=status))
    return found


def counts() -> tuple[int, ...]:
    return tuple(table.objects.count() for table in (PriceRow, CatalogVersion, PriceUpload, PriceEvent))


def written(folder: Path, content: bytes, name: str = "prices.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_p17_a_dry_run_shows_the_change_and_writes_nothing_however_often() -> None:
    before = counts()
    for _ in range(3):
        found = answer(FRIDAY, "--dry-run")
    assert counts() == before
    assert found["outcome"] == "would_apply"
    assert (found["decimal_mark"], found["delimiter"], found["encoding"]) == (",", ";", "utf-8")
    assert [(change["item"], change["component"], change["old"], change["new"]) for change in found["changes"]] == [
        ("GPU-STARTER", "instance_hour", "0.85", "0.89"),
        ("GPU-PRO", "instance_hour", "1.5", "1.55"),
        ("GPU-PRO", "instance_month", "830.64", "849"),
    ]


def test_the_friday_sample_needs_no_second_person_and_is_applied(ada: User) -> None:
    found = answer(FRIDAY, "--by", "ada", ACCEPT, "--reason", "Friday")
    assert (found["outcome"], found["version"], found["counts"]["unchanged"]) == ("applied", 2, 1)
    assert [guard for guard in found["guards"] if guard["level"] == "block"] == []
    rows = PriceRow.objects.filter(catalog_version=2).order_by("item__code", "component")
    assert [(row.item.code, row.component, f"{row.amount.normalize():f}") for row in rows if row.amount] == [
        ("GPU-PRO", "instance_hour", "1.55"),
        ("GPU-PRO", "instance_month", "849"),
        ("GPU-STARTER", "instance_hour", "0.89"),
    ]
    assert CatalogVersion.objects.get(number=2).created_by == ada


def test_p20_the_same_file_again_changes_nothing_and_names_the_earlier_one(ada: User) -> None:
    run(FRIDAY, "--by", "ada", ACCEPT)
    found = answer(FRIDAY, "--by", "ada", ACCEPT)
    assert found["outcome"] == "nothing_to_change"
    assert "friday-update.csv" in found["message"]
    assert CatalogVersion.objects.count() == 2


def test_the_second_sample_waits_for_a_second_person(ada: User) -> None:
    assert answer(HELD_BACK, "--dry-run", status=1)["outcome"] == "would_need_second_person"
    found = answer(HELD_BACK, "--by", "ada", status=1)
    assert (found["outcome"], found["version"]) == ("waiting", None)
    upload = PriceUpload.objects.get(pk=found["upload"])
    assert (upload.status, upload.uploaded_by) == ("validated", ada)
    assert CatalogVersion.objects.count() == 1


def test_p46_an_old_exchange_rate_is_said_and_not_where_the_file_brings_one_or_changes_nothing(
    ada: User, tmp_path: Path
) -> None:
    """The seed's rate is of 30 October, a month old at noon of 30 November."""
    told = "The exchange rate, of 30 Oct 2026, is old: upload the newest."
    assert told in run(FRIDAY, "--dry-run", "--lang", "en")
    assert told in run(FRIDAY, "--by", "ada", ACCEPT, "--lang", "en")
    assert told not in run(FRIDAY, "--by", "ada", ACCEPT, "--lang", "en")
    newest = written(tmp_path, csv("rate_date,base,quote,rate,source", "2026-11-27,EUR,USD,1.12,ECB"))
    assert "exchange rate, of" not in run(newest, "--by", "ada", "--lang", "en")
    assert "exchange rate, of" not in run(HELD_BACK, "--dry-run", "--lang", "en", status=1)


def test_p46_on_an_old_rate_nothing_is_stored_or_applied_until_that_is_accepted(ada: User, tmp_path: Path) -> None:
    before = counts()
    found = answer(FRIDAY, "--by", "ada", status=1)
    assert (found["outcome"], found["upload"], found["version"]) == ("old_rate", None, None)
    assert "30/10/2026" in found["message"] and "--accept-old-rate" in found["message"]
    assert counts() == before
    assert answer(FRIDAY, "--by", "ada", ACCEPT)["outcome"] == "applied"


def test_p46_a_file_that_brings_rates_asks_nothing(ada: User, tmp_path: Path) -> None:
    newest = written(tmp_path, csv("rate_date,base,quote,rate,source", "2026-11-27,EUR,USD,1.12,ECB"))
    assert answer(newest, "--by", "ada")["outcome"] == "applied"


def test_the_ecb_sample_says_what_the_catalogue_holds() -> None:
    assert answer(ECB, "--dry-run")["outcome"] == "nothing_to_change"


def test_p16_every_error_is_printed_and_nothing_is_stored(tmp_path: Path, ada: User) -> None:
    rows = ["GPU-PRO,instance_hour,1.55,EUR,instance_hour"] * 2
    rows += ["GPU-TITAN,instance_hour,abc,EUR,instance_hour", "NO-SUCH,instance_hour,1.5,EUR,instance_hour"]
    before = counts()
    shown = run(written(tmp_path, csv(GPU_HEADER, *rows)), "--by", "ada", "--lang", "en", status=2)
    assert "Line 4, column “amount”: “abc” is not a number." in shown
    assert "NO-SUCH" in shown
    assert counts() == before


def test_a_file_that_cannot_be_read_at_all_ends_with_its_sentence(tmp_path: Path) -> None:
    assert refused(written(tmp_path, b"\x00\x01\x02"), "--dry-run", "--lang", "en").startswith("This is neither a text")
    assert "missing.csv" in refused(tmp_path / "missing.csv", "--dry-run")


def test_nothing_is_applied_without_a_person_or_with_one_who_has_no_right(ada: User) -> None:
    User.objects.create_user("bob")
    before = counts()
    assert "--by" in refused(FRIDAY)
    assert "carol" in refused(FRIDAY, "--by", "carol")
    assert answer(FRIDAY, "--by", "bob", ACCEPT, status=1)["outcome"] == "refused"
    assert counts() == before


def test_p29_a_planned_start_is_a_day_in_paris(ada: User) -> None:
    found = answer(FRIDAY, "--by", "ada", ACCEPT, "--at", "2026-12-15")
    assert found["outcome"] == "applied"
    starts = set(PriceRow.objects.filter(catalog_version=2).values_list("valid_from", flat=True))
    assert {start.isoformat() for start in starts} == {"2026-12-14T23:00:00+00:00"}


def test_a_start_that_is_none_is_refused() -> None:
    assert "AAAA-MM-JJ" in refused(FRIDAY, "--dry-run", "--at", "15/12/2026")


def test_what_the_file_leaves_open_is_said_on_the_command_line(tmp_path: Path) -> None:
    content = csv("Produit;component;Tarif;currency;unit", "GPU-PRO;instance_hour;1,555;EUR;instance_hour")
    path = written(tmp_path, content)
    meant = ("--map", "Produit=sku", "--map", "Tarif=amount")
    assert answer(path, "--dry-run", *meant, status=2)["problems"][0]["code"] == "decimal_mark_undecidable"
    found = answer(path, "--dry-run", *meant, "--decimal-mark", ",")
    assert [change["new"] for change in found["changes"]] == ["1.555"]
    assert "Produit" in refused(path, "--dry-run", "--map", "Produit")


def test_a_workbook_is_applied_like_any_other_file(tmp_path: Path, ada: User) -> None:
    rows = [GPU_HEADER.split(","), ("GPU-PRO", "instance_hour", 1.55, "EUR", "instance_hour")]
    assert answer(written(tmp_path, xlsx(rows), "prices.xlsx"), "--by", "ada", ACCEPT)["version"] == 2


def test_the_librarys_proposal_is_a_draft_like_any_other(ada: User) -> None:
    found = answer("--library", "--dry-run")
    assert [(change["item"], change["mode"], change["new"]) for change in found["changes"]] == [
        ("mistral-embed", "batch", "0.05")
    ]
    assert answer("--library", "--by", "ada", ACCEPT)["outcome"] == "applied"
    assert PriceRow.objects.get(catalog_version=2).origin == "library"
    assert answer("--library", "--by", "ada", ACCEPT)["outcome"] == "nothing_to_change"


def test_a_file_or_the_library_but_not_both() -> None:
    assert "--library" in refused("--dry-run")
    assert "--library" in refused(FRIDAY, "--library", "--dry-run")


def test_the_text_for_a_terminal_names_amounts_and_percent() -> None:
    shown = run(FRIDAY, "--dry-run", "--lang", "en")
    assert "€1.50 → €1.55 (+3.3%)" in shown
    assert "Nothing is written. This file can be applied as it is." in shown
    assert "gpu · csv · utf-8 · ; · decimal comma" in shown


@pytest.mark.parametrize(
    "path", sorted(path for path in SAMPLES.iterdir() if path.suffix != ".md"), ids=lambda path: path.name
)
def test_every_sample_is_described(path: Path) -> None:
    assert path.name in (SAMPLES / "README.md").read_text(encoding="utf-8")
