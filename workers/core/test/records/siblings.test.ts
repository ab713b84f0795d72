import { SIBLING_SKEW_MS } from '@svc/service'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { CLOCKS_MS } from '../../src/env.ts'
import { freshCaller } from '../harness.ts'
import { byRoot, spend } from '../internal/spend.fixture.ts'
import { lose, objectOf, rebuild, record } from './records.fixture.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
})

it('take what was signed after a rebuilt identity was lost, as far as its clock tells', async () => {
  const by = await freshCaller()
  await by.client.security.placeHold()
  const object = objectOf(by.identity.did)
  await record(object)
  const lostAt = Date.now()
  await lose(object)
  expect(await rebuild(object, { lostAt })).toBe('rebuilt')
  const signedAt = async (issuedAt: number) => {
    const { status, body } = await spend(byRoot(by), { query: `?issuedAt=${issuedAt}` })
    return status === 200 ? 'spent' : body['error']
  }
  // Before the loss a sibling may have spent it though the clock of its signer was ahead, and the sibling's own.
  const last = lostAt + SIBLING_SKEW_MS + CLOCKS_MS
  expect([await signedAt(lostAt), await signedAt(last)]).toEqual(['assertion_expired', 'assertion_expired'])
  expect(await signedAt(last + 1)).toBe('spent')
  // A sibling of the release before does not say when it was signed.
  expect((await spend(byRoot(by))).body['error']).toBe('assertion_expired')
  expect((await spend(byRoot(by), { query: '?issuedAt=soon' })).status).toBe(400)
})
