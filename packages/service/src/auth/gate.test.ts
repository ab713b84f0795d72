import type { AssertionRefusal, SpendRefusal } from '@svc/assertion'
import { describe, expect, it } from 'vitest'
import { type RefusalNames, refusalError, spendError, UnspentAssertion } from './gate.ts'

const NAMES: RefusalNames = {
  missing: 'Authorization required',
  rejected: 'Invalid assertion',
  audience: 'wrong_audience',
  replay: 'assertion_replay',
  nonceForm: (path) => (path === '/strict' ? { pattern: /^x$/, error: 'invalid_nonce' } : undefined),
}

describe('refusalError', () => {
  it.each<[AssertionRefusal, string, string]>([
    [{ reason: 'missing' }, '/', 'Authorization required'],
    [{ reason: 'audience' }, '/', 'wrong_audience'],
    [{ reason: 'nonce_form' }, '/', 'Invalid assertion'],
    [{ reason: 'nonce_form' }, '/strict', 'invalid_nonce'],
    [{ reason: 'device_keys_disabled' }, '/', 'device_keys_disabled'],
    [{ reason: 'too_long' }, '/', 'assertion_too_long'],
    [{ reason: 'malformed', detail: 'userId' }, '/', 'Invalid assertion'],
    [{ reason: 'binding', member: 'htu' }, '/', 'Invalid assertion'],
    [{ reason: 'signature' }, '/', 'Invalid assertion'],
  ])('answers %j at %s with %s', (refusal, path, error) => {
    const refused = refusalError(refusal, NAMES, path, 5)
    expect(refused.error).toBe(error)
    expect(refused.options.serverTime).toBeUndefined()
  })

  it('tells a clock that is wrong what time it is', () => {
    for (const reason of ['expired', 'not_yet_valid'] as const) {
      expect(refusalError({ reason }, NAMES, '/', 5).options.serverTime).toBe(5)
    }
  })

  it('tells apart in the log alone what shares an error', () => {
    const reasons = (['htm', 'htu', 'bodyHash'] as const).map(
      (member) => refusalError({ reason: 'binding', member }, NAMES, '/', 5).options.reason,
    )
    expect(reasons).toEqual(['binding: htm', 'binding: htu', 'binding: bodyHash'])
  })
})

describe('spendError', () => {
  it.each<[SpendRefusal, string, number]>([
    [{ reason: 'unavailable', dependency: 'core' }, 'dependency_unavailable', 503],
    [{ reason: 'replay' }, 'assertion_replay', 401],
    [{ reason: 'expired' }, 'assertion_expired', 401],
    [{ reason: 'unknown_key' }, 'Invalid assertion', 401],
    [{ reason: 'superseded' }, 'Invalid assertion', 401],
  ])('answers %j with %s', (refusal, error, status) => {
    expect(spendError(refusal, NAMES, 5)).toMatchObject({ error, status })
  })
})

describe('an unspent assertion', () => {
  it('knows whether it was handed over, and shows the key without', () => {
    const verified = {
      userId: 'u',
      keyDid: 'd',
      publicKeyB64u: 'k',
      signer: 'u',
      device: null,
      requiredCapability: 'root',
      nonce: 'n',
      keepUntil: 1,
    } as const
    const unspent = new UnspentAssertion(verified)
    expect([unspent.userId, unspent.publicKeyB64u, unspent.taken]).toEqual(['u', 'k', false])
    expect(unspent.take()).toBe(verified)
    expect(unspent.taken).toBe(true)
  })
})
