"""The Celery application. Tasks are looked for in the `tasks` modules of the installed apps."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vmcloud.settings")

app = Celery("vmcloud")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
