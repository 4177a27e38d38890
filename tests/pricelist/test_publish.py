"""From receipt to application: who may do what, what is refused, what is written, and that it happens once."""

import datetime as dt
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from calculator import catalog
from calculator.models import CatalogItem, EstimateSnapshot, FxRate, ItemAlias, PriceEvent, PriceRow, PriceUpload
from calculator.pricelist import publish
from tests import factories as make
from tests.pricelist.sending import HEAD, RIGHTS, alice, blocked, bob, csv, hour, price_now, pro, refused, sent

__all__ = ["alice", "bob", "pro"]
pytestmark = pytest.mark.django_db
# --- the whole way


def test_a_change_of_a_few_percent_goes_from_file_to_catalogue(alice: User) -> None:
    upload = sent(alice, hour("1,60"))
    assert (upload.status, upload.changed_count, upload.base_version_id) == ("validated", 1, 1)
    done = publish.apply(upload, alice, reason="list of December")
    assert (done.version.number, done.version.kind, done.already) == (2, "apply", False)
    assert price_now() == Decimal("1.60")
    row = PriceRow.objects.get(catalog_version=2)
    assert (row.amount, row.origin, row.audience) == (Decimal("1.60"), "upload", "public")
    upload.refresh_from_db()
    assert (upload.status, upload.applied_by, upload.applied_version_id) == ("applied", alice, 2)


def test_the_old_price_stays_what_it_was_until_the_application(alice: User) -> None:
    before = timezone.now()
    publish.apply(sent(alice, hour("1,60")), alice)
    (sku,) = catalog.sku_choices(2, before)
    assert [price.value for price in sku.prices.values()] == [Decimal("1.50")]
    (sku,) = catalog.sku_choices(1, timezone.now())
    assert [price.value for price in sku.prices.values()] == [Decimal("1.50")]


def test_prices_may_be_put_into_force_later(alice: User) -> None:
    start = timezone.now() + dt.timedelta(days=3)
    publish.apply(sent(alice, hour("1,60")), alice, at=start)
    assert PriceRow.objects.get(catalog_version=2).valid_from == start
    assert price_now() == Decimal("1.50")


def test_the_default_start_of_a_file_holds_for_its_lines(alice: User) -> None:
    start = timezone.now() + dt.timedelta(days=3)
    upload = publish.receive(hour("1,60"), "prices.csv", alice)
    upload = publish.configure(upload, alice, default_valid_from=start)
    publish.validate(upload)
    publish.apply(upload, alice)
    assert PriceRow.objects.get(catalog_version=2).valid_from == start


def test_p16_one_bad_line_keeps_the_whole_file_out(alice: User) -> None:
    rows = [f"GPU-PRO;instance_hour;{amount};EUR;instance_hour;{day}" for amount, day in (("1,60", "2027-01-01"),)]
    rows += ["GPU-PRO;instance_hour;1,61;EUR;instance_hour;2027-01-02", "GPU-PRO;instance_hour;abc;EUR;instance_hour;"]
    upload = sent(alice, csv(*rows, "GPU-PRO;instance_month;9;JPY;instance_month;", head=f"{HEAD};valid_from"))
    assert (upload.status, upload.error_count) == ("draft", 2)
    lines = upload.lines.filter(verdict="error").values_list("line_no", flat=True)
    assert list(lines) == [4, 5]
    refused("not_validated", publish.apply, upload, alice)
    assert catalog.latest_version() == 1


def test_what_is_kept_of_a_line_is_what_was_shown(alice: User) -> None:
    upload = sent(alice, hour("1,95"))
    (line,) = upload.lines.all()
    assert (line.line_no, line.verdict, line.item, line.component) == (2, "changed", "GPU-PRO", "instance_hour")
    assert (line.old_amount, line.new_amount, line.change_percent) == (Decimal("1.5"), Decimal("1.95"), 30)
    assert line.raw == "GPU-PRO;instance_hour;1,95;EUR;instance_hour"
    assert [message["code"] for message in line.messages] == ["changes_over_fifth"]
    assert (line.has_warning, line.is_blocked) == (True, False)


def test_validating_again_replaces_what_was_kept(alice: User) -> None:
    upload = sent(alice, hour("1,95"))
    publish.validate(upload)
    assert upload.lines.count() == 1


