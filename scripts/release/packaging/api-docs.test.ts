import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeApiDocs } from './api-docs.ts'

it('builds API docs without broken links', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-api-docs-'))
  try {
    await writeApiDocs(folder)
    // Services are types, since a client loads their code by itself.
    expect(readdirSync(join(folder, 'interfaces'))).toContain('client_src.Chain.html')
    expect(readdirSync(join(folder, 'functions'))).toContain('client_src_verify.verifyChain.html')
    const classes = readdirSync(join(folder, 'classes'))
    expect(classes).toContain('client_src.Client.html')
    expect(classes.length).toBeGreaterThan(15)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
