import { applyD1Migrations, reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll } from 'vitest'
import type { TestMigrations } from '../lib/test-migrations.ts'

const bindings = env as unknown as { TEST_MIGRATIONS: TestMigrations[] } & Record<string, D1Database>

// Test files of a project share one runtime, one after the other: each begins with empty storage.
beforeAll(async () => {
  await reset()
  for (const { binding, migrations } of bindings.TEST_MIGRATIONS) {
    const database = bindings[binding]
    if (database !== undefined) await applyD1Migrations(database, migrations)
  }
})
