# Sourced by scripts/test: the system packages that tests need beside Node.js. strace shows that writes are on the disk
# before they are acknowledged.
if ! command -v strace >/dev/null 2>&1; then
  if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "installing strace …" >&2
    { apt-get install -y -qq strace || { apt-get update -qq && apt-get install -y -qq strace; }; } >&2 || {
      echo "the tests need strace, and apt-get could not install it" >&2
      exit 1
    }
  else
    echo "the tests need strace: install it with your system's package manager" >&2
    exit 1
  fi
fi
