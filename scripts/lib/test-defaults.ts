/** What the tests of every project have in common. */
export const TEST_DEFAULTS = {
  // Files of one project share their globals: what a test replaces is put back after it.
  restoreMocks: true,
  unstubGlobals: true,
  unstubEnvs: true,
  // For what hangs. How fast something is, scripts/bench measures; a slow or busy machine fails no test.
  testTimeout: 60_000,
  hookTimeout: 60_000,
}
