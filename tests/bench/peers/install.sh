#!/bin/sh
# Installs the servers of `make bench-peers` from Debian's packages, where that can be done: as root, with apt.
# Elsewhere it does nothing, and the benchmark names what is missing. Nothing is started: while packages are
# installed, a policy forbids it (invoke-rc.d asks /usr/sbin/policy-rc.d), and it is taken away afterwards.
set -eu

wanted=""
for package in rabbitmq-server redis-server activemq mosquitto; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || wanted="$wanted $package"
done
[ -n "$wanted" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  exit 0
fi

policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
  trap 'rm -f "$policy"' EXIT INT TERM
fi
echo "bench-peers: installing$wanted"
# shellcheck disable=SC2086 # several names
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $wanted >/dev/null 2>&1 ||
  echo "bench-peers: apt-get could not install all of$wanted; try: apt-get update" >&2
