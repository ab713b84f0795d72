import { expect, it } from 'vitest'
import type { RootKeys } from '../chain/root-keys.ts'
import { orderOf, timesOf, type VerifiedLog } from './roster-order.ts'

const DID = `did:svc:${'A'.repeat(32)}`
const HASH = 'a7'.repeat(48)
/** The first key ended at 1000. */
const KEYS = [0, 1000].map((activatedAt, epoch) => ({
  epoch,
  userId: HASH,
  publicKeyB64u: `key ${epoch}`,
  commitment: null,
  activated: 'proved',
  activatedAt,
})) as unknown as RootKeys
const log = (changes: Partial<VerifiedLog> = {}, sequence = 2): VerifiedLog => ({
  roster: { head: { sequence, hash: HASH }, inception: { sequence: 3, hash: HASH }, members: new Map() },
  epoch: 1,
  acceptances: new Map(),
  ...changes,
})
const order = (verified: VerifiedLog, at = 1000) =>
  orderOf(verified, new Map([[2, at]]), { own: KEYS, member: async () => KEYS })

it('an event of the current key is ordered by what it names', async () => {
  expect(await order(log(), 2000)).toEqual({ signer: 'active', order: 'inception' })
  const unplaced = { roster: { ...log().roster, inception: null } }
  expect(await order(log(unplaced))).toEqual({ signer: 'active', order: 'unknown' })
  expect(await order(log({ epoch: 0 }, 0))).toEqual({ signer: null, order: 'unknown' })
})

it('an event of a replaced key is ordered by the time at which it was accepted', async () => {
  expect(await order(log({ epoch: 0 }))).toEqual({ signer: 'superseded', order: 'log' })
  await expect(order(log({ epoch: 0 }), 1001)).rejects.toMatchObject({ reason: 'unordered', where: { sequence: 2 } })
})

it('an acceptance by a replaced key must have been accepted before', async () => {
  const accepted = log({ acceptances: new Map([[DID, { epoch: 0, sequence: 2 }]]) })
  expect((await order(accepted)).order).toBe('inception')
  await expect(order(accepted, 1001)).rejects.toMatchObject({ reason: 'unordered' })
})

it('every event of a page has a time', () => {
  const event = { statement: { sequence: 7 } }
  const page = (acceptedAt: number[]) => ({ events: [event], acceptedAt }) as unknown as Parameters<typeof timesOf>[0]
  expect(timesOf(page([5]))).toEqual([[7, 5]])
  expect(() => timesOf(page([]))).toThrow('The time of an event is missing')
})
