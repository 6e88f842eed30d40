# Sourced by scripts/test: the system packages that tests need beside Node.js: what native containers need, strace (it shows that writes are
# on the disk before they are acknowledged), what test images and the local registry are made of, etcd and Prometheus.
source scripts/lib/packages.sh
had_etcd=$(command -v etcd || true)
had_nginx=$(PATH=$PATH:/usr/sbin command -v nginx || true)
install_programs strace:strace "${NATIVE_PROGRAMS[@]}" docker-registry:docker-registry busybox:busybox-static nginx:nginx-light curl:curl dig:bind9-dnsutils htpasswd:apache2-utils iptables:iptables etcd:etcd-server etcdctl:etcd-client || {
  echo "the tests need these packages: strace runc conmon nftables iproute2 socat catatonit conntrack docker-registry busybox-static nginx-light curl bind9-dnsutils apache2-utils iptables etcd-server etcd-client; install them, or run the tests as root on Debian" >&2
  exit 1
}
# Debian starts services with these packages; the tests start their own.
if command -v systemctl >/dev/null 2>&1; then
  if [ -z "$had_etcd" ]; then systemctl disable --now etcd >/dev/null 2>&1 || true; fi
  if [ -z "$had_nginx" ]; then systemctl disable --now nginx >/dev/null 2>&1 || true; fi
fi
source scripts/lib/prometheus.sh
fetch_prometheus || {
  echo "the tests need Prometheus in .cache/tools/prometheus/usr/bin: it could not be fetched from Debian" >&2
  exit 1
}
