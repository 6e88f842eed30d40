# Sourced: unpacks Debian 13's Prometheus into .cache/tools/prometheus. That of Debian 12 is built without discovery in Kubernetes.
# fetch_prometheus ; returns 1 when that cannot be done. Nothing of the system is changed: apt gets lists and a cache of its own.
fetch_prometheus() {
  local target=.cache/tools/prometheus site work
  if [ -x "$target/usr/bin/prometheus" ]; then return 0; fi
  if ! command -v apt-get >/dev/null 2>&1; then return 1; fi
  site=$(apt-get indextargets --format '$(SITE)' | grep -v security | sort -u | head -n 1)
  if [ -z "$site" ]; then return 1; fi
  echo "fetching Prometheus …" >&2
  work=$(mktemp -d)
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$target"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $site trixie main" >"$work/sources.list"
  local apt=(apt-get -qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User= -o Acquire::Languages=none)
  if "${apt[@]}" update >&2 && (cd "$work" && "${apt[@]}" download prometheus >&2) && dpkg -x "$work"/prometheus_*.deb "$target"; then
    rm -rf "$work"
    return 0
  fi
  rm -rf "$work" "$target"
  return 1
}
