import { PLATFORM_PARTS } from '../running-platform/tests.ts'

const { platform: _inEveryRun, ...LONG_PARTS } = PLATFORM_PARTS

/** Test files that only `scripts/test --full` runs: globs from the root of the repository. */
export const LONG_TEST_FILES: readonly string[] = [
  ...Object.values(LONG_PARTS).flatMap((globs) => globs.map((glob) => `scripts/${glob}`)),
  'scripts/checks/quickstart/quickstart.test.ts',
  'scripts/operations/uploads/*.test.ts',
  'scripts/release/packaging/**/!(lean-schemas).test.ts',
]
