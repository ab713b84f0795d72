import { expect, it } from 'vitest'
import { CONTENTS } from '../contents.ts'
import { FEATURES, statusOfPage } from './feature-status.ts'
import { featureTable, pagesWithoutFeature } from './feature-table.ts'

it('every page of the protocol has a status, in the table and for its own page', () => {
  const pages = CONTENTS.filter(({ title }) => title.startsWith('Protocol: ')).flatMap(({ slugs }) => slugs)
  expect(pages.length).toBeGreaterThan(25)
  const table = featureTable()
  for (const page of pages) {
    expect(table).toContain(`](/developer/${page}) | ${statusOfPage(`/developer/${page}`)} |`)
    expect(pagesWithoutFeature(FEATURES.filter((feature) => feature.page !== page))).toEqual([page])
  }
})

it('every feature has a page of the contents, and a name of its own', () => {
  const slugs = CONTENTS.flatMap((group) => group.slugs)
  expect(FEATURES.filter(({ page }) => !slugs.includes(page))).toEqual([])
  expect(new Set(FEATURES.map(({ name }) => name)).size).toBe(FEATURES.length)
})

it('what is not stable says what is missing', () => {
  for (const { name, status, missing } of FEATURES)
    expect([name, missing === null]).toEqual([name, status === 'stable'])
})

it('a page about no feature has no status', () => {
  expect(['/developer/changelog', '/academic/chain', '/developer/chain'].map(statusOfPage)).toEqual([
    null,
    null,
    'stable',
  ])
})
