#!/bin/sh
# Walks through a running platform with `svc` and the operator's programs alone: the quickstart, and the steps of
# scripts/start. Each person has a folder of their own with their keys. Against another start than the default one:
#   SVC_CORE    origin of core (default http://localhost:8787)
#   SVC_GATEWAY address of the local IPFS gateway (default: eight ports after core)
#   SVC_STATE   its state folder, with the operator's seed and the mail (default .state)
#   SVC_PROGRAM a build of svc (default: its sources)
#   SVC_RESULTS a folder that keeps what each command of svc prints (default: none)
#   SVC_PARTS   which parts to run (default: all)
set -u
parts=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$parts/../../.." && pwd)
core=${SVC_CORE:-http://localhost:8787}
state=${SVC_STATE:-$root/.state}
node="$root/node_modules/.bin/node"
results=${SVC_RESULTS:-}
program=${SVC_PROGRAM:-$root/packages/cli/src/main.ts}
. "$parts/steps.sh"
. "$parts/pairing.sh"
for part in ${SVC_PARTS:-quickstart chain identities keys recovery assets content governance notes inbox organizations provenance consent images payments invitations directory signin refusals limits}; do
  . "$parts/$part.sh"
done
exit "$failed"
