/** The settings that all projects share. */
export const TEST_DEFAULTS = {
  // The files of a project share their globals, so every test must restore what it replaces.
  restoreMocks: true,
  unstubGlobals: true,
  unstubEnvs: true,
  // Only to end a test that hangs. scripts/bench measures speed; a slow machine must not fail a test.
  testTimeout: 120_000,
  hookTimeout: 120_000,
}
