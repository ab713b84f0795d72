import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT, WORKER_NAMES } from '../lib/workspace.ts'
import { MIX } from './mix.ts'

describe('the mix', () => {
  it('has something for every Worker, and a hundred in all', () => {
    expect(new Set(MIX.map(({ service }) => service))).toEqual(new Set(WORKER_NAMES))
    expect(MIX.reduce((sum, { weight }) => sum + weight, 0)).toBe(100)
    expect(new Set(MIX.map(({ name }) => name)).size).toBe(MIX.length)
  })

  it('is the one that the page shows', () => {
    const page = readFileSync(join(ROOT, 'workers/docs/pages/developer/measuring.md'), 'utf8')
    const rows = [...page.matchAll(/^\| (\w+) \| ([\w -]+) \| ([0-9]+) \|/gm)].map(([, ...cells]) => cells)
    expect(rows).toEqual(MIX.map(({ service, name, weight }) => [service, name, String(weight)]))
  })
})
