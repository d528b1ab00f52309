#!/bin/sh
# What a container runs: "qmgr" creates the queue manager once and starts it; "broker" and "web" start those.
# The broker first deploys the flow projects that are mounted; one that has not changed stays as it is.
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
broker)
  broker=default
  case "${1:-}" in "" | -*) ;; *) broker="$1" ;; esac
  for project in "${PENSTOCK_FLOWS:-/etc/penstock/flows}"/*/; do
    [ ! -d "$project" ] || penstock deploy "${project%/}" --broker "$broker" --wait 0 || echo "not deployed: $project" >&2
  done
  exec penstock broker start "$@"
  ;;
web) exec penstock web start "$@" ;;
*) exec penstock "$role" "$@" ;;
esac
