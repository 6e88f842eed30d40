# Sourced: installs Debian packages whose programs are missing.
# install_programs PROGRAM:PACKAGE… ; returns 1 when something is missing and cannot be installed.
install_programs() {
  local pair missing=()
  for pair in "$@"; do
    if ! command -v "${pair%%:*}" >/dev/null 2>&1 && ! [ -x "/usr/sbin/${pair%%:*}" ] && ! [ -x "/sbin/${pair%%:*}" ]; then missing+=("${pair##*:}"); fi
  done
  if [ ${#missing[@]} -eq 0 ]; then return 0; fi
  if ! command -v apt-get >/dev/null 2>&1 || [ "$(id -u)" != 0 ]; then return 1; fi
  echo "installing ${missing[*]} …" >&2
  local install=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y -qq --no-install-recommends "${missing[@]}")
  { "${install[@]}" || { apt-get update -qq && "${install[@]}"; }; } >&2
}

# What native containers need.
NATIVE_PROGRAMS=(runc:runc conmon:conmon nft:nftables ip:iproute2 socat:socat catatonit:catatonit conntrack:conntrack nsenter:util-linux)
