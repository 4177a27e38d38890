"""The product's settings with one more address: the result template filled from rows that are ready."""

from vmcloud.settings import *  # noqa: F403

ROOT_URLCONF = "bench.urls"
