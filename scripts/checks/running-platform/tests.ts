/** Tests of pages, relative to `scripts`. */
export const BROWSER_TESTS = 'checks/browser/**/*.test.ts'

/** Those that take long: every look of every kind of page, every way through a provider, every kind of evidence, the
 * console of an identity, Lighthouse, and an example application. */
export const LONG_BROWSER_TESTS = [
  'checks/browser/console-quality.test.ts',
  'checks/browser/console/**/*.test.ts',
  'checks/browser/contact-example.test.ts',
  'checks/browser/docs-pages.test.ts',
  'checks/browser/docs-quality.test.ts',
  'checks/browser/lighthouse/*.test.ts',
  'checks/browser/sign-in-providers.test.ts',
  'checks/browser/two-devices.test.ts',
]

/**
 * Those that take long: every call and command of the API reference, the programs of the guides, the example applications,
 * and the command line.
 */
export const CALL_TESTS = [
  'checks/calls/*.test.ts',
  'checks/examples/guides.test.ts',
  'checks/examples/applications/*.test.ts',
  'checks/command-line/*.test.ts',
]

/** Tests on a running platform, relative to `scripts`. The project `scripts` excludes them. */
export const PLATFORM_TESTS = [
  'checks/examples/platform.test.ts',
  'checks/generated-clients/conversation.test.ts',
  'checks/running-platform/*.test.ts',
  'benchmarks/traffic/proof.test.ts',
  'fuzzing/fuzz.test.ts',
  'walkthrough/walkthrough.test.ts',
]
