import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUDGETS, type Budget, TIER_BUDGETS } from '@svc/protocol/pay/tiers'
import { expect, it } from 'vitest'
import { ROOT } from '../root.ts'
import { ANONYMOUS_WRITES, costRows, perDay } from './cost-rows.ts'
import { costTable } from './cost-table.ts'

interface Operation {
  readonly operationId: string
  readonly security?: readonly object[]
}

const READS = new Set(['get', 'head', 'options', 'parameters'])

function anonymousWrites(): string[] {
  return globSync('workers/*/openapi.json', { cwd: ROOT }).flatMap((file) => {
    const { paths } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as {
      paths: Record<string, Record<string, Operation>>
    }
    return Object.values(paths).flatMap((methods) =>
      Object.entries(methods).flatMap(([method, { operationId, security = [] }]) =>
        READS.has(method) || security.length > 0 ? [] : [operationId],
      ),
    )
  })
}

it('every operation that writes without an assertion says what it leaves', () => {
  expect(Object.keys(ANONYMOUS_WRITES).toSorted()).toEqual([...new Set(anonymousWrites())].toSorted())
})

it('what such an operation leaves for good, or in numbers, is a row', () => {
  const rows = new Set(costRows().map(({ what }) => what))
  const left = Object.values(ANONYMOUS_WRITES).filter((what) => !/^(nothing|an? )/.test(what))
  expect(left.length).toBeGreaterThan(5)
  expect(left.filter((what) => !rows.has(what))).toEqual([])
})

it('every budget of a free identity is a factor of a row, with its figure', () => {
  const factors = costRows().flatMap(({ who, factors: all }) => (who === 'a free identity' ? all : []))
  // Capsules are bounded by their meter, records at core and of consent by their bytes, and an organization needs a plan.
  const elsewhere = new Set<Budget>(['capsules', 'storedRows', 'consentRecords', 'organizationEvents'])
  const wanted = (Object.keys(BUDGETS) as Budget[]).filter((budget) => !elsewhere.has(budget))
  const found = wanted.map((budget) => factors.find(({ of }) => of === `\`${budget}\``)?.value)
  expect(found).toEqual(wanted.map((budget) => TIER_BUDGETS.notes[budget]))
})

it('a day has as many requests as the limits of the routes say', () => {
  expect(perDay('core', 'initGenesis')).toBe(5 * 1_440)
  expect(perDay('core', 'requestContact')).toBe(5 * 144)
  expect(perDay('core', 'readContent')).toBe(300 * 1_440)
})

it('the table on the page is this one', () => {
  const page = readFileSync(join(ROOT, 'workers/docs/pages/academic/threat-model.md'), 'utf8')
  expect(page).toContain(costTable())
})
