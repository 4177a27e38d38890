"""All settings in one file. Everything that differs between machines is read from the environment by typed readers."""

import contextlib
import os
import secrets
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP

BASE_DIR = Path(__file__).resolve().parent.parent


def env_text(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def env_bool(name: str, default: bool = False) -> bool:
    text = env_text(name).lower()
    if not text:
        return default
    if text in {"1", "true", "yes", "on"}:
        return True
    if text in {"0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, not “{text}”.")


def env_number(name: str, default: int) -> int:
    """A whole number of 0 or more; raises ImproperlyConfigured for anything else."""
    text = env_text(name, str(default))
    if not text.isascii() or not text.isdigit():
        raise ImproperlyConfigured(f"{name} must be a whole number, not {text!r}.")
    return int(text)


def web_processes() -> int:
    """How many processes gunicorn starts; it reads the same variable and would fail on it with a stack trace."""
    count = env_number("WEB_CONCURRENCY", 2)
    if not count:
        raise ImproperlyConfigured("WEB_CONCURRENCY must be 1 or more: without a process no page is answered.")
    return count


def env_list(name: str, default: str = "") -> list[str]:
    return [part.strip() for part in env_text(name, default).split(",") if part.strip()]


def var_dir() -> Path:
    """The one folder that the product writes to: database, queue, secret key, collected static files, backups."""
    path = Path(env_text("VMCLOUD_VAR") or BASE_DIR / "var").resolve()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Permissions do not tell: root may write anywhere but on a disk that is mounted for reading.
        tempfile.TemporaryFile(dir=path).close()
    except OSError as error:
        raise ImproperlyConfigured(
            f"The folder for data, {path}, cannot be made or written to ({error.strerror}); "
            "name another by VMCLOUD_VAR."
        ) from error
    return path


VAR_DIR = var_dir()


def secret_key() -> str:
    """The key from the environment, else one generated once into var/ and readable by its owner only."""
    if given := env_text("SECRET_KEY"):
        return given
    path = VAR_DIR / "secret_key"
    if not path.exists():
        # Whole under its name or not there at all, also for another start at the same moment and on a full disk.
        with tempfile.NamedTemporaryFile("w", dir=VAR_DIR) as file, contextlib.suppress(FileExistsError):
            file.write(secrets.token_urlsafe(50))
            file.flush()
            os.link(file.name, path)
    return path.read_text().strip()


def pool() -> dict[str, Any]:
    """A pool of connections for gunicorn's threads: gunicorn.conf.py asks for it, commands and the worker do not."""
    if not env_bool("DATABASE_POOL"):
        return {}
    return {"pool": {"min_size": 1, "max_size": 8, "timeout": 5}}


def database() -> dict[str, Any]:
    """SQLite in var/ by default, PostgreSQL by DATABASE_URL (postgresql://user:password@host:port/name?host=/socket)."""
    url = env_text("DATABASE_URL")
    if not url:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": VAR_DIR / "db.sqlite3",
            # Opening the file costs 3 ms, a sixth of a live answer; restore runs only when nothing else does.
            "CONN_MAX_AGE": 60,
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
            },
        }
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ImproperlyConfigured(f"DATABASE_URL cannot be read: {error}.") from error
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured(
            "DATABASE_URL must start with postgresql:// (leave it empty for the built-in SQLite database)."
        )
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise ImproperlyConfigured("DATABASE_URL names no database: postgresql://user@host:5432/NAME.")
    query = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or query.pop("user", "")),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", "") or unquote(parts.hostname or ""),
        "PORT": query.pop("port", "") or str(port or ""),
        "CONN_HEALTH_CHECKS": True,
        # A server that is gone must be noticed before a run that waits for it is taken for dead.
        "OPTIONS": {**pool(), "connect_timeout": 5, "tcp_user_timeout": 15_000, **query},
    }


SECRET_KEY = secret_key()
DEBUG = env_bool("DEBUG")
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "axes",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "vmcloud",
    "calculator",
    "benchmarks",
    "sales",
]

