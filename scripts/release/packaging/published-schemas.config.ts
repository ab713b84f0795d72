import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import { SCHEMA_LIBRARY } from './lean-schemas.ts'

/** The tests of the SDK, on the schemas as they are published. */
export const PUBLISHED_SCHEMAS: TestProjectInlineConfiguration = {
  root: join(ROOT, 'packages/client'),
  resolve: { alias: [{ find: /^zod$/, replacement: join(ROOT, SCHEMA_LIBRARY) }] },
  test: {
    name: 'client-published',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    isolate: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
}
