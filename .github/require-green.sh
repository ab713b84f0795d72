#!/bin/sh
# Fails unless the newest run of the workflow `test` for a push of this commit to main succeeded.
# Usage: .github/require-green.sh OWNER/REPOSITORY SHA
set -eu
conclusion=$(gh api "repos/$1/actions/workflows/test.yml/runs?head_sha=$2&branch=main&event=push&per_page=1" \
  --jq '.workflow_runs[0].conclusion // "none"')
if [ "$conclusion" != success ]; then
  echo "The tests of $2 on main are not green: $conclusion" >&2
  exit 1
fi
echo "The tests of $2 on main are green."
