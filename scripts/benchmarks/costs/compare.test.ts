import { costPerMillion } from '@svc/site/costs/prices'
import { expect, it } from 'vitest'
import { changesOf } from './compare.ts'

const recorded = { append: { requests: 1, rowsWritten: 6, logLines: 1 } }
const measured = (counts: object) => new Map([['append', { ...recorded.append, ...counts }]])

it('finds nothing where the counts are those of the repository', () => {
  expect(changesOf(recorded, measured({}))).toEqual([])
  expect(changesOf(recorded, measured({ rowsWritten: 6.4 }))).toEqual([])
})

it('names the operation and the count that has grown', () => {
  expect(changesOf(recorded, measured({ rowsWritten: 7 }))).toEqual([
    { operation: 'append', line: 'append: rowsWritten 6 → 7', hasGrown: true },
  ])
  expect(changesOf(recorded, measured({ objectCalls: 1 }))).toMatchObject([{ hasGrown: true }])
})

it('leaves rows read more room', () => {
  const reads = { append: { ...recorded.append, rowsRead: 8 } }
  expect(changesOf(reads, measured({ rowsRead: 30 }))).toEqual([])
  expect(changesOf(reads, measured({ rowsRead: 40 }))).toMatchObject([{ hasGrown: true }])
})

it('tells a count that has shrunk, so that it is recorded', () => {
  expect(changesOf(recorded, measured({ logLines: 0 }))).toMatchObject([{ hasGrown: false }])
})

it('finds an operation that is not recorded, and one that is not measured', () => {
  expect(changesOf({}, measured({}))).toMatchObject([{ hasGrown: true }])
  expect(changesOf(recorded, new Map())).toMatchObject([{ hasGrown: false }])
})

it('adds up prices', () => {
  expect(costPerMillion({ requests: 1, rowsWritten: 2, logLines: 1 })).toBeCloseTo(2.9)
  expect(costPerMillion({ queriedDimensions: 2_560 })).toBeCloseTo(25.6)
})
