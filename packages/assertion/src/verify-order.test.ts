import { describe, expect, it } from 'vitest'
import {
  alice,
  HOUR,
  malformed,
  mallory,
  NOW,
  payloadWith,
  refused,
  SKEW,
  verdict,
  verdictOn,
} from './assertion.fixture.ts'
import { signPayload } from './make.ts'

const early = NOW + SKEW + 1

/** Each entry violates one rule, in the order in which the rules are checked. */
const RULES: [string, object, object][] = [
  ['audience', { aud: 'keys' }, refused({ reason: 'audience' })],
  ['nonce', { nonce: '' }, refused({ reason: 'nonce_form' })],
  ['shape', { purpose: 'x' }, malformed('purpose')],
  ['order of times', { issuedAt: early, expiresAt: early }, malformed('expiresAt')],
  ['lifetime', { issuedAt: early, expiresAt: early + HOUR + 1 }, refused({ reason: 'too_long' })],
  ['clock', { issuedAt: early, expiresAt: early + 1 }, refused({ reason: 'not_yet_valid' })],
  ['method', { htm: 'PUT' }, refused({ reason: 'binding', member: 'htm' })],
  ['URL', { htu: 'https://elsewhere.example/' }, refused({ reason: 'binding', member: 'htu' })],
  ['chainId', { chainId: 'x' }, malformed('chainId')],
  ['key', { chainId: 'AA', publicChainKey: 'AA' }, malformed('publicChainKey')],
  ['userId', { userId: 'x' }, malformed('userId')],
]
const otherBody = { request: { bodyHash: () => Promise.resolve('a7'.repeat(48)) } }

/** A payload that violates this rule and every later one, signed by another key. */
async function brokenFrom(at: number): Promise<string> {
  const later = RULES.slice(at + 1).toReversed()
  const members = Object.assign({ bodyHash: 'x' }, ...later.map(([, broken]) => broken), RULES[at]?.[1]) as object
  return signPayload(mallory, payloadWith(members))
}

describe('the order of checks', () => {
  it.each(RULES.map(([name, , refusal], at) => [name, at, refusal] as const))(
    '%s is checked before all later rules',
    async (_, at, refusal) => {
      expect(await verdictOn(await brokenFrom(at), otherBody)).toEqual(refusal)
    },
  )

  it('the signature comes before the body', async () => {
    const credential = await signPayload(mallory, payloadWith({ bodyHash: 'x' }))
    expect(await verdictOn(credential)).toEqual(refused({ reason: 'signature' }))
  })

  it('the body comes last', async () => {
    expect(await verdict({ bodyHash: 'x' }, otherBody)).toEqual(refused({ reason: 'binding', member: 'bodyHash' }))
  })

  it('a wrong audience is refused regardless of the rest of the payload', async () => {
    const wrong = refused({ reason: 'audience' })
    expect(await verdictOn(await signPayload(mallory, { aud: 'keys', version: 2, nonce: 5 }))).toEqual(wrong)
    expect(await verdictOn(await signPayload(alice, {}))).toEqual(wrong)
  })

  it('a wrong nonce is refused before the version, and the version before the rest', async () => {
    expect(await verdict({ version: 2, nonce: '' })).toEqual(refused({ reason: 'nonce_form' }))
    expect(await verdict({ version: 2, purpose: 'x', issuedAt: 'x' })).toEqual(
      refused({ reason: 'device_keys_disabled' }),
    )
  })

  it('an assertion that is both too long and expired is reported as too long', async () => {
    const times = { issuedAt: NOW - 3 * HOUR, expiresAt: NOW - HOUR }
    expect(await verdict(times)).toEqual(refused({ reason: 'too_long' }))
  })
})
