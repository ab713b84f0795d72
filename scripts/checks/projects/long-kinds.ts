/** Why a test file is long: what it does, recognised by what it and the fixtures that it imports load and start. */
export interface LongKind {
  readonly does: string
  readonly pattern: RegExp
  /** Whether a file that does so is long in any case. Otherwise it may also be quick enough for every run. */
  readonly always: boolean
}

export const LONG_KINDS: readonly LongKind[] = [
  {
    does: 'starts a browser',
    pattern: /\bfrom '(?:playwright-core|lighthouse)'|\bimport\('lighthouse'\)/,
    always: true,
  },
  {
    does: 'starts a package manager',
    pattern: /\b(?:capture|spawn|spawnSync|execFile|execFileSync)\(\s*'(?:npm|pnpm|npx|yarn|bun)'/,
    always: true,
  },
  { does: 'tests what a package manager installed', pattern: /\binject\('(?:project|built|alone)'\)/, always: true },
  { does: 'builds the reference of the SDK', pattern: /\bsdkReference\(/, always: false },
  { does: 'starts Wrangler for each upload', pattern: /\.forWrangler\(\)/, always: false },
  {
    does: 'runs every published example as its reader does',
    pattern: /\bdescribeProgramsOf\(|\bbundleCommandLine\(|\bcallsOf\(|\bcommandOf\(|\bstartExample\(/,
    always: false,
  },
]

/** What must never be long. */
export const NEVER_LONG = /(?:^|[/-])(?:races|faults|security|guard)[\w-]*\.test\.tsx?$/

/** Shares of all test files, and of their lines, that may be long. */
export const MAX_SHARE_OF_FILES = 0.12
export const MAX_SHARE_OF_LINES = 0.15
