"""Django settings, from the campaign's folder and a few environment variables; nothing secret is written here.

`ENDOXA_CAMPAIGN` names the folder that `endoxa collect init` made. `DATABASE_URL` replaces the SQLite file in it.
`ENDOXA_HTTPS=1` says that people reach the site by https; `ENDOXA_HOSTS` lists host names, separated by commas;
without it the site answers under this machine's own names and addresses only.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import dj_database_url

from endoxa_collect.addresses import host_names
from endoxa_collect.campaign import UI_LANGUAGES
from endoxa_collect.security.logs import LOGGING as _LOGGING

_HERE = Path(__file__).parent
_folder = os.environ.get("ENDOXA_CAMPAIGN")
FOLDER = Path(_folder) if _folder else None
LISTENING = os.environ.get("ENDOXA_LISTENING", "")
"""The address at which `endoxa collect serve` listens; "" where another program serves the site."""
HTTPS = os.environ.get("ENDOXA_HTTPS") == "1"

_secret = FOLDER / "secret.key" if FOLDER else None
SECRET_KEY = _secret.read_text().strip() if _secret and _secret.exists() else secrets.token_urlsafe(48)
DEBUG = False
_hosts = os.environ.get("ENDOXA_HOSTS")
# Another name that leads here could be a stranger's page which reads the site through somebody's browser.
ALLOWED_HOSTS = [name.strip() for name in _hosts.split(",")] if _hosts else host_names(LISTENING)
# Behind a proxy that ends TLS, forms may come from these names only.
CSRF_TRUSTED_ORIGINS = [f"https://{name}" for name in ALLOWED_HOSTS if _hosts and HTTPS and name != "*"]

INSTALLED_APPS = [
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "endoxa_collect.apps.CollectConfig",
]
MIDDLEWARE = [
    "endoxa_collect.security.http.SecurityHeaders",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "endoxa_collect.anonymous.SomebodyMiddleware",
    "endoxa_collect.contributor.sending.Proof",
    "endoxa_collect.security.http.BodyLimit",
    "endoxa_collect.security.http.Faults",
]
FORM_RENDERER = "endoxa_collect.inputs.Renderer"
ROOT_URLCONF = "endoxa_collect.urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [_HERE / "templates"],
        "OPTIONS": {
            "builtins": ["endoxa_collect.templatetags.ownership"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "endoxa_collect.frame.frame",
            ],
        },
    }
]

SQLITE_OPTIONS = {
    # Taking the write lock when a transaction begins is what keeps two people from drawing one place.
    "transaction_mode": "IMMEDIATE",
    "timeout": 30,
    # What is deleted is overwritten, so that a withdrawal leaves nothing in the file; and the log is cut to what is in
    # use when it begins anew (`privacy.erase_traces`).
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; "
    "PRAGMA secure_delete=ON; PRAGMA journal_size_limit=0;",
}
_url = os.environ.get("DATABASE_URL") or (
    f"sqlite:///{FOLDER.resolve()}/db.sqlite3" if FOLDER else "sqlite://:memory:"
)
DATABASES = {"default": dj_database_url.parse(_url, conn_max_age=600, conn_health_checks=True)}
_sqlite = DATABASES["default"]["ENGINE"].endswith("sqlite3")
if _sqlite:
    DATABASES["default"]["OPTIONS"] = SQLITE_OPTIONS
else:
    # PostgreSQL keeps how it answers what a connection asks often: parsing and planning were half of its work.
    _options = DATABASES["default"].get("OPTIONS", {})
    DATABASES["default"]["OPTIONS"] = {"server_side_binding": True, "prepare_threshold": 3, **_options}

ANSWERING_THREADS = 2
"""Threads of a process that hold a connection to the database; `project.server.serve` says why so few."""

STATISTICS_SECONDS = 5.0
"""How old the sampler's statistics of a large pool may be."""

LANGUAGE_CODE = "en"
_AUTONYMS = {
    "en": "English",
    "fr": "Français",
    "es": "Español",
    "pt": "Português",
    "ar": "العربية",
    "hi": "हिन्दी",
    "sw": "Kiswahili",
}
LANGUAGES = [(code, _AUTONYMS[code]) for code in UI_LANGUAGES]
LOCALE_PATHS = [_HERE / "locale"]
LOGGING = _LOGGING
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
# Only our own: of the admin nothing but lists is used (`organiser.desk`), and these have our style.
STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
STATICFILES_DIRS = [_HERE / "static"]
STATIC_ROOT = FOLDER / ".static" if FOLDER else None
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

PASSWORD_HASHERS = ["django.contrib.auth.hashers.ScryptPasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]
LOGIN_URL = "organiser:login"
LOGIN_REDIRECT_URL = "organiser:home"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
SESSION_ENGINE = "endoxa_collect.security.codes"
SESSION_COOKIE_NAME = "endoxa_account"
SESSION_COOKIE_PATH = "/organise/"
SESSION_COOKIE_AGE = 12 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_AGE = None
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = HTTPS
LANGUAGE_COOKIE_NAME = "endoxa_language"
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = HTTPS
# Other sites learn nothing. With "no-referrer" browsers would send `Origin: null` with our own forms, and Django
# would refuse them.
SECURE_REFERRER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
BODY_MAX = 2**20
ORGANISER_BODY_MAX = 3 * 2**20
DATA_UPLOAD_MAX_MEMORY_SIZE = FILE_UPLOAD_MAX_MEMORY_SIZE = ORGANISER_BODY_MAX
DATA_UPLOAD_MAX_NUMBER_FIELDS = 500
DATA_UPLOAD_MAX_NUMBER_FILES = 5
FILE_UPLOAD_PERMISSIONS = 0o600
