// Runs Stryker on one file, in the current folder, which is a copy of the repository: it writes into the sources.
import { fileURLToPath } from 'node:url'
import { Stryker } from '@stryker-mutator/core'

const [file = '', results = ''] = process.argv.slice(2)

await new Stryker({
  mutate: [file],
  inPlace: true,
  testRunner: 'vitest',
  // By its path: a pnpm installation hides it from the place where Stryker looks.
  plugins: [fileURLToPath(import.meta.resolve('@stryker-mutator/vitest-runner'))],
  vitest: { configFile: 'scripts/checks/mutants/vitest.config.ts', related: true },
  coverageAnalysis: 'perTest',
  concurrency: 1,
  timeoutMS: 20_000,
  // Tries again only mutants whose code or tests have changed.
  incremental: true,
  incrementalFile: results,
  reporters: [],
  allowConsoleColors: false,
}).runMutationTest()
