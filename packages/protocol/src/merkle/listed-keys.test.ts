import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.fixture.ts'
import { signerOf } from '../chain/chain.fixture.ts'
import type { ListedServiceKey } from './listed-keys.ts'
import { MAX_SERVICE_KEYS, proposedWitnessesSchema } from './listed-keys.ts'
import { type LogList, logListSchema, type SignedLogList } from './log-list.ts'
import { verifyNextList, verifyPinnedList } from './log-list-chain.ts'
import { nextLogList } from './log-list-signing.ts'
import { ISSUED_AT, keysOf, listSigners, signedList, VALID_UNTIL } from './rolled-log.fixture.ts'

const DAY = 86_400_000
const LATER = ISSUED_AT + 10 * DAY
const publicKeys = await Promise.all([81, 82, 83].map(async (seed) => (await signerOf(seed)).ownerPublicKey))
const keyOf = (
  index: number,
  validFrom = 0,
  validUntil: number | null = null,
  name: Pick<ListedServiceKey, 'service' | 'use'> = { service: 'core', use: 'receipt' },
): ListedServiceKey => ({ ...name, alg: 'ml-dsa-65', publicKeyB64u: publicKeys[index]!, validFrom, validUntil })
const beaconKey = (validFrom: number, validUntil: number | null = null) => {
  return { verifierKey: 'core.example/beacon/2027a+0a0b0c0d+AQID', alg: 'ed25519', validFrom, validUntil } as const
}
const witnessKey = (index: number, validFrom = 0, validUntil: number | null = null) => {
  return { publicKeyB64u: publicKeys[index]!, alg: 'ml-dsa-65', validFrom, validUntil } as const
}

const verdict = (result: Awaited<ReturnType<typeof verifyPinnedList | typeof verifyNextList>>) =>
  result.ok ? 'ok' : result.error.reason
const pinned = async (members: Partial<LogList>) =>
  verdict(await verifyPinnedList(await signedList({ logs: [], ...members }), keysOf(listSigners), [REALM], ISSUED_AT))
const listWith = (members: Partial<LogList>) => signedList({ logs: [], ...members })
async function followed(before: SignedLogList, members: Partial<LogList>, issuedAt = LATER): Promise<string> {
  const { type: _, ...next } = nextLogList(before, { ...members, issuedAt, validUntil: VALID_UNTIL + 10 * DAY })
  return verdict(await verifyNextList(before, await signedList(next), [REALM]))
}
const services = async (before: ListedServiceKey[], after: ListedServiceKey[]) =>
  followed(await listWith({ services: before }), { services: after })

describe('a list of keys', () => {
  it('has a key for each use, one for two uses never', async () => {
    const reservation = { service: 'keys', use: 'reservation' } as const
    expect(await pinned({ services: [keyOf(0), keyOf(1, 0, null, reservation)] })).toBe('ok')
    expect(await pinned({ services: [keyOf(0), keyOf(0, 0, null, reservation)] })).toBe('list_inconsistent')
    const witnesses = { threshold: 1, keys: [witnessKey(0)] }
    expect(await pinned({ witnesses })).toBe('ok')
    expect(await pinned({ witnesses, services: [keyOf(0)] })).toBe('list_inconsistent')
  })

  it.each([
    ['a key twice', { services: [keyOf(0), keyOf(0, 5)] }],
    ['two keys of a use from the same time', { services: [keyOf(0), keyOf(1)] }],
    ['a use that the service does not have', { services: [keyOf(0, 0, null, { service: 'core', use: 'snapshot' })] }],
    ['a key that ends before it begins', { services: [keyOf(0, 5, 5)] }],
    ['a key of the beacon twice', { beacon: [beaconKey(0), beaconKey(1)] }],
    ['another first realm than its own', { realms: ['https://other.example', REALM] as [string, string] }],
  ])('is refused with %s', async (_, members) => {
    expect(await pinned(members)).toBe('list_inconsistent')
  })

  it('has all of them, and at most so many', async () => {
    const { statement } = await listWith({ services: [keyOf(0)] })
    for (const member of ['services', 'beacon', 'witnesses', 'realms'] as const) {
      const { [member]: __, ...without } = statement
      expect(logListSchema.safeParse(without).success, member).toBe(false)
    }
    expect(logListSchema.safeParse({ ...statement, more: 1 }).success).toBe(false)
    const many = Array.from({ length: MAX_SERVICE_KEYS + 1 }, () => keyOf(0))
    expect(logListSchema.safeParse({ ...statement, services: many }).success).toBe(false)
    expect(proposedWitnessesSchema.safeParse({ threshold: 2, keys: [witnessKey(0)] }).success).toBe(false)
  })
})

describe('the keys of the next list', () => {
  it('may add one, announce one and end one', async () => {
    expect(await services([keyOf(0)], [keyOf(0, 0, LATER), keyOf(1, LATER)])).toBe('ok')
    expect(await services([keyOf(0)], [keyOf(0), keyOf(1, LATER + DAY)])).toBe('ok')
    expect(await services([], [keyOf(0)])).toBe('ok')
  })

  it('keep a key that has begun, with the time it began', async () => {
    expect(await services([keyOf(0)], [])).toBe('list_inconsistent')
    expect(await services([keyOf(0, 5)], [keyOf(0, 4)])).toBe('list_inconsistent')
    expect(await services([keyOf(0, 5)], [keyOf(0, 6)])).toBe('list_inconsistent')
  })

  it('may drop or move a key that was only announced, not to a time that is over', async () => {
    expect(await services([keyOf(0, LATER + DAY)], [])).toBe('ok')
    expect(await services([keyOf(0, LATER + DAY)], [keyOf(0, LATER + 2 * DAY)])).toBe('ok')
    expect(await services([keyOf(0, LATER + DAY)], [keyOf(0, ISSUED_AT)])).toBe('list_inconsistent')
  })

  it('may end sooner or later until the end has come, and then only sooner', async () => {
    expect(await services([keyOf(0, 0, LATER + DAY)], [keyOf(0, 0, LATER)])).toBe('ok')
    expect(await services([keyOf(0, 0, LATER + DAY)], [keyOf(0)])).toBe('ok')
    expect(await services([keyOf(0, 0, LATER)], [keyOf(0, 0, LATER - DAY)])).toBe('ok')
    expect(await services([keyOf(0, 0, LATER)], [keyOf(0)])).toBe('list_inconsistent')
    expect(await services([keyOf(0, 0, LATER)], [keyOf(0, 0, LATER + 1)])).toBe('list_inconsistent')
  })

  it('have no new key for a time before the list that lacked it', async () => {
    expect(await services([keyOf(0)], [keyOf(0, 0, LATER), keyOf(1, ISSUED_AT - 1)])).toBe('list_inconsistent')
  })

  it('follow the same rules for the beacon and for witnesses', async () => {
    const before = await listWith({ beacon: [beaconKey(0, LATER)], witnesses: { threshold: 1, keys: [witnessKey(0)] } })
    expect(await followed(before, { beacon: [beaconKey(0)] })).toBe('list_inconsistent')
    expect(await followed(before, { witnesses: { threshold: 0, keys: [] } })).toBe('list_inconsistent')
    const ended = { threshold: 1, keys: [witnessKey(0, 0, LATER), witnessKey(1, LATER)] }
    expect(await followed(before, { witnesses: ended })).toBe('ok')
  })
})
