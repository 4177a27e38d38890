"""How gunicorn serves the product: read by gunicorn from the working directory, values by environment."""

import gc
import os
import sys
from typing import Any

# Threads share a pool of PostgreSQL connections; it is opened after the fork, in each process for itself.
os.environ.setdefault("DATABASE_POOL", "1")

bind = f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ.get('PORT', '8000')}"
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
worker_class = "gthread"
threads = 4
timeout = 60
graceful_timeout = 4
# The most that gunicorn takes: the longest link of the catalogue is well below, long typed texts may not be.
limit_request_line = 8190
# No control socket: it would lie in the home folder, which two checkouts and a service user do not share.
control_socket_disable = True


# Collections of garbage look at what requests left behind, less often than Python's own default would.
COLLECT_AFTER = (20_000, 20, 50)


def post_worker_init(worker: Any) -> None:
    """Leave the loaded program out of every later collection: it never becomes garbage."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)


def on_starting(server: Any) -> None:
    """Say in one sentence what would make every page fail, before any worker starts; clear what a killed one left."""
    from vmcloud.preflight import exit_unless_ready

    exit_unless_ready()
    from django.conf import settings

    from vmcloud import incoming

    incoming.clear(settings.FILE_UPLOAD_TEMP_DIR)


def when_ready(server: Any) -> None:
    """The line that a person who typed `make run` waits for."""
    sys.stdout.write(f"VMCloud calculator answers at http://{bind} (Ctrl-C stops everything)\n")
    sys.stdout.flush()
