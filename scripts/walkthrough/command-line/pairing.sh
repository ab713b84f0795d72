# The two sides of a pairing: of $owner, and of $joiner, who asks for $capabilities.

# pair TITLE [WORDS…]: with more words for the owner’s side. The person compares the codes; here the code goes through a pipe.
pair() {
  title_of_pair=$1
  shift
  rm -f "$world/code" "$world/$owner.err"
  mkfifo "$world/code"
  svc "$owner" device pair --code "$world/code" "$@" >"$world/paired" 2>"$world/$owner.err" &
  pairing=$!
  link=''
  while [ -z "$link" ] && kill -0 "$pairing" 2>/dev/null; do
    sleep 1
    link=$(sed -n "s/.*'\(svc:[a-z]*:[^']*\)'.*/\1/p" "$world/$owner.err")
  done
  # shellcheck disable=SC2086 # several words
  svc "$joiner" device join "$link" --capability $capabilities >"$world/joined" 2>"$world/$joiner.err" &
  joining=$!
  shown=''
  while [ -z "$shown" ] && kill -0 "$joining" 2>/dev/null; do
    sleep 1
    shown=$(sed -n '/type this code there:/,$ s/^  \([^ ].*\)$/\1/p' "$world/$joiner.err")
  done
  if [ -n "$second" ]; then refused "must fail: $second joins the same offer" offer_state "$second" device join "$link"; fi
  printf '%s\n' "$shown" >"$world/code"
  wait "$joining"
  code=$?
  wait "$pairing"
  paired=$?
  if [ "$paired" != 0 ]; then
    # The offer ends for the joining device too, ten minutes later.
    cp "$world/$owner.err" "$world/err"
    report "$title_of_pair, $owner" 0 "$paired"
  fi
  cp "$world/joined" "$world/out"
  cp "$world/$joiner.err" "$world/err"
  report "$title_of_pair" 0 "$code"
}
second=''
