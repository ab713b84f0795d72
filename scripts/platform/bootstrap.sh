# Sourced by the commands beside this folder. Leaves the repository as working directory, the locked Node in $NODE and
# the locked tools first in PATH. Needs Node 20 or newer with npm; everything else comes from the lockfile.

fail() {
  echo "$1" >&2
  exit 1
}

# Runs a step that is quiet unless it fails; then its output is what the reader needs.
quietly() {
  if ! step_output=$("$@" 2>&1); then
    printf '%s\n' "$step_output" >&2
    return 1
  fi
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
  command -v npx >/dev/null 2>&1 || fail 'npm was not found: install npm (it comes with Node.js), then run this again.'

  echo "Fetching pnpm $pnpm_version …" >&2
  pnpm=$(env npm_config_loglevel=error npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false \
    npx --yes --package "pnpm@$pnpm_version" -- sh -c 'command -v pnpm') ||
    fail "pnpm $pnpm_version could not be fetched: check that npm can reach its registry, then run this again."

  echo 'Installing packages …' >&2
  # CI=true: replace an unusable node_modules without asking.
  quietly env CI=true "$pnpm" install --frozen-lockfile ||
    fail 'The packages could not be installed: the lines above say why; deleting node_modules is safe.'
}

export INIT_CWD="${INIT_CWD:-$PWD}"
cd "$(dirname "$0")/.." || exit 1

pnpm_version=12.21.0
install_stamp=node_modules/.installed-from
NODE="$PWD/node_modules/.bin/node"

if [ ! -x "$NODE" ] || [ "$(cat "$install_stamp" 2>/dev/null)" != "$(install_fingerprint)" ]; then
  install_packages
  [ -x "$NODE" ] || fail "No Node.js build is locked for this machine ($(uname -sm)): use Linux or macOS on x64 or arm64."
  install_fingerprint >"$install_stamp"
fi

export PATH="$PWD/node_modules/.bin:$PATH"
export NODE_COMPILE_CACHE="$PWD/node_modules/.cache/node"
# Node's own post-quantum algorithms announce themselves as experimental, once each.
export NODE_OPTIONS="${NODE_OPTIONS:+$NODE_OPTIONS }--disable-warning=ExperimentalWarning"
