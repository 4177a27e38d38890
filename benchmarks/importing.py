"""A result that another tool measured becomes a run of its own origin: read, stored once, never published."""

import dataclasses
import hashlib
from pathlib import PurePath

from django.utils import timezone

from benchmarks import foreign, services
from benchmarks.foreign import ForeignError, ForeignResult, ForeignStep
from benchmarks.foreign.reading import COUNT_LIMIT, LIMIT_BYTES
from benchmarks.models import BenchmarkRun, BenchmarkStep

ENVELOPE_BYTES = 100_000
"""What a posted form holds beside the file: names and the token."""
BODY_LIMIT_BYTES = LIMIT_BYTES + ENVELOPE_BYTES


def import_bytes(raw: bytes, file_name: str, by_id: int | None, tool_version: str = "") -> list[BenchmarkRun]:
    """The runs of a file; a version that the file itself does not say may be told. Raises ForeignError.

    A file is kept once: of two imports at the same instant the database refuses the second, which then finds the first.
    """
    results = foreign.read(raw)
    digest = hashlib.sha256(raw).hexdigest()
    source: dict[str, object] = {
        "import_file_name": PurePath(file_name).name[:120],
        "import_file_sha256": digest,
        "created_by_id": by_id,
    }

    def store_all() -> list[BenchmarkRun]:
        refuse_known(digest)
        return [store(result, tool_version, {**source, "import_number": at}) for at, result in enumerate(results, 1)]

    return services.numbered(store_all)


def refuse_known(digest: str) -> None:
    """ForeignError with the first run of the file whose content has this digest, where there is one."""
    known = BenchmarkRun.objects.filter(import_file_sha256=digest).order_by("pk").first()
    if known is not None:
        raise ForeignError("duplicate", known.code)


def store(result: ForeignResult, tool_version: str, source: dict[str, object]) -> BenchmarkRun:
    """One run with its steps. Lengths are what was reached, for that is all these files say."""
    now = timezone.now()
    run = BenchmarkRun.objects.create(
        code=services.next_code(timezone.localtime(now).year),
        origin=BenchmarkRun.Origin.IMPORTED,
        engine_kind="",
        status=BenchmarkRun.Status.SUCCEEDED,
        phase=BenchmarkRun.Phase.AGGREGATING,
        created_at=now,
        finished_at=now,
        measured_at=result.measured_at,
        requests_count=max((step.ok_count or 0 for step in result.steps), default=0),
        prompt_tokens=length(result, "prompt_tokens_mean"),
        output_tokens=length(result, "output_tokens_mean"),
        seed=0,
        pattern=pattern(result),
        model_name=result.model[:60],
        engine=result.engine[:60],
        engine_version=result.engine_version[:60],
        import_tool=result.tool,
        import_tool_version=(result.tool_version or tool_version)[:80],
        import_definition=result.definition,
        import_hardware=result.hardware[:200],
        flag_random_weights=False,
        **source,
    )
    BenchmarkStep.objects.bulk_create(step_of(run, at, step) for at, step in enumerate(result.steps, start=1))
    return run


def length(result: ForeignResult, name: str) -> int:
    """The longest mean of any load, whole; 0 where no load says one."""
    longest = max((getattr(step, name) or 0.0 for step in result.steps), default=0.0)
    if longest > COUNT_LIMIT:
        raise ForeignError("out_of_range", name)
    return round(longest)


def pattern(result: ForeignResult) -> str:
    """Closed when no load has a pace; how requests were spread around one is not always said."""
    paced = any(step.rate_per_s for step in result.steps)
    return BenchmarkRun.Pattern.CONSTANT if paced else BenchmarkRun.Pattern.CLOSED


def step_of(run: BenchmarkRun, position: int, step: ForeignStep) -> BenchmarkStep:
    """The columns of a load under our names; their meaning is the tool's."""
    known = step.ok_count is not None and step.error_count is not None
    values = dataclasses.asdict(step) | (
        {"measured_count": (step.ok_count or 0) + (step.error_count or 0)}
        if known
        else {"ok_count": None, "error_count": None}
    )
    return BenchmarkStep(run=run, position=position, finished_at=run.finished_at, complete=True, **values)
