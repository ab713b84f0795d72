import { CORES } from '@svc/platform/workspace'
import { defineConfig } from 'vitest/config'
import { chosenConfigs } from './projects/groups.ts'

export default defineConfig({
  test: {
    projects: chosenConfigs(),
    passWithNoTests: true,
    maxWorkers: CORES,
    // Workers print a line per request, which matters only for a failed test.
    silent: 'passed-only',
  },
})
