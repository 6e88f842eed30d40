# Sourced by start and test: checks Node.js, installs the locked packages, generates and builds what is out of date.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if ! command -v node >/dev/null 2>&1; then
  echo "kube needs Node.js 20.15 or newer: https://nodejs.org" >&2
  exit 1
fi
if ! node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 15) ? 0 : 1)'; then
  echo "kube needs Node.js 20.15 or newer, this is $(node --version)" >&2
  exit 1
fi
# npm would empty the folder that a link leads to, which is somebody else's.
if [ -L node_modules ]; then
  [ -e node_modules/.package-lock.json ] || { echo "node_modules is a link to a folder without installed packages: remove it" >&2; exit 1; }
elif [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  echo "installing packages …" >&2
  npm ci --no-audit --no-fund --loglevel=error >&2
  touch node_modules/.package-lock.json
fi
if [ ! -e src/api/generated/types.ts ] || [ -n "$(find scripts/generate scripts/generate-api.mjs src/api/facts package-lock.json -newer src/api/generated/types.ts -print -quit)" ]; then
  npm run --silent generate >&2
fi
if [ ! -e dist/kube.js ] || [ -n "$(find src scripts/build.mjs package-lock.json -newer dist/kube.js -name '*.*' ! -name '*.test.ts' -print -quit)" ]; then
  npm run --silent build >&2
fi
