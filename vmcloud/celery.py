"""The Celery application. Tasks are looked for in the `tasks` modules of the installed apps."""

import os
import warnings
from typing import Any

from celery import Celery
from celery.signals import celeryd_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vmcloud.settings")

app = Celery("vmcloud")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

# Celery warns root because a pickled message could run code; only JSON is accepted here, whoever starts the worker.
warnings.filterwarnings("ignore", message=r"\s*You're running the worker with superuser privileges")


@celeryd_init.connect
def refuse_to_start_unready(**kwargs: Any) -> None:
    """A worker without database, migrations or broker says so in one sentence instead of retrying for ever."""
    from vmcloud.preflight import exit_unless_ready

    exit_unless_ready()
