import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'vite'
import { expect, it } from 'vitest'

it('the worker that keeps the verifier has the hash of each file as it is deployed', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-console-build-'))
  try {
    await build({
      configFile: join(import.meta.dirname, '../../vite.config.ts'),
      configLoader: 'native',
      logLevel: 'silent',
      build: { outDir: folder, emptyOutDir: true },
    })
    const worker = readFileSync(join(folder, 'verify/offline.js'), 'utf8')
    const [written = ''] = /\{"\/verify\/"[^}]*\}/.exec(worker) ?? []
    const { '/verify/': page, '/config.json': configuration, ...files } = JSON.parse(written) as Record<string, string>
    expect(Object.keys(files).length).toBeGreaterThan(20)
    // Also what the entry loads once the page is shown.
    expect(Object.keys(files)).toContainEqual(expect.stringMatching(/\/register-[0-9a-f]+\.js$/))
    expect(configuration).toBeNull()
    const hashOf = (name: string) =>
      `sha384-${createHash('sha384')
        .update(readFileSync(join(folder, name)))
        .digest('base64')}`
    expect(page).toBe(hashOf('index.html'))
    const wrong = Object.entries(files).filter(([path, integrity]) => integrity !== hashOf(path))
    expect(wrong).toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
