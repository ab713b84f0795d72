# Sourced by the commands beside this folder. Leaves the repository as working directory, the locked Node in $NODE and
# the locked tools first in PATH. Needs Node 20 or newer with npm; everything else comes from the lockfile.

fail() {
  echo "$1" >&2
  exit 1
}

no_build() {
  fail "No Node.js build is locked for this machine ($(uname -sm)): use Linux or macOS on x64 or arm64."
}

# Runs a step that is quiet unless it fails; then its output is what the reader needs.
quietly() {
  if ! step_output=$("$@" 2>&1); then
    printf '%s\n' "$step_output" >&2
    return 1
  fi
}

# Prints the help of a command from its source. Fails if some of it is only known to the program.
print_help() {
  command_source=$(sed -n 's/^exec "$NODE" \([a-z/-]*\.ts\) "$@"$/\1/p' "scripts/$(basename "$0")")
  [ -n "$command_source" ] || return 1
  help_text=$(sed -n '/^const [A-Z]* = `Usage: /,/`$/{s/^const [A-Z]* = `//;s/`$//;p;}' "$command_source")
  case $help_text in '' | *'$'* | *'\'*) return 1 ;; esac
  printf '%s\n' "$help_text"
}

# What the installation was made from, and that its parts are there: manifests, kind of machine, folders.
install_fingerprint() {
  uname -sm
  ls -d packages/*/node_modules workers/*/node_modules scripts/*/node_modules scripts/*/*/node_modules examples/*/node_modules 2>/dev/null || :
  cksum pnpm-lock.yaml pnpm-workspace.yaml package.json packages/*/package.json workers/*/package.json scripts/*/package.json scripts/*/*/package.json examples/*/package.json
}

install_packages() {
  command -v node >/dev/null 2>&1 || fail 'Node.js was not found: install Node.js 20 or newer (with npm), then run this again.'
  node_version=$(node -p 'process.versions.node') || fail 'Node.js does not run: reinstall Node.js 20 or newer, then run this again.'
  [ "${node_version%%.*}" -ge 20 ] || fail "Node.js $node_version is too old: install Node.js 20 or newer, then run this again."
  command -v npm >/dev/null 2>&1 || fail 'npm was not found: install npm (it comes with Node.js), then run this again.'

  build="@pnpm/exe.$(node -p 'process.platform + "-" + process.arch')"
  grep -q "\"$build\"" "$pnpm_folder/package.json" || no_build

  echo "Fetching pnpm $pnpm_version …" >&2
  pnpm="$pnpm_folder/node_modules/$build/pnpm"
  # npm compares what it fetches with the hash in the lockfile. A build that differs is left out, as on a machine without one.
  quietly npm ci --prefix "$pnpm_folder" --include=optional --ignore-scripts --prefer-offline --no-audit --no-fund \
    --no-update-notifier --loglevel=error && [ -x "$pnpm" ] ||
    fail "pnpm $pnpm_version was not installed: npm cannot reach its registry, or what it fetched has another hash than $pnpm_folder/package-lock.json."

  echo 'Installing packages …' >&2
  # CI=true: replace an unusable node_modules without asking.
  quietly env CI=true "$pnpm" install --frozen-lockfile ||
    fail 'The packages could not be installed: the lines above say why; deleting node_modules is safe.'
}

export INIT_CWD="${INIT_CWD:-$PWD}"
cd "$(dirname "$0")/.." || exit 1

pnpm_folder=scripts/platform/pnpm
pnpm_version=$(sed -n 's/.*"packageManager": "pnpm@\([0-9.]*\).*/\1/p' package.json)
install_stamp=node_modules/.installed-from
NODE="$PWD/node_modules/.bin/node"

if [ ! -x "$NODE" ] || [ "$(cat "$install_stamp" 2>/dev/null)" != "$(install_fingerprint)" ]; then
  if [ "$*" = --help ] && print_help; then exit 0; fi
  install_packages
  [ -x "$NODE" ] || no_build
  install_fingerprint >"$install_stamp"
fi

export PATH="$PWD/node_modules/.bin:$PATH"
export NODE_COMPILE_CACHE="$PWD/node_modules/.cache/node"
# Node's own post-quantum algorithms announce themselves as experimental, once each.
export NODE_OPTIONS="${NODE_OPTIONS:+$NODE_OPTIONS }--disable-warning=ExperimentalWarning"
