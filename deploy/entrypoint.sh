#!/bin/sh
# What a container runs: "qmgr" creates the queue manager once and starts it; "broker" and "web" start those.
# Anything else is a command of penstock. exec: signals reach the program, which stops gracefully.
set -eu
name="${PENSTOCK_QMGR:-QM1}"
role="${1:-qmgr}"
[ $# -eq 0 ] || shift
case "$role" in
qmgr)
  if [ ! -d "${PENSTOCK_HOME}/${name}" ]; then
    penstock qmgr create "$name"
    for script in /etc/penstock/mqsc/*.mqsc; do
      [ ! -e "$script" ] || penstock mqsc "$name" "$script"
    done
  fi
  exec penstock qmgr start "$name" --address '*' --port 1414 --metrics-address 0.0.0.0 --metrics-port 9414 "$@"
  ;;
broker) exec penstock broker start "$@" ;;
web) exec penstock web start "$@" ;;
*) exec penstock "$role" "$@" ;;
esac
