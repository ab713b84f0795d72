import { expect, it } from 'vitest'
import { tableOf } from './results.ts'

it('shows each result in a column and the newest catch', () => {
  const outcome = { id: 'a', about: 'A | B', problem: null, seconds: 1 }
  const old = {
    tree: 'old',
    outcomes: [{ ...outcome, verdict: 'caught', by: { file: 'x.test.ts', test: 'holds' } }],
  } as const
  const next = { tree: 'new', outcomes: [{ ...outcome, verdict: 'missed', by: null }] } as const
  expect(
    tableOf(
      [
        { id: 'a', about: 'A | B' },
        { id: 'b', about: 'B' },
      ],
      [old, next],
    ),
  ).toBe(
    [
      '| fault | what goes wrong | verdict 1 | verdict 2 | caught by |',
      '| --- | --- | --- | --- | --- |',
      '| a | A \\| B | caught | missed | x.test.ts: holds |',
      '| b | B | – | – | – |',
    ].join('\n'),
  )
})
