#!/bin/sh
# Print a Python >= 3.12 that really runs and can make a virtual environment; each candidate is run, because a
# version manager's shim can be on PATH and still fail.
set -u

usable() {
    [ -n "$1" ] && "$1" -c 'import sys, venv, ensurepip, ssl, sqlite3; sys.exit(sys.version_info < (3, 12))' \
        >/dev/null 2>&1
}

try() {
    if usable "$1"; then
        "$1" -c 'import sys; print(sys.executable)'
        exit 0
    fi
}

try "${PYTHON:-}"
for name in python3.14 python3.13 python3.12 python3; do try "$name"; done
for root in "${PYENV_ROOT:-}" "${HOME:-}/.pyenv"; do
    for path in "$root"/versions/3.14.*/bin/python "$root"/versions/3.13.*/bin/python \
        "$root"/versions/3.12.*/bin/python; do try "$path"; done
done
if command -v uv >/dev/null 2>&1; then try "$(uv python find '>=3.12' 2>/dev/null)"; fi

echo "No Python 3.12 or newer with venv was found: install one, or name it with PYTHON=/path/to/python3." >&2
exit 1
