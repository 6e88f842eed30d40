# Sourced by scripts/test: the system packages that tests need beside Node.js: what native containers need, strace (it shows that writes are
# on the disk before they are acknowledged), and what test images and the local registry are made of.
source scripts/lib/packages.sh
install_programs strace:strace "${NATIVE_PROGRAMS[@]}" docker-registry:docker-registry busybox:busybox-static htpasswd:apache2-utils || {
  echo "the tests need these packages: strace runc conmon nftables iproute2 socat catatonit conntrack docker-registry busybox-static apache2-utils; install them, or run the tests as root on Debian" >&2
  exit 1
}
