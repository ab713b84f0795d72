import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, WORKER_NAMES } from '@svc/platform/workspace'
import { describe, expect, it } from 'vitest'
import { MIX } from './mix.ts'

describe('the mix', () => {
  it('covers every Worker and adds up to a hundred', () => {
    expect(new Set(MIX.map(({ service }) => service))).toEqual(new Set(WORKER_NAMES))
    expect(MIX.reduce((sum, { weight }) => sum + weight, 0)).toBe(100)
    expect(new Set(MIX.map(({ name }) => name)).size).toBe(MIX.length)
  })

  it('is documented on the page', () => {
    const page = readFileSync(join(ROOT, 'workers/docs/pages/developer/measuring.md'), 'utf8')
    const rows = [...page.matchAll(/^\| (\w+) \| ([\w -]+) \| ([0-9]+) \|/gm)].map(([, ...cells]) => cells)
    expect(rows).toEqual(MIX.map(({ service, name, weight }) => [service, name, String(weight)]))
  })
})
