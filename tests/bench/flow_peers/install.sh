#!/bin/sh
# Installs what `python -m tests.bench.flow_peers` compares with, below build/flow-peers and nowhere else: Bytewax in
# an environment of its own, Node-RED by npm. What cannot be had is left out; the benchmark names it.
set -u
place=${PENSTOCK_FLOW_PEERS:-build/flow-peers}
mkdir -p "$place"
if [ ! -x "$place/bytewax/bin/python" ]; then
  echo "bench-peers: Bytewax into $place/bytewax"
  { python3 -m venv "$place/bytewax" &&
    "$place/bytewax/bin/pip" install -qq bytewax==0.21.1 redis hiredis lxml; } >"$place/bytewax.log" 2>&1 ||
    { rm -rf "$place/bytewax"; echo "bench-peers: no Bytewax; $place/bytewax.log says why" >&2; }
fi
if [ ! -e "$place/node-red/node_modules/node-red/red.js" ]; then
  if command -v npm >/dev/null; then
    echo "bench-peers: Node-RED into $place/node-red"
    npm install --prefix "$place/node-red" --no-fund --no-audit node-red@4 >"$place/node-red.log" 2>&1 ||
      echo "bench-peers: no Node-RED; $place/node-red.log says why" >&2
  else
    echo "bench-peers: no Node-RED: npm is not installed" >&2
  fi
fi
exit 0
