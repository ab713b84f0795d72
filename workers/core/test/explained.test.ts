import { signPayload } from '@svc/assertion'
import { explain } from '@svc/client/functions'
import { hashTextHex } from '@svc/protocol/base/hash'
import { signerOf, testIdentity } from '@svc/testing'
import { expect, it } from 'vitest'
import { anonymous, CORE, freshCaller } from './harness.ts'

const PATH = '/api/chain/blocks?limit=1'
const MINUTE = 60_000
const mallory = await testIdentity(667)

/** The members that are wrong, who signs, what core answers, and what it does not say. */
const REFUSALS: [code: string, error: string, members: object, byMallory?: boolean][] = [
  ['audience', 'wrong_audience', { aud: 'keys' }],
  ['nonce_form', 'unauthorized', { nonce: 'a b' }],
  ['purpose', 'unauthorized', { purpose: 'auth/other' }],
  ['payload', 'unauthorized', { issuedAt: '1' }],
  ['times', 'unauthorized', { issuedAt: 5, expiresAt: 5 }],
  ['too_long', 'assertion_too_long', { expiresAt: Date.now() + 100 * MINUTE }],
  [
    'not_yet_valid',
    'assertion_not_yet_valid',
    { issuedAt: Date.now() + 10 * MINUTE, expiresAt: Date.now() + 11 * MINUTE },
  ],
  ['expired', 'assertion_expired', { issuedAt: Date.now() - 10 * MINUTE, expiresAt: Date.now() - 9 * MINUTE }],
  ['method', 'unauthorized', { htm: 'PUT' }],
  ['url', 'unauthorized', { htu: `${CORE}/api/chain/blocks` }],
  ['key', 'unauthorized', { chainId: 'AAAA' }],
  ['signature', 'unauthorized', {}, true],
  ['body', 'unauthorized', { bodyHash: hashTextHex('x') }],
]

it.each(REFUSALS)('core refuses what is explained as %s, with %s', async (code, error, members, byMallory = false) => {
  const { identity } = await freshCaller()
  const sign = signerOf(byMallory ? mallory : identity)
  const now = Date.now()
  const payload = {
    version: 1,
    purpose: 'auth/session',
    userId: identity.userId,
    chainId: identity.publicKeyB64u,
    publicChainKey: identity.publicKeyB64u,
    issuedAt: now,
    expiresAt: now + MINUTE,
    nonce: crypto.randomUUID(),
    aud: 'chain',
  }
  const request = { method: 'GET', url: CORE + PATH, audiences: ['chain'] }
  const good = await signPayload({ sign: signerOf(identity) }, payload)
  expect(await explain(good, request)).toMatchObject({ ok: true })
  const wrong = await signPayload({ sign }, { ...payload, ...members })
  expect(await explain(wrong, request)).toMatchObject({ ok: false, code })
  const refused = await anonymous('GET', PATH, undefined, { authorization: wrong })
  expect(refused).toMatchObject({ body: { error } })
  // What was refused before the nonce is spent leaves it unused.
  expect(await anonymous('GET', PATH, undefined, { authorization: good })).toMatchObject({ status: 200 })
})
