"""Settings of the tests: the product's own, with a var/ of their own and without work that tests would wait for.

Child processes that a test starts (a worker, a command) inherit DJANGO_SETTINGS_MODULE and VMCLOUD_TEST_VAR, so they
share this run's folder and never touch the var/ of the checkout.
"""

import atexit
import os
import shutil
import tempfile

if not os.environ.get("VMCLOUD_TEST_VAR"):
    os.environ["VMCLOUD_TEST_VAR"] = tempfile.mkdtemp(prefix="vmcloud-tests-")
    _owner = os.getpid()

    def _remove(folder: str = os.environ["VMCLOUD_TEST_VAR"]) -> None:
        if os.getpid() == _owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(_remove)
os.environ["VMCLOUD_VAR"] = os.environ["VMCLOUD_TEST_VAR"]
os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"

from vmcloud.settings import *  # noqa: F403
from vmcloud.settings import ALLOWED_HOSTS, STATIC_ROOT, STORAGES

ALLOWED_HOSTS = [*ALLOWED_HOSTS, "testserver"]
# Slow on purpose in production, of no use where every password is a test's own.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Tests ask hundreds of times a minute; the limit has tests of its own.
API_RATE = 0
# No manifest: templates resolve static files without collectstatic.
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