MIDDLEWARE = [
    "vmcloud.requestids.with_request_id",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "vmcloud.headers.private_unless_said",
    # Below WhiteNoise, whose files are compressed already; Django pads the length against guessing by size.
    "django.middleware.gzip.GZipMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    # Below the language, above all that may refuse a request.
    "sales.api.frame.framed",
    "vmcloud.bodies.said_when_given_up",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
    "vmcloud.adminqueries.without_null",
]

WEB_PROCESSES = web_processes()

ROOT_URLCONF = "vmcloud.urls"
WSGI_APPLICATION = "vmcloud.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "calculator.context.site",
            ],
        },
    }
]

DATABASES: dict[str, dict[str, Any]] = {"default": database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS: list[dict[str, Any]] = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": env_number("PASSWORD_LENGTH", 12)},
    },
    *(
        {"NAME": f"django.contrib.auth.password_validation.{name}"}
        for name in ("UserAttributeSimilarityValidator", "CommonPasswordValidator", "NumericPasswordValidator")
    ),
]
# A link to choose a password works for a day, and once.
PASSWORD_RESET_TIMEOUT = 24 * 3600
# So many failures lock a name out from an address; so many more slow a whole address, or a name from everywhere.
LOGIN_FAILURES = env_number("LOGIN_FAILURES", 5)
LOGIN_RATE = env_number("LOGIN_RATE", 30)
LOGIN_LOCK_MINUTES = env_number("LOGIN_LOCK_MINUTES", 15)
AXES_FAILURE_LIMIT = LOGIN_FAILURES
AXES_COOLOFF_TIME = timedelta(minutes=LOGIN_LOCK_MINUTES)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_CALLABLE = "vmcloud.accounts.views.locked_out"
AXES_CLIENT_IP_CALLABLE = "vmcloud.accounts.addresses.client_address"
AXES_RESET_ON_SUCCESS = True
# Whoever goes on trying does not lengthen the lock of the person whose name he uses.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "code", "csrfmiddlewaretoken"]
AXES_ENABLE_ADMIN = False
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
OTP_TOTP_ISSUER = "VMCloud calculator"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"

LANGUAGE_CODE = "fr"
LANGUAGES = [("fr", "français"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "vmcloud" / "locale"]
TIME_ZONE = "Europe/Paris"
USE_I18N = True
USE_TZ = True

# A folder of its own for what is being uploaded: readable by nobody else, and emptied at each start of gunicorn, since
# a process that is killed leaves its files behind.
FILE_UPLOAD_TEMP_DIR = VAR_DIR / "incoming"
FILE_UPLOAD_TEMP_DIR.mkdir(mode=0o700, exist_ok=True)
FILE_UPLOAD_TEMP_DIR.chmod(0o700)

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = VAR_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "vmcloud.statics.LightStorage"},
}
# The sheets of every page in their order, and the one that they are joined into where static files are collected.
STYLE_PARTS = ("css/tokens.css", "css/base.css", "css/components.css", "css/print.css")
STYLE_SHEET = "css/site.css"

# Plotly fills one empty <style> element through the CSS object model; this is the SHA-256 of the empty string.
EMPTY_STYLE_HASH = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
SECURE_CSP = {
    "default-src": [CSP.SELF],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF, EMPTY_STYLE_HASH],
    "img-src": [CSP.SELF, "data:"],
    "object-src": [CSP.NONE],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
    "form-action": [CSP.SELF],
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True
# A working day; logging in and changing the password give the session a new key.
SESSION_COOKIE_AGE = 3600 * env_number("SESSION_HOURS", 12)
HTTPS = env_bool("HTTPS")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
CSRF_COOKIE_SAMESITE = "Lax"
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
# A load balancer asks for the health of the process over plain HTTP.
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
BEHIND_PROXY = env_bool("BEHIND_PROXY")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None

BROKER_SCHEMES = ("filesystem", "memory", "redis", "rediss", "redis+socket", "amqp", "amqps")


