"""A run while it lives, and the list of runs: titles, progress, the timeline, the log. results.py has what it found."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from benchmarks.models import BenchmarkRun, BenchmarkTick
from benchmarks.queries import RunView
from benchmarks.wording import TAGS, duration, load_words, milliseconds, status_word, tok_per_s
from calculator import formats

LOG_LINES_COUNT = 8


@dataclass(frozen=True, slots=True)
class Log:
    """Lines of text: those before the last, each with its line end, and the last."""

    earlier: str
    last: str


@dataclass(frozen=True, slots=True)
class Stage:
    """One dot of the timeline. `state` is done, current or to come."""

    name: str
    detail: str
    state: str


def title(view: RunView) -> str:
    """The page's title: it changes when the state does."""
    run = view.run
    if run.status == "running":
        share = formats.percent(progress_ratio(view))
        return _("Mesure %(code)s, %(share)s") % {"code": run.code, "share": share}
    return _("Mesure %(code)s, %(state)s") % {"code": run.code, "state": status_word(run.status)}


def conditions(run: BenchmarkRun) -> str:
    """Model, engine and lengths in one line."""
    lengths = _("prompt %(prompt)s, réponse %(output)s") % {
        "prompt": formats.number(run.prompt_tokens or None),
        "output": formats.number(run.output_tokens or None),
    }
    asked = _("demandée le %(at)s") % {"at": formats.instant(run.created_at)}
    return " · ".join(part for part in (run.model_name, run.engine, lengths, asked) if part)


def progress_ratio(view: RunView) -> float:
    """Share of the measured requests of all steps that have ended, 0–1."""
    total = view.run.requests_count * len(view.steps)
    ended = sum(step.measured_count or 0 for step in view.steps)
    if view.ticks and view.ticks[-1].step_id not in {step.pk for step in view.steps if step.finished_at}:
        ended += view.ticks[-1].done_count
    return min(1.0, ended / total) if total else 0.0


def position_words(view: RunView) -> str:
    """Where a live run stands: in the queue, being prepared, or at which step."""
    if view.run.status == "queued":
        return waiting_words(view.ahead_count)
    if not view.ticks:
        return _("préparation du serveur")
    step = view.ticks[-1].step
    return _("palier %(position)d sur %(count)d, %(streams)s") % {
        "position": step.position,
        "count": len(view.steps),
        "streams": load_words(step),
    }


def waiting_words(ahead: int) -> str:
    if not ahead:
        return _("la prochaine à partir")
    return ngettext("%(count)d mesure avant elle", "%(count)d mesures avant elle", ahead) % {"count": ahead}


def elapsed(view: RunView, now: dt.datetime) -> str:
    """How long a live run has been going, and about how long it still needs once that can be told."""
    run = view.run
    since = run.started_at or run.created_at
    spent_s = (now - since).total_seconds()
    words = _("%(time)s écoulées") % {"time": duration(spent_s)}
    done = progress_ratio(view)
    if run.status != "running" or done < 0.1:
        return words
    left = duration(spent_s * (1 - done) / done)
    return _("%(spent)s, encore %(left)s environ") % {"spent": words, "left": left}


def stages(view: RunView) -> list[Stage]:
    """Queue, preparation, warm-up, measurement, aggregation, with the one under way marked."""
    order = list(BenchmarkRun.Phase.values)
    at = order.index(view.run.phase) if view.live else len(order)
    names = [_("File d’attente"), _("Préparation"), _("Échauffement"), _("Mesure"), _("Agrégation")]
    details = [
        waited(view.run),
        view.run.engine_version or _("modèle et serveur"),
        warm_up_words(view),
        steps_words(view),
        _("centiles et contrôles"),
    ]
    return [
        Stage(name, detail, "done" if index < at else "current" if index == at else "next")
        for index, (name, detail) in enumerate(zip(names, details, strict=True))
    ]


def waited(run: BenchmarkRun) -> str:
    end = run.started_at or run.finished_at or timezone.now()
    return duration((end - run.created_at).total_seconds())


def warm_up_words(view: RunView) -> str:
    count = sum(step.warm_up_count or 0 for step in view.steps)
    return ngettext("%(count)d requête écartée", "%(count)d requêtes écartées", count) % {"count": count}


