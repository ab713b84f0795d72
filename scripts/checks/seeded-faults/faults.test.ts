import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defineFaults } from './fault.ts'
import { FAULTS } from './faults/all.ts'
import { misfits, seed } from './locate.ts'
import { sourcesOf } from './tree.ts'

const ROOT = join(import.meta.dirname, '../../..')

describe('the list of faults', () => {
  const sources = sourcesOf(ROOT)

  // Code that changes takes its faults along: a fault that is not applied proves nothing.
  it('fits the code', () => {
    expect(misfits(FAULTS, sources)).toEqual([])
  })

  it('names each fault once', () => {
    expect(defineFaults(FAULTS)).toBe(FAULTS)
    const [first] = FAULTS
    expect(() => defineFaults([...FAULTS, ...(first ? [first] : [])])).toThrow(`two faults are named '${first?.id}'`)
  })

  it('names projects that exist', () => {
    const configs = globSync(['packages/*/vitest*.config.ts', 'workers/*/vitest.config.ts'], { cwd: ROOT })
    const existing = new Set(
      configs.map((path) => {
        const runsInNode = /(runtime|environment): 'node'/.test(readFileSync(join(ROOT, path), 'utf8'))
        return `${path.split('/')[1]}${runsInNode ? '-node' : ''}`
      }),
    )
    for (const { id, projects } of FAULTS)
      for (const project of projects) expect(existing, id).toContain(project.replace('*', ''))
  })

  it('covers every package and every Worker', () => {
    const packages = globSync(['packages/*/package.json', 'workers/*/package.json'], { cwd: ROOT })
    const seeded = new Set(FAULTS.map((fault) => seed(fault, sources).path.split('/').slice(0, 2).join('/')))
    const expected = packages.map((path) => path.split('/').slice(0, 2).join('/'))
    expect(expected.filter((folder) => folder !== 'packages/testing' && !seeded.has(folder))).toEqual([])
  })
})
