"""The project: settings, URL table, Celery application."""

from vmcloud.celery import app as celery_app

__all__ = ["celery_app"]
