import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { expect, it } from 'vitest'
import { mutatedFiles } from './scope.ts'
import { SURVIVORS } from './survivors.ts'

it('names files that are mutated', () => {
  const files = new Set(mutatedFiles())
  expect(SURVIVORS.filter(({ file }) => !files.has(file))).toEqual([])
})

it.each([...new Set(SURVIVORS.map(({ file }) => file))])('names one place of %s with each reason', (file) => {
  const source = readFileSync(join(ROOT, file), 'utf8')
  for (const { from, on } of SURVIVORS.filter((survivor) => survivor.file === file)) {
    expect(source).toContain(from)
    const text =
      on === undefined
        ? source
        : (source
            .split('\n')
            .filter((line) => line.includes(on))
            .join('\n') ?? '')
    if (on === undefined) expect(text.split(from).length - 1, from).toBe(1)
    else expect(text, from).toContain(from.split('\n')[0])
  }
})

it('has each once, and a reason for each', () => {
  const all = SURVIVORS.map(({ file, on, from, to }) => JSON.stringify([file, on, from, to]))
  expect(new Set(all).size).toBe(all.length)
  expect(SURVIVORS.filter(({ because }) => because.length < 20)).toEqual([])
})
