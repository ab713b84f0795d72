import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Exact } from './exact.tsx'

const SOURCE = join(import.meta.dirname, '..')

it('what must stay as it is, a page translator leaves alone', () => {
  for (const isPlain of [false, true]) {
    expect(Exact({ children: 'abandon', isPlain }).props).toMatchObject({ translate: false, children: 'abandon' })
  }
})

it('codes, ids and commands are shown by it alone', () => {
  const files = globSync('**/*.tsx', { cwd: SOURCE }).filter((file) => file !== 'content/exact.tsx')
  const bare = files.filter((file) => /<code\b|<kbd\b|<samp\b/.test(readFileSync(join(SOURCE, file), 'utf8')))
  expect(bare).toEqual([])
})