def broker_url() -> str:
    """Files in var/ by default; Redis, Valkey or RabbitMQ by CELERY_BROKER_URL."""
    url = env_text("CELERY_BROKER_URL") or "filesystem://"
    if "://" not in url or url.partition("://")[0] not in BROKER_SCHEMES:
        raise ImproperlyConfigured(
            "CELERY_BROKER_URL must start with redis://, rediss://, redis+socket://, amqp:// or amqps:// "
            "(leave it empty for the built-in queue of files)."
        )
    return url


CELERY_BROKER_URL = broker_url()
# Hosts and networks outside the public internet that a measurement may ask: names, addresses, 10.0.0.0/8.
BENCHMARK_TARGETS = env_list("BENCHMARK_TARGETS")
# The vLLM of this host (else `vllm` on PATH), and how long it may take until it answers: weights are loaded first.
VLLM = env_text("VLLM")
VLLM_START_S = env_number("VLLM_START_S", 1800)
# The Python of a GPU host that has torch: probes run under it, never inside the web application.
GPU_PYTHON = env_text("GPU_PYTHON")
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
if CELERY_BROKER_URL.startswith("filesystem"):
    QUEUE_DIR = VAR_DIR / "queue"
    QUEUE_DIR.mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT = "vmcloud.filequeue:Transport"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(QUEUE_DIR),
        "data_folder_out": str(QUEUE_DIR),
        "control_folder": str(VAR_DIR / "queue-control"),
        "processed_folder": str(VAR_DIR / "queue-processed"),
        "polling_interval": 0.05,
    }

# Shown on pages and quotes as they stand here; an empty one shows as the word for “not given”, never as an invention.
SAVES_PER_HOUR = env_number("SAVES_PER_HOUR", 240)

# Sites whose pages may read the programming interface (scheme, host, port); none, and `*` is everybody.
API_ORIGINS = env_list("API_ORIGINS")
# How often one client may ask the programming interface within a minute; 0 is no limit.
API_RATE = env_number("API_RATE", 120)

# Prices and rates that nobody has looked at for long: calculator/staleness.py says what follows from these.
PRICE_AMBER_DAYS = env_number("PRICE_AMBER_DAYS", 90)
PRICE_OUT_OF_QUOTES_DAYS = env_number("PRICE_OUT_OF_QUOTES_DAYS", 180)
RATE_AMBER_WORKING_DAYS = env_number("RATE_AMBER_WORKING_DAYS", 4)
RATE_RED_WORKING_DAYS = env_number("RATE_RED_WORKING_DAYS", 10)

# Quotes: valid for so many days unless another date is typed; below this margin a second person agrees; proposals that
# one link may send back within a day.
QUOTE_VALID_DAYS = env_number("QUOTE_VALID_DAYS", 30)
QUOTE_MARGIN_FLOOR_PERCENT = env_number("QUOTE_MARGIN_FLOOR_PERCENT", 0)
QUOTE_PROPOSALS_PER_DAY = env_number("QUOTE_PROPOSALS_PER_DAY", 20)

SELLER_NAME = env_text("SELLER_NAME", "VMCloud")
SELLER_ADDRESS = env_text("SELLER_ADDRESS")
SELLER_LEGAL = env_text("SELLER_LEGAL")
SELLER_CONTACT = env_text("SELLER_CONTACT")
SELLER_TERMS = env_text("SELLER_TERMS")


def log_level() -> str:
    level = env_text("LOG_LEVEL", "INFO").upper()
    if level not in {"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"}:
        raise ImproperlyConfigured("LOG_LEVEL must be DEBUG, INFO, WARNING, ERROR or CRITICAL.")
    return level


LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "()": "vmcloud.logs.SecretFreeFormatter",
            "format": "{asctime} {levelname} {request}{name}: {message}",
            "style": "{",
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": log_level()},
    # Failures and locks are told; four lines about each success are not.
    "loggers": {"axes": {"level": "WARNING"}},
}
