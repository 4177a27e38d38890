"""The outlook in words, without a database: each sentence for its case, in French and in English."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import plotly.graph_objects as go
import pytest
from django.utils import translation

from calculator.domain.offers import Basis
from calculator.domain.scenario import BillingStep, Message, Rental
from sales.domain.outlook import SAID, OutlookFacts
from sales.domain.outlook_answer import OutlookEstimate, estimate
from sales.domain.ramp import Arrival
from sales.domain.rules import RULES, Finding
from sales.domain.solving import Unknown
from sales.outlook import charts, claims, grid, months, moved, renting, rows, solved, verdicts, words
from tests.domain import factories as offer
from tests.sales import outlookfactory as case

NB, NARROW = "\u00a0", "\u202f"


@pytest.fixture(autouse=True)
def french() -> Iterator[None]:
    with translation.override("fr"):
        yield


def found(facts: OutlookFacts | None = None, **fields: object) -> OutlookEstimate:
    return estimate(case.scenario(**fields), facts or case.facts())


def on_request() -> OutlookEstimate:
    return found(case.facts(offer.facts(sku=offer.SUPERCOMPUTE)))


def no_api() -> OutlookEstimate:
    return found(case.facts(offer.facts(apis=())), apis=())


class TestVerdict:
    def test_the_gpu_is_cheaper(self) -> None:
        line = verdicts.plain(found().both)
        assert line.text.startswith(f"Le GPU dédié est moins cher{NB}: GPU-PRO coûte 512,00{NB}€ de moins")
        assert line.css == "win"

    def test_the_api_is_cheaper(self) -> None:
        """100 M on mini: 402.79 €, 427.85 € less than the card."""
        line = verdicts.plain(found(reference="gpt-5.4-mini").both)
        assert line.text.startswith(f"L’API est moins chère{NB}: gpt-5.4-mini coûte 427,85{NB}€ de moins")
        assert line.css == "lose"

    def test_both_cost_the_same(self) -> None:
        """61.5 M: 922.50 $ are 825.725 €, 4.915 € less than the card."""
        line = verdicts.plain(found(volume_tokens=Decimal(61_500_000)).both)
        assert line.text == f"GPU-PRO et gpt-5.4 coûtent autant{NB}: 4,91{NB}€ d’écart par mois."
        assert line.css == "tie"

    def test_what_cannot_be_compared_is_said_to_be_so(self) -> None:
        assert "ne se comparent pas" in verdicts.plain(on_request().both).text
        assert "rien à comparer" in verdicts.plain(no_api().both).text

    def test_a_prompt_whose_time_is_unknown_leaves_the_verdict_incomplete(self) -> None:
        assert verdicts.plain(found().both).reserve == ""
        assert "incomplet" in verdicts.plain(found(input_tokens=Decimal(2000)).both).reserve

    def test_it_speaks_english(self) -> None:
        with translation.override("en"):
            text = verdicts.plain(found(reference="gpt-5.4-mini").both).text
        assert text == "The API is cheaper: gpt-5.4-mini costs €427.85 less a month than GPU-PRO (52%)."


class TestRules:
    def lines(self, **fields: object) -> dict[str, verdicts.RuleLine]:
        whole = found(**fields)
        return {line.rule: line for profiles in (False, True) for line in verdicts.lines(whole, profiles=profiles)}

    def test_every_rule_and_every_finding_has_words(self) -> None:
        assert set(words.RULES) == {rule.code for rule in RULES}
        assert set(words.FINDINGS) == set(Finding)
        assert set(words.SAID_WORDS) == set(SAID)

    def test_dollars_and_milliseconds_stand_as_the_customers_own(self) -> None:
        lines = self.lines(latency_ms=Decimal(15))
        assert lines[f"API sous 5{NB}M$ par an d’infrastructure IA"].own == f"18{NARROW}000{NB}$ par an"
        assert lines[f"GPU dédiés au-delà de 1{NB}M$ de calcul par mois"].own == f"1{NARROW}500{NB}$ par mois"
        assert lines[f"GPU dédiés sous 20{NB}ms"].own == f"15{NB}ms"

    def test_only_rules_of_volume_have_a_computed_threshold(self) -> None:
        computed = {line.computed for line in self.lines().values()}
        assert computed == {"", f"dès 61,9{NB}M"}

    def test_a_threshold_that_is_never_reached_says_so(self) -> None:
        lines = self.lines(reference="gpt-5.4-mini")
        assert lines[f"GPU dédiés au-delà de 50{NB}M de tokens par mois"].computed == "à aucun volume"

    def test_seconds_used_beat_a_dear_api_at_any_volume(self) -> None:
        """10.02 € per million by the hours used, 13.43 € on the API: from the first token."""
        lines = self.lines(basis=Basis.HOUR, rental=Rental.HOURS_USED, billing_step=BillingStep.SECOND)
        assert lines[f"GPU dédiés au-delà de 50{NB}M de tokens par mois"].computed == "à tout volume"

    def test_whole_hours_used_beat_it_once_the_first_is_filled_enough(self) -> None:
        """An hour costs 1.50 €, as much as 1.50 × 1.1172 ÷ 15 = 111 720 tokens on the API."""
        lines = self.lines(basis=Basis.HOUR, rental=Rental.HOURS_USED)
        assert lines[f"GPU dédiés au-delà de 50{NB}M de tokens par mois"].computed == "dès 112\u202f000"

    def test_an_unknown_threshold_is_a_word(self) -> None:
        (line, *_rest) = verdicts.lines(on_request(), profiles=False)
        assert line.computed == "inconnu"
        assert line.finding == "ne s’applique pas"


class TestReasons:
    def reasons(self, facts: OutlookFacts | None = None, **fields: object) -> dict[str, verdicts.Reason]:
        return {line.name: line for line in verdicts.reasons(found(facts, **fields))}

    def test_the_offers_promises_are_claims(self) -> None:
        reasons = self.reasons()
        promised = [line.gpu_badge.kind for line in reasons.values() if line.gpu_badge]
        assert promised == ["claim"] * 4

    def test_the_capacity_is_that_of_one_instance(self) -> None:
        assert self.reasons()["Capacité fixe, réservée"].gpu.startswith(f"107,8{NB}M de tokens par instance")

    def test_an_uplift_that_was_typed_is_said_to_be_counted(self) -> None:
        line = self.reasons(api_uplift_ratio=Decimal("0.10"))["Données à garder en Europe"]
        assert line.api == f"majoration saisie de 10{NB}%, comptée dans le prix"

    def test_a_measured_latency_is_shown_with_its_origin(self) -> None:
        line = self.reasons(case.facts(api_first_token_ms=case.first_token(180.0)))["Latence"]
        assert line.api == f"180{NB}ms au premier token"
        assert line.api_badge is not None
        assert line.api_badge.kind == "measured"
        assert self.reasons()["Latence"].api == "non mesurée d’ici"


class TestSolved:
    def lines(self, facts: OutlookFacts | None = None, **fields: object) -> dict[str, solved.SolvedLine]:
        return {line.name: line for line in solved.lines(found(facts, **fields))}

    def test_every_unknown_and_every_doubt_has_words(self) -> None:
        assert {unknown.value for unknown in Unknown} == set(words.INPUTS)
        for code in words.DOUBTS:
            values = dict.fromkeys(("count", "ratio", "floor", "rate", "low", "high"), Decimal(1))
            assert "%(" not in words.doubt(Message(code, values))

    def test_no_solution_is_a_sentence(self) -> None:
        line = self.lines(reference="gpt-5.4-mini")["Volume de sortie par mois"]
        assert (line.solved, line.reading) == (
            "aucune valeur",
            "même pleines, les instances coûtent plus que l’API",
        )

    def test_an_impossible_utilisation_is_hardly_plausible(self) -> None:
        line = self.lines(reference="gpt-5.4-mini")["Utilisation d’une instance"]
        assert line.solved == f"124,3{NB}%"
        assert line.reading == f"peu plausible{NB}: au-delà de 100{NB}%{NB}: aucune charge ne suffit"
        assert line.query == ""

    def test_a_note_does_not_make_a_value_implausible(self) -> None:
        line = self.lines(reference="gpt-5.4-mini")["Débit total d’un GPU"]
        assert line.reading == f"plausible{NB}; au moins 2 requêtes à la fois"
        assert line.css == "tag good"

    def test_a_missing_price_is_named(self) -> None:
        lines = solved.lines(on_request())
        assert {line.reading for line in lines} == {"un prix ou un débit manque"}
        assert {line.solved for line in lines} == {"inconnu"}

    def test_a_price_below_the_floor_names_the_floor(self) -> None:
        line = self.lines(reference="gpt-5.4-mini", floor_eur=Decimal(600))["Prix d’une instance"]
        assert line.reading == f"peu plausible{NB}: sous votre prix plancher (600,00{NB}€)"

    def test_hourly_prices_are_by_the_hour(self) -> None:
        line = self.lines(basis=Basis.HOUR)["Prix d’une instance"]
        assert (line.now, line.solved) == (f"1,50{NB}€/h", f"1,86{NB}€/h")

    def test_english_parts_are_joined_as_in_english(self) -> None:
        with translation.override("en"):
            line = solved.lines(found())[0]
        assert line.solved == "from 61.9M to 108M; from 124M on"


class TestSensitivity:
    def test_the_title_names_what_weighs_most(self) -> None:
        assert moved.title(found()) == f"Ce qui pèse le plus{NB}: utilisation d’une instance"

    def test_it_says_so_where_no_range_changes_the_side(self) -> None:
        """At 10 M the API costs a sixth of the card: nothing of this turns that."""
        assert moved.title(found(volume_tokens=Decimal(10_000_000))).startswith("Aucune plage ne change le côté")

    def test_nothing_moves_without_a_gap(self) -> None:
        assert moved.title(no_api()) == "Aucune de ces plages ne déplace l’écart"
        assert charts.tornado(no_api()) is None

    def test_a_bar_shows_its_range_its_origin_and_both_ends(self) -> None:
        first = moved.lines(found())[0]
        assert (first.low, first.now, first.high) == (f"24,0{NB}%", f"65,0{NB}%", f"90,0{NB}%")
        assert (first.low_gap, first.high_gap) == (f"+1{NARROW}149{NB}€", f"−512{NB}€")
        assert first.flips == "change de côté"
        assert first.badge is not None
        assert first.badge.kind == "assumption"

    def test_the_bands_are_those_of_the_domain(self) -> None:
        gpu, api = moved.bands(found())
        assert (gpu.now, gpu.low, gpu.high) == (f"8,31{NB}€", f"7,48{NB}€", f"27,41{NB}€")
        assert (api.name, api.low, api.high) == ("gpt-5.4", f"10,81{NB}€", f"17,25{NB}€")

    def test_an_unknown_range_is_a_word(self) -> None:
        lines = {line.name: line for line in moved.lines(on_request())}
        assert lines["Prix d’une instance"].low == "inconnu"
        assert lines["Prix d’une instance"].low_gap == "inconnu"


class TestYear:
    @pytest.mark.parametrize(
        ("fields", "title"),
        [
            ({}, f"Instance n°{NB}2 au mois 2, puis n°{NB}3 au mois 10"),
            ({"growth_ratio": Decimal(0)}, "Aucune instance de plus en douze mois"),
            ({"growth_ratio": Decimal("0.01")}, f"Instance n°{NB}2 au mois 9"),
            (
                {"growth_ratio": Decimal(1)},
                f"Instance n°{NB}2 au mois 2, puis n°{NB}3 à 4 au mois 3, n°{NB}5 à 8 au mois 4, "
                f"n°{NB}9 à 15 au mois 5 …",
            ),
        ],
    )
    def test_the_title_says_when_the_next_instances_come(self, fields: dict[str, Any], title: str) -> None:
        year = found(None, **fields).ramp
        assert year is not None
        assert months.title(year) == title

    def test_the_sentences_say_growth_crossing_and_total(self) -> None:
        whole = found()
        assert whole.ramp is not None
        assert months.sentences(whole, whole.ramp) == (
            f"Croissance de 10,0{NB}% par mois.",
            f"GPU-PRO coûte d’abord moins{NB}; le côté le moins cher change (mois{NB}: 2, 4).",
            f"Sur l’année{NB}: GPU-PRO 21{NARROW}597{NB}€, gpt-5.4 28{NARROW}711{NB}€.",
            "Au total, GPU-PRO a coûté moins dès le mois 1.",
        )

    @pytest.mark.parametrize(
        ("fields", "sentence"),
        [
            ({"growth_ratio": Decimal(0)}, "GPU-PRO coûte moins toute l’année."),
            ({"reference": "gpt-5.4-mini"}, "gpt-5.4-mini coûte moins toute l’année."),
        ],
    )
    def test_a_side_may_win_all_year(self, fields: dict[str, Any], sentence: str) -> None:
        whole = found(None, **fields)
        assert whole.ramp is not None
        assert months.sentences(whole, whole.ramp)[1] == sentence

    def test_an_unknown_side_has_no_crossing_and_no_figure(self) -> None:
        whole = on_request()
        assert whole.ramp is not None
        assert len(months.sentences(whole, whole.ramp)) == 1
        assert charts.year(whole, whole.ramp) is None
        assert {line.gpu for line in months.lines(whole.ramp)} == {"inconnu"}

    def test_arrivals_in_english(self) -> None:
        with translation.override("en"):
            year = found().ramp
            assert year is not None
            assert year.arrivals[0] == Arrival(2, 2, 2)
            assert months.title(year) == "Instance 2 in month 2, then 3 in month 10"


class TestFigures:
    def test_names_that_end_near_each_other_are_moved_apart(self) -> None:
        """61.5 M without growth: 826 € and 831 € end on the same height."""
        whole = found(volume_tokens=Decimal(61_500_000), growth_ratio=Decimal(0))
        assert whole.ramp is not None
        figure = charts.year(whole, whole.ramp)
        assert figure is not None
        go.Figure(data=figure["data"], layout=figure["layout"])
        assert {note["yshift"] for note in figure["layout"]["annotations"]} == {-9, 9}

    def test_the_staircase_holds_its_height_through_the_month(self) -> None:
        whole = found()
        assert whole.ramp is not None
        figure = charts.year(whole, whole.ramp)
        assert figure is not None
        assert figure["data"][1]["line"]["shape"] == "hv"

    def test_bars_overlap_on_one_line_and_the_equality_is_a_rule(self) -> None:
        figure = charts.tornado(found())
        assert figure is not None
        go.Figure(data=figure["data"], layout=figure["layout"])
        assert figure["layout"]["barmode"] == "overlay"
        assert figure["layout"]["shapes"][0]["x0"] == 0


class TestRenting:
    def test_each_way_with_its_price_its_month_and_its_idle_share(self) -> None:
        used, always, month, year = renting.ways(found())
        assert (used.price, used.month, used.idle) == (f"1,50{NB}€/h", f"1{NARROW}002,00{NB}€", f"35{NB}%")
        assert (always.month, always.idle) == (f"1{NARROW}080,00{NB}€", f"40{NB}%")
        assert (month.month, month.per_mtok, month.css) == (f"830,64{NB}€", f"8,31{NB}€", "best gpu")
        assert (year.price, year.month, year.idle) == ("sur devis", "–", "–")

    def test_the_sentences_say_how_much_the_card_works_and_when_the_month_pays(self) -> None:
        assert renting.sentences(found()) == (
            f"Cette carte travaille 60{NB}% du temps.",
            f"Le prix au mois coûte moins à partir de 554 h utilisées par mois (77{NB}%).",
        )

    def test_several_cards_work_together(self) -> None:
        assert renting.sentences(found(volume_tokens=Decimal(300_000_000)))[0].startswith("Ces cartes travaillent")

    def test_a_month_that_never_pays_says_so(self) -> None:
        """1 500 € a month at 1.50 €/h: 1 000 h, more than the month has."""
        text = renting.sentences(found(month_eur=Decimal(1500)))[1]
        assert text.startswith("Le prix au mois dépasse toujours le prix à l’heure")

    def test_a_year_that_is_typed_says_from_when_it_pays(self) -> None:
        text = renting.sentences(found(year_eur_per_month=Decimal("692.20")))[2]
        assert text == "L’engagement d’un an coûte moins à partir de 10,0 mois d’usage."

    def test_a_year_that_never_pays_is_not_said_to_pay(self) -> None:
        """900 € × 12 ÷ 830.64 € = 13.0 months of a year that has twelve."""
        text = renting.sentences(found(year_eur_per_month=Decimal(900)))[2]
        assert text == f"L’engagement d’un an coûte toujours plus que le mois{NB}: il faudrait 13,0 mois d’usage."


class TestFiles:
    def test_the_rows_hold_what_the_page_says(self) -> None:
        """Unrounded, in the page's order: the same months, ways and ends."""
        whole = found()
        by_label = {(row.section, row.label): row.value for row in rows.rows(whole)}
        assert by_label["Verdict", "Verdict"] == verdicts.plain(whole.both).text
        assert by_label["Verdict", "GPU moins API"] == whole.both.gap_eur
        assert by_label["Ce qu’il faudrait", f"Dollars pour 1{NB}€, à égalité"] == whole.solutions[-1].solved
        assert by_label["Mois 12", "GPU, cumulé"] == Decimal("21596.64")
        assert by_label["Douze mois", "Instances voulues dès le mois 10"] == 3
        crossings = [row.value for row in rows.rows(whole) if row.label == "Changement du côté le moins cher"]
        assert crossings == [2, 4]
        assert by_label[f"Engagement{NB}: Au mois", "Coût du mois"] == Decimal("830.64")
        assert by_label["Électricité", "Cartes, heures payées"] == Decimal("3.24")

    def test_unknown_values_are_never_zero(self) -> None:
        values = {(row.section, row.label): row.value for row in rows.rows(on_request())}
        assert values["Verdict", "GPU moins API"] is None
        assert values["Mois 1", "GPU"] is None
        assert values[f"Engagement{NB}: Au mois", "Prix"] == "sur devis"

    def test_volumes_that_are_never_reached_stand_as_words(self) -> None:
        values = {row.label: row.value for row in rows.rows(found(reference="gpt-5.4-mini"))}
        assert values["Volume de sortie par mois, à égalité"] == "aucune valeur"


class TestClaims:
    def test_what_a_list_leaves_open_is_said_to_be_so(self) -> None:
        table = claims.claims()
        cells = dict(table.lines)
        assert cells["Latence moyenne"][2] == "non précisé"
        assert len(cells) == len(claims.ATTRIBUTES) == 6

    def test_a_grid_factor_has_its_year_its_publisher_and_its_source(self) -> None:
        (factor,) = grid.factors(case.scenario())
        assert factor.title == f"Union européenne, 2023{NB}: 243,83 g/kWh (Ember)"
        assert factor.badge is not None
        assert factor.badge.href.startswith("https://github.com/thegreenwebfoundation/co2.js/")
        assert grid.factors(case.scenario(grid_g_per_kwh=Decimal("243.83")))[0].is_current
