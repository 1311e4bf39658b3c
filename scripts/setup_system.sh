#!/usr/bin/env bash
# Sees to the programs that the tests use and pip can't bring: Chromium, PostgreSQL and R with its kernel.
# Installs them from the distribution where that is possible; else says what is missing. Safe to run twice.
set -euo pipefail

missing=()
command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ||
  missing+=(chromium)
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null || missing+=(postgresql)
{ command -v R >/dev/null && R --slave -e 'library(IRkernel)' >/dev/null 2>&1; } || missing+=(r-base-core r-cran-irkernel)

[ ${#missing[@]} -gt 0 ] || exit 0

if command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then
  echo "Installing for the tests: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
else
  echo "Missing for the tests: ${missing[*]}"
  echo "Install them with your system's package manager and run this again. Tests that need them will fail or say that they were skipped."
fi
