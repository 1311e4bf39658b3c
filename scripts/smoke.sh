#!/usr/bin/env bash
# Installs the built wheel into a fresh environment of each Python that the project supports and this machine has, and
# runs a three-cell notebook through the live driver with the free predictors.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find_python() {
  local version=$1 candidate
  for candidate in "python$version" "$HOME"/.pyenv/versions/"$version".*/bin/python; do
    if "$candidate" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$version')" 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
}

.venv/bin/python -m pip wheel --quiet --no-deps --wheel-dir "$work" .
own=$(.venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
for version in 3.11 3.12 3.13; do
  [ "$version" != "$own" ] || continue
  python=$(find_python "$version")
  if [ -z "$python" ]; then
    echo "Python $version: not on this machine"
    continue
  fi
  "$python" -m venv "$work/$version"
  "$work/$version/bin/python" -m pip install --quiet "$work"/themisto_lab-*.whl
  # Read to its end first: a reader that stops early would make the lister fail.
  extensions=$(cd "$work" && "$work/$version/bin/jupyter" server extension list 2>&1)
  grep -q 'themisto_lab.*OK' <<<"$extensions" || { echo "Python $version: the server extension is not OK"; exit 1; }
  (cd "$work" && PATH="$work/$version/bin:$PATH" "$work/$version/bin/jupyter" themisto try "$root/tests/data/three_cells.ipynb" \
    --model baseline/follower --json "$work/out-$version.json" >/dev/null)
  "$work/$version/bin/python" - "$work/out-$version.json" <<'CHECK'
import json
import sys

result = json.load(open(sys.argv[1]))
scored = [row for row in result["steps"] if row["status"] == "scored"]
assert scored, "no prediction was scored"
print(f"Python {sys.version_info[0]}.{sys.version_info[1]}: {len(scored)} predictions scored")
CHECK
done
