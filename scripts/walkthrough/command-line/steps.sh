# The steps of the walk-through: who runs what, how it must end, and what it must say.

world=$(mktemp -d "${TMPDIR:-/tmp}/svc-walk-XXXXXX")
trap 'rm -rf "$world"' EXIT
echo 'correct horse battery staple' >"$world/passphrase"
echo 'the password of an account' >"$world/password"
failed=0

# Runs svc as a person, and returns how it ended. What was typed and printed is kept in $results, if there is one.
svc() {
  who=$1
  shift
  mkdir -p "$world/$who"
  (
    cd "$world/$who" || exit 1
    unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME
    kept=/dev/null
    if [ -n "$results" ]; then
      kept=$(mktemp "$results/XXXXXXXX")
      printf '%s\n' "$@" --json >"$kept.words"
    fi
    ended=0
    printed=$(mktemp "$world/printed-XXXXXXXX")
    HOME=$PWD "$node" --disable-warning=ExperimentalWarning "$program" "$@" \
      --json --yes --passphrase-fd 9 9<"$world/passphrase" 8<"$world/password" >"$printed" || ended=$?
    tee "$kept" <"$printed"
    rm "$printed"
    exit "$ended"
  )
}

report() {
  if [ "$2" = "$3" ]; then
    echo "ok    $1: $3"
  else
    echo "FAIL  $1: $3 instead of $2"
    sed 's/^/      /' "$world/err" 2>/dev/null
    failed=1
  fi
}

# The same, once more in the next minute if the address has used up its requests of this one.
paced() {
  code=0
  svc "$@" >"$world/out" 2>"$world/err" || code=$?
  if [ "$code" != 0 ] && grep -q '"code":"rate_limited"' "$world/err"; then
    sleep $((61 - $(date +%s) % 60))
    code=0
    svc "$@" >"$world/out" 2>"$world/err" || code=$?
  fi
}

# step TITLE CODE PERSON WORDS…: the command must end with that exit code.
step() {
  title=$1 expected=$2
  shift 2
  paced "$@"
  report "$title" "$expected" "$code"
}

# The command must be refused with the name of an error.
refused() {
  title=$1 expected=$2
  shift 2
  paced "$@"
  [ "$code" = 0 ] && echo '{"error":{"code":"not refused"}}' >"$world/err"
  grep '^{"error"' "$world/err" >"$world/out"
  report "$title" "$expected" "$(field error.code)"
}

# at_once COUNT COMMAND…: the same in that many processes, each with a number. What they print is in $world/together.
at_once() {
  many=$1 number=0
  shift
  rm -rf "$world/together"
  mkdir "$world/together"
  while [ "$number" -lt "$many" ]; do
    number=$((number + 1))
    "$@" >"$world/together/$number" 2>&1 &
  done
  wait
}

# among TITLE COUNT TEXT: so many of them printed that text.
among() {
  report "$1" "$2" "$(grep -lFe "$3" "$world"/together/* | wc -l | tr -d ' ')"
}

# A member of the result of the last step: `field devices.0.deviceId`.
field() {
  "$node" -e '
    const value = process.argv[1].split(".").reduce((at, name) => at?.[name], JSON.parse(require("node:fs").readFileSync(0, "utf8")))
    process.stdout.write(typeof value === "string" ? value : JSON.stringify(value) ?? "none")
  ' -- "$1" <"$world/out" 2>/dev/null || echo 'no JSON'
}

# says TITLE MEMBER VALUE, of the last step.
says() {
  report "$1" "$3" "$(field "$2")"
}

# Someone with an identity, and with a device and a recovery key unless --local is given.
newcomer() {
  who=$1
  shift
  svc "$who" init --core "$core" >"$world/out" 2>"$world/err" || report "$who: init" 0 "$?"
  svc "$who" id new "$@" >"$world/out" 2>"$world/err" || report "$who: id new" 0 "$?"
  field did >"$world/$who.did"
  if [ "${1:-}" = --local ]; then step "$who: first block" 0 "$who" chain init; fi
}

did() {
  cat "$world/$1.did"
}

# hand FILE FROM TO: as by mail.
hand() {
  cp "$world/$2/$1" "$world/$3/$1"
}

# Waits until a time in epoch milliseconds.
until_time() {
  "$node" -e 'setTimeout(() => {}, Math.max(0, Number(process.argv[1]) - Date.now()) + 500)' -- "$1"
}

# Repeats a command while it ends with 4, for at most a minute.
patiently() {
  title=$1
  shift
  tries=0 code=4
  while [ "$code" = 4 ] && [ "$tries" -lt 60 ]; do
    code=0
    svc "$@" >"$world/out" 2>"$world/err" || code=$?
    tries=$((tries + 1))
    [ "$code" = 4 ] && sleep 1
  done
  report "$title" 0 "$code"
}

# The address of a service of the deployment.
service() {
  "$node" -p 'JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).body.services[process.argv[2]].url' "$world/services" "$1"
}

# Runs one of the operator's programs.
operate() {
  program_of_operator=$1
  shift
  "$node" --disable-warning=ExperimentalWarning "$root/scripts/operations/commands/$program_of_operator.ts" "$@" \
    --core "$core" --consent "$(service consent)" --did "$(service did)" --keys "$(service keys)" --pay "$(service pay)" \
    --provenance "$(service provenance)" --state "$state" >"$world/admin" 2>"$world/err"
}

# operator TITLE WORDS…: an act that must be accepted.
operator() {
  title=$1
  shift
  code=0
  operate admin "$@" || code=$?
  report "$title" 0 "$code"
}

# The operator's act must be refused with the name of an error.
operator_refused() {
  title=$1 expected=$2
  shift 2
  operate admin "$@" && echo '{"error":"not refused"}' >"$world/admin"
  cp "$world/admin" "$world/out"
  report "$title" "$expected" "$(field error)"
}

publisher() {
  title=$1
  shift
  code=0
  operate publish-anchor "$@" || code=$?
  report "$title" 0 "$code"
}

# holds TITLE TEXT FILE: the file must have the text.
holds() {
  report "$1" there "$(grep -qFe "$2" "$3" && echo there)"
}

# holds_not TITLE TEXT: the result of the last step must not have it.
holds_not() {
  report "$1" absent "$(grep -qFe "$2" "$world/out" && echo there || echo absent)"
}

# The SHA3-384 of a file of somebody.
sha3() {
  "$node" -p 'require("node:crypto").createHash("sha3-384").update(require("node:fs").readFileSync(process.argv[1])).digest("hex")' "$world/$1"
}

# The code in the newest mail that has a text: six digits, or an activation code.
mailed() {
  tries=0 found=''
  while [ -z "$found" ] && [ "$tries" -lt 20 ]; do
    sleep 1
    tries=$((tries + 1))
    mail=$(grep -rl "$1" "$state/mail" 2>/dev/null | xargs -r ls -t | head -n 1)
    [ -n "$mail" ] && found=$(sed -n 's/.*code is \([0-9A-Z-]*\).*/\1/p' "$mail" | head -n 1)
  done
  echo "$found"
}
svc anyone init --core "$core" >"$world/out" 2>"$world/err" || report 'anyone: init' 0 "$?"
svc anyone request GET /.well-known/svc >"$world/services"
