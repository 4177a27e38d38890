# Two commands matter: `make run` and `make test`. Paths are relative and quoted, so a folder with spaces works.
SHELL := /bin/sh
PY := .venv/bin/python
FILE ?=
QUEUE ?= gpu.local
COMPILE := UV_NO_PROGRESS=1 uv pip compile --quiet --universal --python-version 3.12 --no-header --no-annotate \
	--override requirements/overrides.in
export PYTHONUNBUFFERED := 1

.PHONY: help run worker admin backup restore clean test test-fast test-vllm test-probes bench messages lock format base dev

help:
	@echo "make run          start the web site and its worker on this machine (PORT=8000)"
	@echo "make worker QUEUE=gpu.titan   on a GPU host: serve that queue (see docs/operations.md)"
	@echo "make admin        create a person who may operate benchmarks and use the admin pages"
	@echo "make backup       write database and secret key to var/backups/"
	@echo "make restore FILE=var/backups/…   put a backup back"
	@echo "make test         everything: lint, types, contracts, both databases, worker, browser"
	@echo "make test-fast    domain, calculators and pages on SQLite, under a minute; prices in, runs, sales and hostile input are left to make test"
	@echo "make bench        performance benchmarks, JSON in var/bench/"
	@echo "make messages     list texts without an English translation and compile the catalogue"
	@echo "make format       format and fix what ruff can"
	@echo "make lock         compile requirements/*.in into the locked *.txt (needs uv)"
	@echo "make clean        remove .venv and caches; var/ with your data stays"
	@echo "make test-vllm, make test-probes   opt-in, see docs/operations.md"

base:
	@python=$$(sh scripts/python.sh) && "$$python" scripts/install.py base

dev:
	@python=$$(sh scripts/python.sh) && "$$python" scripts/install.py dev

run: base
	@exec "$(PY)" -m scripts.run

worker: base
	@exec "$(PY)" -m celery --quiet --app vmcloud worker --pool prefork --concurrency 1 --queues "$(QUEUE)" \
		--hostname "$(QUEUE)@%h" --without-gossip --without-mingle --loglevel INFO

admin: base
	@"$(PY)" -m scripts.prepare --quiet && "$(PY)" manage.py createsuperuser

backup: base
	@"$(PY)" manage.py backup

restore: base
	@"$(PY)" manage.py restore "$(FILE)"

test: dev
	@exec "$(PY)" -m scripts.check

test-fast: dev
	@exec "$(PY)" -m pytest -q tests --numprocesses auto --maxprocesses 4 -m "not browser and not worker and not postgres and not bench and not slow" \
		--ignore=tests/architecture --ignore=tests/platform --ignore=tests/counting --ignore=tests/pricelist --ignore=tests/benchmarks --ignore=tests/sales \
		--ignore-glob="*/test_load_*" --ignore-glob="*accuracy*" --ignore-glob="*/test_modelconfig_*" \
		--ignore-glob="*/test_deploy_*" --ignore-glob="*/test_count_*" --ignore-glob="*bad_input*" --ignore-glob="*properties*" --ignore-glob="*upload*" --ignore-glob="*every_form*" --hypothesis-profile=quick

test-vllm test-probes: base
	@exec "$(PY)" -m scripts.optional $@

bench: dev
	@exec "$(PY)" -m scripts.bench

messages: dev
	@"$(PY)" -m scripts.messages

format: dev
	@"$(PY)" -m ruff check --fix . ; "$(PY)" -m ruff format .

lock:
	@$(COMPILE) requirements/base.in -o requirements/base.txt
	@$(COMPILE) requirements/base.in requirements/dev.in -o requirements/dev.txt

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks
	find . -name __pycache__ -type d -not -path "./var/*" -prune -exec rm -rf {} +
