"""Applies a price file in processes of their own, on a real database: many at once, or killed after any statement.

python -m tests.pricelist.applyprocess prepare
python -m tests.pricelist.applyprocess apply UPLOAD USERNAME GO     wait for the file GO, apply, print the answer
python -m tests.pricelist.applyprocess crash UPLOAD USERNAME        apply in forks that kill themselves
python -m tests.pricelist.applyprocess crash-back VERSION USERNAME  roll back in forks that kill themselves
python -m tests.pricelist.applyprocess watch READY GO               look at a price, touch READY, look again after GO
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.db import connection, connections  # noqa: E402
from django.utils import timezone  # noqa: E402

from calculator import catalog  # noqa: E402
from calculator.domain.offers import Basis  # noqa: E402
from calculator.models import CatalogVersion, PriceEvent, PriceRow, PriceUpload  # noqa: E402
from calculator.pricelist import publish, rollback  # noqa: E402
from calculator.pricelist.refusals import Refused  # noqa: E402
from tests import factories as make  # noqa: E402

HEAD = "sku;component;amount;currency;unit;provider;label_fr;label_en;gpu;gpu_count;vram_gb;aliases"
NEW = "GPU-NEW;instance_hour;2,00;EUR;instance_hour;VMCloud;Neuve;New;RTX 4090;1;24;neuve"
OLD = "GPU-PRO;instance_hour;1,60;EUR;instance_hour;VMCloud;Dédiée;Dedicated;RTX 4090;1;24;"
OTHER = "GPU-PRO;instance_hour;1,55;EUR;instance_hour;VMCloud;GPU-PRO;GPU-PRO;RTX 4090;1;24;"
WAIT_S = 60
RIGHTS = ("upload_prices", "apply_prices", "rollback_prices")


def prepare() -> dict[str, list[int]]:
    """A catalogue with one price, two people, and a file of each that is ready to be applied."""
    make.make_price(make.make_sku("GPU-PRO", gpu=make.make_gpu("RTX 4090")), "instance_hour", "1.50")
    found = []
    for username, rows in (("alice", (NEW, OLD)), ("bob", (OTHER,))):
        by = make.make_user(username, *RIGHTS)
        upload = publish.receive("\n".join([HEAD, *rows]).encode(), f"{username}.csv", by)
        publish.validate(upload)
        found.append(upload.pk)
    return {"uploads": found}


def state() -> dict[str, Any]:
    """What the database holds, in a form that two processes can compare."""
    return {
        "versions": list(CatalogVersion.objects.order_by("number").values_list("number", flat=True)),
        "amounts": sorted(f"{row.item} {row.amount}" for row in PriceRow.objects.select_related("item")),
        "uploads": list(PriceUpload.objects.order_by("id").values_list("status", "applied_version")),
        "events": list(PriceEvent.objects.order_by("id").values_list("action", "version")),
        "labels": sorted({row.item.label_fr for row in PriceRow.objects.select_related("item")}),
    }


def answer(upload: int, username: str) -> dict[str, Any]:
    """Apply, and say what came of it."""
    try:
        done = publish.apply(PriceUpload.objects.get(pk=upload), User.objects.get(username=username))
    except Refused as refused:
        return {"refused": refused.code}
    return {"version": done.version.number, "already": done.already}


def take_back(version: int, username: str) -> dict[str, Any]:
    """Roll a version back, and say what came of it."""
    target, by = CatalogVersion.objects.get(number=version), User.objects.get(username=username)
    try:
        done = rollback.rollback(target, by, "two at once")
    except Refused as refused:
        return {"refused": refused.code}
    return {"version": done.version.number, "already": done.already}


def wait_for(go: Path) -> None:
    """Wait until the file is there: all processes start at the same moment."""
    connection.ensure_connection()
    deadline = time.monotonic() + WAIT_S
    while not go.exists() and time.monotonic() < deadline:
        time.sleep(0.001)


def price_now() -> str:
    """What an instance costs an hour at this moment, as every page and worker reads it."""
    (sku,) = [one for one in catalog.sku_choices(catalog.latest_version(), timezone.now()) if one.code == "GPU-PRO"]
    return str(sku.prices[Basis.HOUR].value)


def watch(ready: Path, go: Path) -> dict[str, str]:
    """The price before and after GO, in one process that was warm in between."""
    before = price_now()
    ready.touch()
    wait_for(go)
    return {"before": before, "after": price_now()}


def close_all() -> None:
    """Leave no connection open that a fork would share."""
    for one in connections.all():
        one.close()
        if hasattr(one, "close_pool"):
            one.close_pool()


def killed_after(statements: int) -> Any:
    """A wrapper of statements that kills this very process once so many have run."""
    seen = 0

    def execute_and_die(execute: Any, *arguments: Any) -> Any:
        nonlocal seen
        result = execute(*arguments)
        seen += 1
        if seen == statements:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return execute_and_die


def crash(step: Callable[[int, str], Any], number: int, username: str) -> dict[str, Any]:
    """Do a step again and again, killed one statement later each time, until it is not killed; the states between."""
    before, states, killed = state(), [], 0
    while True:
        close_all()
        child = os.fork()
        if child == 0:
            with connection.execute_wrapper(killed_after(killed + 1)):
                step(number, username)
            os._exit(0)
        _pid, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            return {"before": before, "killed": killed, "states": states, "after": state(), "status": status}
        killed += 1
        states.append(state())


def main(name: str, *arguments: str) -> dict[str, Any]:
    """One of the commands above."""
    if name == "prepare":
        return prepare()
    if name == "state":
        return state()
    if name in ("crash", "crash-back"):
        return crash(answer if name == "crash" else take_back, int(arguments[0]), arguments[1])
    if name == "watch":
        return watch(Path(arguments[0]), Path(arguments[1]))
    number, username, go = arguments
    wait_for(Path(go))
    return answer(int(number), username) if name == "apply" else take_back(int(number), username)


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
