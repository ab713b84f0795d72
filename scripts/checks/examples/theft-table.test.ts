/** The table of thefts says what the solved game says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '@svc/platform/workspace'
import { COMMITTED_ROWS, PLAIN_ROWS } from '@svc/protocol/chain/prospects'
import { expect, it } from 'vitest'
import { sceneOf } from '../../../workers/core/test/rotation/game/committed/scenes.ts'
import { COARSE } from '../../../workers/core/test/rotation/game/rulebook.ts'
import { type Outcome, solve } from '../../../workers/core/test/rotation/game/solver.ts'

const NEVER = Number.POSITIVE_INFINITY

/** What the thief has, as letters: R the root key, D a device, S words. */
const THIEVES: Readonly<Record<string, readonly string[]>> = {
  'root key, a device, or both': ['R', 'D', 'RD'],
  'root key': ['R'],
  'root key and a device': ['RD'],
  'words, with or without a device': ['S', 'DS'],
  'words and root key': ['RS'],
  'words, root key and a device': ['RDS'],
  'nothing; the root key is lost': [''],
  'nothing; the words are lost': [''],
}

/** What the owner has left. K: a request that the root key signed ahead. */
const OWNERS: Readonly<Record<string, readonly string[]>> = {
  'words, and a kept request or a copy of the root key': ['KS', 'RS', 'KDS', 'RDS'],
  'words, and an operator': ['S', 'DS'],
  'words, or words and a device': ['S', 'DS'],
  'a device': ['D'],
  nothing: [''],
  'a copy of the root key, another device, or nothing': ['R', 'D', ''],
  'other words, and the root key': ['RS', 'RDS'],
  'the root key, or a device': ['R', 'D', 'RD'],
  'other words, a kept request or a copy of the root key, and a device': ['KDS', 'RDS'],
  'other words, a kept request or a copy of the root key, and another device': ['KDS', 'RDS'],
  'other words, and an operator': ['S', 'DS'],
  'other words, and a copy of the root key': ['RS'],
  'other words, and a kept request': ['KS'],
  'other words, or other words and a device': ['S', 'DS'],
  'other words': ['S'],
  'a device, or a copy of the root key': ['D', 'R'],
  'another device, or a copy of the root key': ['D', 'R'],
  'words, and a kept request': ['KS'],
  words: ['S'],
  'root key and a device': ['RD'],
}

const { windowMs, contestMs, standingMs } = COARSE.times
/** Two ticks are a day, four are seven days, and five are thirty. */
const TIMES: Readonly<Record<string, number>> = {
  '1 day': windowMs,
  '7 days': contestMs,
  '8 days': windowMs + contestMs,
  '30 days': standingMs,
  '31 days': windowMs + standingMs,
  '60 days': 2 * standingMs,
  'the operator’s time': COARSE.operator,
}

/** Result and time in the page's words. */
function toldOf({ thief, owner }: Outcome, result: string): [string, string] {
  const timeOf = (ticks: number) => Object.entries(TIMES).find(([, at]) => at === ticks)?.[0] ?? `${ticks} ticks`
  if (thief < NEVER) return ['**the thief wins**', timeOf(thief)]
  if (owner < NEVER && !result.startsWith('you keep it')) return ['you recover', timeOf(owner)]
  return [result, '']
}

const pageOf = (slug: string) => readFileSync(join(ROOT, `workers/docs/pages/developer/${slug}.md`), 'utf8')
const page = pageOf('concept-rotation')
const rows = [...page.matchAll(/^\| (.+?) \| (.+?) \| (.+?) \|(.*)\|$/gm)]
  .map(([, thief = '', owner = '', result = '', within = '']) => [thief, owner, result, within.trim()] as const)
  .slice(1)

/** Neither gets a new key. */
const STANDOFFS = [
  'safe, but nobody rotates',
  'a dispute: nobody rotates',
  'you keep it if you end each request of the words',
]

it('has every row that the words below can name', () => {
  expect(rows.length).toBe(21)
  expect(rows.map(([thief]) => thief).filter((thief) => !THIEVES[thief])).toEqual([])
  expect(rows.map(([, owner]) => owner).filter((owner) => !OWNERS[owner])).toEqual([])
  for (const [, , result] of rows) expect(['you recover', '**the thief wins**', ...STANDOFFS]).toContain(result)
})

it.each(rows)('%s | %s: %s', (thief, owner, result, within) => {
  const rest = { commitment: 'replaceable', operator: owner.endsWith('an operator') } as const
  for (const held of THIEVES[thief] ?? [])
    for (const kept of OWNERS[owner] ?? []) {
      const outcome = solve(sceneOf(held, kept, rest), COARSE)
      const about = `${held} | ${kept}: ${outcome.play}`
      expect(toldOf(outcome, result), about).toEqual([result, within.replaceAll("'", '’')])
    }
})

it('the page on rotation lists the rows that a rehearsal answers', () => {
  const [, plain = '', committed = ''] = pageOf('rotation').split('| `row` | You have, after the theft | Result |')
  const rowsIn = (table: string) =>
    [...(table.split('\n\n')[0] ?? '').matchAll(/^\| `(\w+)`/gm)].map(([, row = '']) => row).toSorted()
  expect(rowsIn(plain)).toEqual(PLAIN_ROWS.toSorted())
  expect(rowsIn(committed)).toEqual(COMMITTED_ROWS.toSorted())
})