def steps_words(view: RunView) -> str:
    done = sum(bool(step.finished_at) for step in view.steps)
    sentence = ngettext("%(done)d palier sur %(count)d", "%(done)d paliers sur %(count)d", done)
    return sentence % {"done": done, "count": len(view.steps)}


def log(view: RunView) -> Log | None:
    """The last seconds as lines of text, the newest apart."""
    lines = [log_line(tick) for tick in view.ticks[-LOG_LINES_COUNT:]]
    return Log("".join(f"{line}\n" for line in lines[:-1]), lines[-1]) if lines else None


def log_line(tick: BenchmarkTick) -> str:
    at = timezone.localtime(tick.at).strftime("%H:%M:%S")
    head = _("%(at)s  palier %(position)d  %(streams)s") % {
        "at": at,
        "position": tick.step.position,
        "streams": load_words(tick.step).rjust(7),
    }
    if tick.warming_up:
        return _("%(head)s  échauffement") % {"head": head}
    return _("%(head)s  %(done)d requêtes, %(errors)d erreurs, TTFT p50 %(ttft)s, %(rate)s") % {
        "head": head,
        "done": tick.done_count,
        "errors": tick.error_count,
        "ttft": milliseconds(tick.ttft_p50_ms),
        "rate": tok_per_s(tick.tok_per_s),
    }


def now_facts(view: RunView) -> list[tuple[str, str]]:
    """What stands beside the live curve."""
    if not view.ticks:
        return []
    last = view.ticks[-1]
    requests = sum(step.measured_count or 0 for step in view.steps if step.pk != last.step_id) + last.done_count
    errors = sum(step.error_count or 0 for step in view.steps if step.pk != last.step_id) + last.error_count
    open_loop = last.step.rate_per_s is not None
    per_stream = None if last.tok_per_s is None or open_loop else last.tok_per_s / last.step.concurrency
    return [
        (_("TTFT p50"), milliseconds(last.ttft_p50_ms)),
        (_("Par flux"), tok_per_s(per_stream)),
        (_("Requêtes"), formats.number(requests)),
        (_("Erreurs"), formats.number(errors)),
        (_("Retard du client"), milliseconds(last.loop_lag_ms)),
    ]


def list_rows(runs: Sequence[BenchmarkRun]) -> list[dict[str, Any]]:
    """The lines of the list: number, state, what was asked, the best rate."""
    return [
        {
            "code": run.code,
            "status": status_word(run.status),
            "tag": TAGS[run.status],
            "mark": mark(run),
            "repeat": repeat_of(run),
            "model": run.model_name or model_words(run),
            "sku": run.sku_code or machine(run),
            "at": formats.instant(run.created_at),
            "by": run.created_by.get_username() if run.created_by else _("la ligne de commande"),
            "rate": tok_per_s(getattr(run, "best_tok_per_s", None)),
            "comparable": run.status == "succeeded" and run.kind == BenchmarkRun.Kind.SERVING,
        }
        for run in runs
    ]


def model_words(run: BenchmarkRun) -> str:
    """What stands in place of a model's name."""
    if run.kind == BenchmarkRun.Kind.PROBE:
        return _("sonde %(name)s") % {"name": run.probe}
    return formats.number(None) if run.import_tool else _("modèle d’essai")


def machine(run: BenchmarkRun) -> str:
    """What stands in place of an offer: the hardware that a foreign file names, or this machine."""
    return (run.import_hardware or formats.number(None)) if run.import_tool else _("cette machine")


def mark(run: BenchmarkRun) -> str:
    """What a reader of the list must know beside the state."""
    if run.import_tool:
        return _("importée de %(tool)s") % {"tool": run.import_tool}
    if run.withdrawn_at:
        return _("retirée")
    return _("publiée") if run.published_at else ""


def repeat_of(run: BenchmarkRun) -> str:
    """Which repeat of which series, or how many a series has."""
    if run.parent:
        return _("répétition %(number)d de %(code)s") % {"number": run.repeat_number, "code": run.parent.code}
    return f"×\u00a0{run.repeats_count}" if run.repeats_count > 1 else ""
