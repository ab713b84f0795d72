import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { expect, it } from 'vitest'

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const PAGE = read('workers/docs/pages/developer/operating.md')
const SOURCES = globSync('{workers,packages}/*/src/**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'))

/** The first column of the table whose first heading is this. */
function firstColumn(heading: string): string[] {
  const [, table = ''] = PAGE.split(`| \`${heading}\` |`)
  const [rows = ''] = table.split('\n\n')
  return [...rows.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name)
}

it('lists what the services log as delayed, each once', () => {
  const logged = SOURCES.flatMap((file) =>
    [...read(file).matchAll(/\bdelayed: '([^']+)'/g)].map(([, name = '']) => name),
  )
  expect(logged).toContain('anchors')
  expect(firstColumn('delayed')).toEqual([...new Set(logged)].toSorted())
})
