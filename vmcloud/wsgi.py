"""The WSGI entry point for gunicorn."""

import os

from django.core.wsgi import get_wsgi_application

from vmcloud.bodies import bounded

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vmcloud.settings")

application = bounded(get_wsgi_application())
