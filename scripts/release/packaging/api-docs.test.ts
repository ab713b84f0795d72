import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeApiDocs } from './api-docs.ts'

it('builds API docs without broken links', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-api-docs-'))
  try {
    await writeApiDocs(folder)
    expect(readdirSync(join(folder, 'classes')).filter((file) => file.endsWith('.html')).length).toBeGreaterThan(20)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
