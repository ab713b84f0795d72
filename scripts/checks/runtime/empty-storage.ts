import { applyD1Migrations, reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach } from 'vitest'
import type { TestLogList, TestMigrations } from '../projects/test-migrations.ts'

const bindings = env as unknown as { TEST_MIGRATIONS: TestMigrations[] } & Record<string, D1Database>
const { TEST_LOG_LIST: logList } = env as unknown as { TEST_LOG_LIST: TestLogList }
/** What was on its way reaches the objects within this time. */
const SETTLE_MS = 5

// The test files of a project run in one runtime, in sequence. Each starts with empty storage.
beforeAll(async () => {
  await reset()
  // The runtime empties one class after another, so what the file before left running may have written to a class that
  // was empty already, and lost its other half: the object of a log is in one class, its bucket in another.
  await scheduler.wait(SETTLE_MS)
  await reset()
  for (const { binding, migrations } of bindings.TEST_MIGRATIONS) {
    const database = bindings[binding]
    if (database !== undefined) await applyD1Migrations(database, migrations)
  }
  const buckets = env as unknown as Record<string, R2Bucket>
  const bucket = logList.bucket === null ? undefined : buckets[logList.bucket]
  for (const { key, text } of logList.files) await bucket?.put(key, text)
})

// A Worker prints a line for each request. They are kept here and printed when a test fails: each line that crosses to
// the process of the tests costs as much as a request.
const MAX_LINES = 200
const lines: unknown[][] = []
const print = console.log
console.log = (...line) => {
  if (lines.length === MAX_LINES) lines.shift()
  lines.push(line)
}
beforeEach(({ onTestFailed }) => {
  lines.length = 0
  onTestFailed(() => {
    for (const line of lines) print(...line)
  })
})
