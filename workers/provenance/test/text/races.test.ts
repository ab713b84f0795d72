import { expect, it } from 'vitest'
import { caller } from '../harness.ts'
import {
  matchesOf,
  query,
  queryOf,
  register,
  registered,
  registrationOf,
  setsOf,
  textOf,
  units,
} from './text.fixture.ts'

const TWENTY = Array.from({ length: 20 }, (_, i) => i)

it('twenty registrations of one text by one identity are one, for one unit', async () => {
  const by = await caller()
  const sent = registrationOf(textOf('alone', 60))
  const answers = await Promise.all(TWENTY.map((i) => register(by, sent, { address: `2001:db8:1:${i}::1` })))
  const bodies = answers.map(registered)
  expect(bodies.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
  expect(new Set(bodies.map(({ registered_at_ms }) => registered_at_ms)).size).toBe(1)
  expect(await units(by)).toEqual({ used: 1, reserved: 0 })
  expect((await setsOf(sent.asset_id)).results).toHaveLength(1)
}, 30_000)

it('twenty identities that register one text are one registration, and one of them pays', async () => {
  const everybody = await Promise.all(TWENTY.map(() => caller()))
  const sent = registrationOf(textOf('many', 60))
  const answers = await Promise.all(everybody.map((by) => register(by, sent)))
  const done = answers.filter(({ status }) => status === 200).map(registered)
  expect(done.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
  for (const { status, error, headers } of answers)
    if (status !== 200) expect([status, error, headers.get('retry-after')]).toEqual([503, 'registration_pending', '1'])
  for (const by of everybody) expect(registered(await register(by, sent)).duplicate).toBe(true)
  const paid = await Promise.all(everybody.map((by) => units(by)))
  expect(paid.map(({ reserved }) => reserved)).toEqual(TWENTY.map(() => 0))
  expect(paid.reduce((sum, { used }) => sum + used, 0)).toBe(1)
}, 30_000)

it('twenty texts at once are all found', async () => {
  const by = await caller()
  const texts = TWENTY.map((i) => textOf(`each${i}x`, 60))
  const ids = await Promise.all(
    texts.map(async (text, i) =>
      registered(await register(by, registrationOf(text), { address: `2001:db8:2:${i}::1` })),
    ),
  )
  for (const [i, text] of texts.entries()) {
    const { matches } = matchesOf(await query(queryOf(text), undefined, { address: `2001:db8:3:${i}::1` }))
    expect(matches.map(({ asset_id, score }) => [asset_id, score])).toEqual([[ids[i]?.asset_id, 1]])
  }
}, 30_000)