def test_a_new_sku_comes_with_its_prices(alice: User) -> None:
    head = "sku;component;amount;currency;unit;provider;label_fr;label_en;gpu;gpu_count;vram_gb"
    row = "GPU-NEW;instance_hour;2,00;EUR;instance_hour;VMCloud;Carte neuve;New card;RTX 4090;1;24"
    publish.apply(sent(alice, csv(row, head=head)), alice)
    item = CatalogItem.objects.get(code="GPU-NEW")
    assert (item.label_fr, item.gpu and item.gpu.name, item.catalog_version_id) == ("Carte neuve", "RTX 4090", 2)
    assert item.position > CatalogItem.objects.get(code="GPU-PRO").position
    assert price_now("GPU-NEW") == Decimal("2.00")
    assert "GPU-NEW" not in [sku.code for sku in catalog.sku_choices(1, timezone.now())]


def test_a_new_model_with_another_name_and_its_rates(alice: User) -> None:
    head = "model;component;amount;currency;unit;provider;aliases"
    rows = ["gpt-6;input;2,5;USD;mtok;OpenAI;gpt-best", "gpt-6;output;15;USD;mtok;OpenAI;"]
    publish.apply(sent(alice, csv(*rows, head=head)), alice)
    assert ItemAlias.objects.get().item.code == "gpt-6"
    assert catalog.canonical_code("api", "GPT-Best", 2, timezone.now()) == "gpt-6"


def test_changed_columns_of_an_item_are_recorded_and_seen_in_the_new_version(alice: User) -> None:
    head = "sku;label_fr;label_en"
    publish.apply(sent(alice, csv("GPU-PRO;Carte dédiée;Dedicated card", head=head)), alice)
    assert [sku.label for sku in catalog.sku_choices(2, timezone.now())] == ["Carte dédiée"]
    event = PriceEvent.objects.get(action="item")
    assert (event.subject, event.before) == ("gpu_sku GPU-PRO", '{"label_fr": "GPU-PRO", "label_en": "GPU-PRO"}')


def test_exchange_rates_are_added_and_corrected(alice: User) -> None:
    make.make_fx(dt.date(2026, 10, 30), "1.1172")
    head = "rate_date;base;quote;rate;source"
    rows = ["2026-10-30;EUR;USD;1,1173;ECB", "2026-11-02;EUR;USD;1,12;ECB"]
    upload = publish.receive(csv(*rows, head=head), "fx.csv", alice)
    publish.validate(upload)
    publish.apply(upload, alice)
    old = FxRate.objects.get(rate=Decimal("1.1172"))
    assert old.voided_in_version_id == 2
    found = FxRate.objects.filter(voided_in_version=None).order_by("rate_date").values_list("rate", flat=True)
    assert list(found) == [Decimal("1.1173"), Decimal("1.12")]


def test_p26_a_planned_price_is_replaced_in_one_step(alice: User, pro: CatalogItem) -> None:
    start = (timezone.now() + dt.timedelta(days=30)).replace(hour=12, minute=0, second=0, microsecond=0)
    row = make.make_price(pro, "instance_hour", "1.60", valid_from=start)
    line = f"GPU-PRO;instance_hour;1,65;EUR;instance_hour;{start.isoformat()}"
    publish.apply(sent(alice, csv(line, head=f"{HEAD};valid_from")), alice)
    row.refresh_from_db()
    assert (row.voided_in_version_id, row.void_reason) == (2, "replaced by a later price list")
    standing = PriceRow.objects.filter(valid_from=start, voided_in_version=None)
    assert [one.amount for one in standing] == [Decimal("1.65")]


# --- rights and second person


@pytest.mark.parametrize("right", RIGHTS)
def test_sending_and_applying_are_rights_of_their_own(pro: CatalogItem, right: str) -> None:
    only = make.make_user("only", right)
    if right == "apply_prices":
        refused("right_missing", publish.receive, hour("1,60"), "prices.csv", only)
        return
    refused("right_missing", publish.apply, sent(only, hour("1,60")), only)


def test_a_blocked_change_waits_for_a_second_person(alice: User, bob: User) -> None:
    upload = blocked(alice)
    refused("needs_second_person", publish.apply, upload, alice)
    publish.approve(upload, bob, "agreed with the supplier")
    publish.apply(upload, alice)
    assert price_now() == Decimal("3.00")
    event = PriceEvent.objects.get(action="approved")
    assert (event.actor, event.reason, event.after) == (bob, "agreed with the supplier", upload.diff_hash)


