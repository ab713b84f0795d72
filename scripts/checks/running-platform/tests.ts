/**
 * The tests that run against a platform which is started once for each part, relative to `scripts`. A part is a step of
 * `scripts/test`; only `platform` runs for every change.
 */
export const PLATFORM_PARTS = {
  platform: [
    'checks/examples/platform.test.ts',
    'checks/generated-clients/conversation.test.ts',
    'checks/quickstart/programs.test.ts',
    'checks/running-platform/*.test.ts',
    'checks/command-line/{doctor,identity,lost-sheets,notes-and-messages,organization,records,recovery,sheets,written-files}.test.ts',
    'benchmarks/traffic/proof.test.ts',
    'fuzzing/fuzz.test.ts',
    'walkthrough/walkthrough.test.ts',
  ],
  'browser-pages': ['checks/browser/*.test.ts', 'checks/browser/{axe,lighthouse,sign-in}/*.test.ts'],
  'browser-console': ['checks/browser/console/**/*.test.ts'],
  calls: ['checks/calls/*.test.ts', 'checks/examples/guides.test.ts', 'checks/examples/applications/*.test.ts'],
  'command-line': ['checks/command-line/{examples,examples-of-services,examples-with-others,walkthrough}.test.ts'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type PlatformPart = keyof typeof PLATFORM_PARTS

export const ALL_PLATFORM_TESTS: readonly string[] = Object.values(PLATFORM_PARTS).flat()

const CHOSEN = 'SVC_PLATFORM_PART'

/** Environment of a run of one part. */
export function choosingPart(part: PlatformPart): Record<string, string> {
  return { [CHOSEN]: part }
}

/** The tests of the part that the environment chooses, or all: a path on the command line then says which. */
export function chosenPlatformTests(): readonly string[] {
  const part = process.env[CHOSEN]
  if (part === undefined) return ALL_PLATFORM_TESTS
  if (!(part in PLATFORM_PARTS)) throw new Error(`There is no part '${part}' of the tests on a running platform`)
  return PLATFORM_PARTS[part as PlatformPart]
}
