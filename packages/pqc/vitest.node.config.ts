import { defineProject } from 'vitest/config'

export default defineProject({
  test: { name: 'pqc-node', environment: 'node', include: ['src/**/*.test.ts', 'test/**/*.test.ts'] },
})
