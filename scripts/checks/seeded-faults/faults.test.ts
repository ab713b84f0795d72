import { globSync } from 'node:fs'
import { ROOT } from '@svc/platform/workspace'
import { describe, expect, it } from 'vitest'
import { mutatedFiles } from '../mutants/scope.ts'
import { sourceFiles } from '../source-files.ts'
import { DROPPED } from './dropped.ts'
import { defineFaults } from './fault.ts'
import { FAULTS } from './faults/all.ts'
import { HELD } from './held.ts'
import { misfits, seed } from './locate.ts'
import { isSameProgram } from './same-program.ts'
import { sourcesOf } from './tree.ts'

const MUTANT = 'mutant: '

describe('the list of faults', () => {
  const sources = sourcesOf(ROOT)

  // Code that changes takes its faults along: a fault that is not applied proves nothing.
  it('fits the code', () => {
    expect(misfits(FAULTS, sources)).toEqual([])
  })

  // One that is not noticed because it does nothing would be taken for caught where a test fails by itself.
  it('changes the program with each', () => {
    const idle = FAULTS.filter((fault) => isSameProgram(seed(fault, sources))).map(({ id }) => id)
    expect(idle).toEqual([])
  })

  it('names each fault once', () => {
    expect(defineFaults(FAULTS)).toBe(FAULTS)
    const [first] = FAULTS
    expect(() => defineFaults([...FAULTS, ...(first ? [first] : [])])).toThrow(`two faults are named '${first?.id}'`)
  })

  it('names tests that exist', () => {
    const files = sourceFiles().filter((file) => file.endsWith('.test.ts'))
    const lost = FAULTS.flatMap(({ id, tests }) =>
      tests.filter((part) => !files.some((file) => file.includes(part))).map((part) => `${id}: ${part}`),
    )
    expect(lost).toEqual([])
  })

  it('breaks a promise with each fault', () => {
    for (const { id, promise } of FAULTS) expect(promise, id).toMatch(/^\p{Lu}.*\.$/u)
  })

  it('would notice if something that held gave way', () => {
    const ids = new Set(FAULTS.map(({ id }) => id))
    for (const [promise, faults] of Object.entries(HELD)) {
      expect(faults.length, promise).toBeGreaterThan(0)
      expect(
        faults.filter((id) => !ids.has(id)),
        promise,
      ).toEqual([])
    }
  })

  it('has something that stands for each fault that is no more', () => {
    const ids = new Set(FAULTS.map(({ id }) => id))
    const standIns = new Set([...ids, ...mutatedFiles().map((file) => MUTANT + file)])
    const lost = Object.entries(DROPPED).filter(([id, by]) => ids.has(id) || !standIns.has(by))
    expect(lost).toEqual([])
  })

  it('covers every package and every Worker', () => {
    const packages = globSync(['packages/*/package.json', 'workers/*/package.json'], { cwd: ROOT })
    const seeded = new Set(FAULTS.map((fault) => seed(fault, sources).path.split('/').slice(0, 2).join('/')))
    const expected = packages.map((path) => path.split('/').slice(0, 2).join('/'))
    expect(expected.filter((folder) => folder !== 'packages/testing' && !seeded.has(folder))).toEqual([])
  })
})