def test_nobody_approves_their_own_upload_superusers_included(bob: User) -> None:
    refused("own_upload", publish.approve, blocked(bob), bob, "I am sure")
    root = make.make_user("root", is_superuser=True)
    upload = blocked(root)
    refused("own_upload", publish.approve, upload, root, "I am root")
    refused("needs_second_person", publish.apply, upload, root)


def test_an_approval_needs_its_right_and_a_reason(alice: User, bob: User) -> None:
    upload = blocked(alice)
    refused("right_missing", publish.approve, upload, make.make_user("carol", *RIGHTS), "fine")
    refused("reason_missing", publish.approve, upload, bob, "  ")


def test_an_approval_is_of_one_result_only(alice: User, bob: User) -> None:
    upload = blocked(alice)
    publish.approve(upload, bob, "fine")
    publish.apply(sent(alice, csv("GPU-PRO;instance_hour;1,55;EUR;instance_hour")), alice)
    refused("base_moved", publish.apply, upload, alice)
    publish.validate(upload)
    refused("needs_second_person", publish.apply, upload, alice)


def test_an_approval_is_forgotten_when_the_file_is_read_otherwise(alice: User, bob: User) -> None:
    upload = blocked(alice)
    publish.approve(upload, bob, "fine")
    upload = publish.configure(upload, alice, decimal_mark=",")
    publish.validate(upload)
    refused("needs_second_person", publish.apply, upload, alice)


def test_a_file_with_errors_cannot_be_approved(alice: User, bob: User) -> None:
    refused("not_validated", publish.approve, sent(alice, hour("abc")), bob, "fine")


def test_warnings_need_nobody_else(alice: User) -> None:
    upload = sent(alice, hour("1,95"))
    assert (upload.warning_count, upload.blocked_count) == (1, 0)
    assert publish.apply(upload, alice).version.number == 2


def test_a_rejected_file_is_closed(alice: User, bob: User) -> None:
    upload = sent(alice, hour("1,60"))
    refused("right_missing", publish.reject, upload, make.make_user("carol", *RIGHTS), "no")
    publish.reject(upload, bob, "not agreed")
    refused("not_validated", publish.apply, upload, alice)
    refused("not_open", publish.validate, upload)
    refused("not_open", publish.reject, upload, alice, "again")


def test_private_files_need_the_right_to_see_private_prices(alice: User) -> None:
    refused("right_missing", publish.receive, hour("1,20"), "client.csv", alice, audience="sales")
    seller = make.make_user("seller", "view_private_prices", *RIGHTS)
    upload = sent(seller, hour("1,20"), audience="sales")
    refused("right_missing", publish.apply, upload, alice)
    publish.apply(upload, seller)
    row = PriceRow.objects.get(catalog_version=2)
    assert (row.audience, row.origin) == ("sales", "negotiated")
    assert set(PriceEvent.objects.values_list("audience", flat=True)) == {"sales"}
    assert price_now() == Decimal("1.50")


# --- the past


def backdated(by: User) -> PriceUpload:
    start = timezone.now().replace(microsecond=0) - dt.timedelta(days=20)
    return sent(by, csv(f"GPU-PRO;instance_hour;1,60;EUR;instance_hour;{start.isoformat()}", head=f"{HEAD};valid_from"))


def test_a_price_in_the_past_needs_its_right_and_a_reason(alice: User) -> None:
    refused("right_missing", publish.apply, backdated(alice), alice, reason="late invoice")
    keeper = make.make_user("keeper", "backdate_prices", *RIGHTS)
    upload = backdated(keeper)
    refused("reason_missing", publish.apply, upload, keeper)
    assert publish.apply(upload, keeper, reason="late invoice").version.number == 2


def test_an_instant_of_application_in_the_past_is_back_dating_too(alice: User) -> None:
    upload = sent(alice, hour("1,60"))
    refused("right_missing", publish.apply, upload, alice, at=timezone.now() - dt.timedelta(hours=1), reason="late")


def test_the_record_names_the_estimates_that_a_price_in_the_past_would_have_changed(pro: CatalogItem) -> None:
    keeper = make.make_user("keeper", "backdate_prices", *RIGHTS)
    concerned = make.make_snapshot(slug="concerned")
    concerned.prices.set(pro.prices.all())
    make.make_snapshot(slug="of-another-offer")
    publish.apply(backdated(keeper), keeper, reason="late invoice")
    assert PriceEvent.objects.get(action="applied").before == "concerned"
    assert EstimateSnapshot.objects.get(slug="concerned").results == {"bill_eur": "830.64"}
