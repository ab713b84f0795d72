import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { expect, it } from 'vitest'
import { migrationFaults, tablesOf } from './migration-rules.ts'

it('lets the code of before run on every committed migration', () => {
  const files = globSync('migrations/*/*.sql', { cwd: ROOT }).toSorted()
  expect(files.length).toBeGreaterThan(5)
  const known = new Map<string, Set<string>>()
  const faults = files.flatMap((file) => {
    const sql = readFileSync(join(ROOT, file), 'utf8')
    const tables = known.get(dirname(file)) ?? new Set()
    const found = migrationFaults(sql, tables).map((fault) => `${file} ${fault}`)
    known.set(dirname(file), new Set([...tables, ...tablesOf(sql)]))
    return found
  })
  expect(faults).toEqual([])
})

const KNOWN = new Set(['anchors'])

it.each([
  ['DROP TABLE anchors;', 'drops a table'],
  ['ALTER TABLE anchors DROP COLUMN note;', 'drops a column'],
  ['ALTER TABLE anchors RENAME COLUMN note TO remark;', 'renames'],
  ['ALTER TABLE anchors RENAME TO marks;', 'renames'],
  ['ALTER TABLE anchors ADD COLUMN\n  note TEXT NOT NULL;', 'adds a column that must have a value'],
  ['CREATE UNIQUE INDEX one_note ON anchors (note);', 'makes rows unique'],
])('refuses %s', (sql, fault) => {
  expect(migrationFaults(sql, KNOWN)).toEqual([expect.stringContaining(fault)])
  expect(migrationFaults(`-- unused since: 0123456789ab\n${sql}`, KNOWN)).toEqual([])
  // Any other comment does not count.
  expect(migrationFaults(`-- unused since: the last release\n${sql}`, KNOWN)).toHaveLength(1)
})

it.each([
  'CREATE TABLE marks (id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT;',
  'CREATE TABLE marks (id TEXT); CREATE UNIQUE INDEX one_id ON marks (id);',
  "ALTER TABLE anchors ADD COLUMN note TEXT NOT NULL DEFAULT '';",
  'ALTER TABLE anchors ADD COLUMN note TEXT;',
  'CREATE INDEX by_note ON anchors (note);',
  '-- DROP TABLE anchors comes with a later release\nCREATE INDEX by_note ON anchors (note);',
])('allows %s', (sql) => {
  expect(migrationFaults(sql, KNOWN)).toEqual([])
})
