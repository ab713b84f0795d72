import { describe, expect, it } from 'vitest'
import { REALMS } from '../../test/realm.fixture.ts'
import { isOlderHead } from '../base/inception-head.ts'
import type { Signer } from '../chain/chain.fixture.ts'
import { attestationOf, changeOf } from './inception.fixture.ts'
import {
  alice,
  first,
  genesisHash,
  keyOf,
  laptop,
  logOf,
  mallory,
  phone,
  second,
  successor,
  tablet,
} from './log.fixture.ts'
import {
  type PlacedStatement,
  placeAt,
  type SignedPlace,
  type SignerHistory,
  signerStanding,
} from './signer-standing.ts'
import { InceptionVerifier } from './verifier.ts'

const NOW = 1_790_000_000_000
/**
 * 1 attests the phone, 2 the laptop, 3 takes the phone its capability, 4 gives it back, 5 revokes the phone; the successor
 * attests the tablet as 6.
 */
const events = await logOf(
  (head) => attestationOf(first, head, phone),
  (head) => attestationOf(first, head, laptop),
  (head) => changeOf(first, head, phone, { event: 'capabilities', capabilities: [] }),
  (head) => changeOf(first, head, phone, { event: 'capabilities', capabilities: ['chain:read'] }),
  (head) => changeOf(first, head, phone, { event: 'revoke' }),
  (head) => attestationOf(second, head, tablet),
)

async function historyOf(
  count: number,
  root: 0 | 1,
): Promise<SignerHistory & { log: NonNullable<SignerHistory['log']> }> {
  const keys = root === 0 ? ([keyOf(0, alice)] as const) : ([keyOf(0, alice), keyOf(1, successor)] as const)
  const verifier = new InceptionVerifier(keys, genesisHash, REALMS)
  for (const event of events.slice(0, count)) await verifier.next(event)
  return { keys, log: verifier.steps, now: NOW }
}

const whole = await historyOf(6, 1)
const at = (sequence: number, by: Signer, more: Partial<PlacedStatement> = {}): PlacedStatement => ({
  publicKeyB64u: by.ownerPublicKey,
  inception: { sequence, hash: whole.log[sequence]?.hash ?? '' },
  issuedAt: NOW,
  capability: 'chain:read',
  ...more,
})
const place = (epoch: number, sequence: number | null = null, before: number | null = null): SignedPlace => ({
  epoch,
  sequence,
  before,
})

describe('a key that has not ended', () => {
  it.each<[string, PlacedStatement]>([
    ['the root key', at(6, successor)],
    ['the root key that knew an older head', at(1, successor)],
    ['the root key that knew no head', at(0, successor, { inception: null })],
    ['a device with the capability', at(6, tablet)],
  ])('is active: %s', (_, statement) => {
    expect(signerStanding(whole, statement)).toEqual({ signer: 'active', fault: null })
  })
})

describe('a key that has ended', () => {
  it.each<[string, PlacedStatement, SignedPlace]>([
    ['a revoked device', at(4, phone), place(0, 4)],
    ['a revoked device that lost its capability in between', at(2, phone), place(0, 4)],
  ])('counts where something from before the end follows: %s', (_, statement, followedAt) => {
    expect(signerStanding(whole, statement, followedAt)).toEqual({ signer: 'revoked', fault: null })
  })

  it.each<[string, PlacedStatement, SignedPlace]>([
    ['a root key', at(5, alice), place(0)],
    ['a root key that knew no head', at(5, alice, { inception: null }), place(0, 5)],
    ['a device of a root key', at(5, laptop), place(0, 5)],
    ['a device of a root key, by the root key alone', at(5, laptop), place(0)],
  ])('counts where something from before the rotation follows: %s', (_, statement, followedAt) => {
    expect(signerStanding(whole, statement, followedAt)).toEqual({ signer: 'superseded', fault: null })
  })

  it.each<[string, PlacedStatement, SignedPlace | null]>([
    ['nothing follows a revoked device', at(4, phone), null],
    ['what follows knew the revocation', at(4, phone), place(0, 5)],
    ['what follows knew a later root key', at(4, phone), place(1, 4)],
    ['what follows is placed by the root key alone', at(4, phone), place(0)],
    ['nothing follows a superseded root key', at(5, alice), null],
    ['what follows knew the next root key', at(5, alice), place(1, 5)],
    ['nothing follows a device of a superseded root key', at(5, laptop), null],
    ['what follows is of the next root key', at(5, laptop), place(1, 5)],
    ['what follows knew the first event of the next root key', at(5, laptop), place(0, 6)],
  ])('does not count where %s', (_, statement, followedAt) => {
    expect(signerStanding(whole, statement, followedAt)).toMatchObject({ fault: 'unordered' })
  })
})

describe('a key that could not sign', () => {
  it.each<[string, PlacedStatement]>([
    ['before its device was attested', at(0, phone)],
    ['without any head, as a device', at(0, phone, { inception: null })],
    ['while its device lacked the capability', at(3, phone)],
    ['something else than its device may', at(4, phone, { capability: 'notes:write' })],
    ['when its device was revoked', at(5, phone)],
    ['as a device of a superseded root key', at(6, laptop)],
    ['as a superseded root key', at(6, alice)],
  ])('is refused: %s', (_, statement) => {
    expect(signerStanding(whole, statement, place(0, 0))).toEqual({ signer: null, fault: 'not_entitled' })
  })

  it('may sign as a device what every device may', () => {
    expect(signerStanding(whole, at(3, phone, { capability: null }), place(0, 4))).toEqual({
      signer: 'revoked',
      fault: null,
    })
  })
})

describe('an expiry', () => {
  const device = { ...whole.log[6]!.device!, expiresAt: NOW }
  const history = { ...whole, log: whole.log.with(6, { ...whole.log[6]!, device }) }
  const statement = at(6, tablet, { issuedAt: NOW - 2 })

  it('ends a device at a time, so what follows must be proved to be older', () => {
    expect(signerStanding({ ...history, now: NOW - 1 }, statement)).toEqual({ signer: 'active', fault: null })
    expect(signerStanding(history, statement, place(1, 6))).toMatchObject({ fault: 'unordered' })
    expect(signerStanding(history, statement, place(1, 6, NOW + 1))).toMatchObject({ fault: 'unordered' })
    expect(signerStanding(history, statement, place(1, 6, NOW))).toEqual({ signer: 'revoked', fault: null })
    expect(signerStanding(history, { ...statement, issuedAt: NOW })).toEqual({ signer: null, fault: 'not_entitled' })
  })
})

describe('what a reader does not know', () => {
  it('is a head that the log does not have', () => {
    const other = { sequence: 6, hash: whole.log[5]!.hash }
    const beyond = { sequence: 7, hash: whole.log[6]!.hash }
    for (const inception of [other, beyond])
      expect(signerStanding(whole, at(6, successor, { inception }))).toEqual({ signer: null, fault: 'unknown_head' })
  })

  it('is a key of somebody else, and of every device without the log', () => {
    expect(signerStanding(whole, at(6, mallory))).toEqual({ signer: null, fault: 'wrong_key' })
    expect(signerStanding({ ...whole, log: null }, at(6, tablet))).toEqual({ signer: null, fault: 'wrong_key' })
  })

  it('is the head, without the log: the root keys alone decide', () => {
    const reader = { ...whole, log: null }
    expect(signerStanding(reader, at(6, successor))).toEqual({ signer: 'active', fault: null })
    expect(signerStanding(reader, at(6, alice))).toMatchObject({ fault: 'unordered' })
    expect(signerStanding(reader, at(6, alice), place(0))).toEqual({ signer: 'superseded', fault: null })
  })

  it('is a rotation or a revocation that came later', async () => {
    expect(signerStanding(await historyOf(5, 0), at(5, alice))).toEqual({ signer: 'active', fault: null })
    expect(signerStanding(await historyOf(4, 0), at(4, phone))).toEqual({ signer: 'active', fault: null })
  })
})

it('knows which head is older', () => {
  const [older, newer] = [1, 2].map((sequence) => ({ sequence, hash: 'a' }))
  expect(isOlderHead(older!, newer!)).toBe(true)
  expect(isOlderHead(null, older!)).toBe(true)
  expect(isOlderHead(newer!, older!)).toBe(false)
  expect(isOlderHead(newer!, newer!)).toBe(false)
  expect(isOlderHead(null, null)).toBe(false)
})

describe('a time', () => {
  const keys = [
    { ...keyOf(0, alice), activatedAt: 0 },
    { ...keyOf(1, successor), activatedAt: 30 },
  ]
  const log = whole.log.map((step, sequence) => ({ ...step, issuedAt: sequence === 6 ? 40 : sequence }))

  it.each<[number, SignedPlace]>([
    [0, place(0, 0, 0)],
    [3, place(0, 2, 3)],
    [30, place(0, 5, 30)],
    [31, place(1, 5, 31)],
    [41, place(1, 6, 41)],
  ])('of %d has the keys and events that were there before', (time, expected) => {
    expect(placeAt(keys, log, time)).toEqual(expected)
    expect(placeAt(keys, null, time)).toEqual({ ...expected, sequence: null })
  })

  it('before the end of a key is one at which the key could sign', () => {
    const history = { keys, log, now: NOW }
    const by = (signer: Signer, sequence: number, time: number) =>
      signerStanding(history, at(sequence, signer), placeAt(keys, log, time)).fault
    expect([by(phone, 4, 5), by(phone, 4, 6)]).toEqual([null, 'unordered'])
    expect([by(alice, 5, 30), by(alice, 5, 31)]).toEqual([null, 'unordered'])
  })
})
