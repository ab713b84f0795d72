import { GENERAL_NONCE, signPayload, verifyAssertion } from '@svc/assertion'
import { hashTextHex } from '@svc/protocol/base/hash'
import { didOf } from '@svc/protocol/base/identity'
import { describe, expect, it } from 'vitest'
import { signerOf } from '../../test/signer.ts'
import { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { explain } from './explain.ts'
import type { ExplainedRequest } from './explained-request.ts'

const NOW = 1_790_000_000_000
const HOUR = 3_600_000
const seeds = (byte: number) => ({ signing: new Uint8Array(32).fill(byte), kem: new Uint8Array(32).fill(byte) })
const alice = await Identity.fromSeeds(seeds(1))
const mallory = await Identity.fromSeeds(seeds(2))
const request = {
  method: 'POST',
  url: 'https://core.example/api/chain/append?x=1',
  body: '{"a":1}',
  audiences: ['chain'],
  capability: 'any',
  now: NOW,
} satisfies ExplainedRequest
const payload = {
  version: 1,
  purpose: 'auth/session',
  userId: alice.userId,
  chainId: alice.publicKeyB64u,
  publicChainKey: alice.publicKeyB64u,
  issuedAt: NOW,
  expiresAt: NOW + 60_000,
  nonce: 'nonce-0001',
  aud: 'chain',
}
const signed = (members: object, by = alice) => signPayload({ sign: signerOf(by) }, { ...payload, ...members })
const good = await alice.assertion({
  audience: 'chain',
  method: 'POST',
  url: request.url,
  body: new TextEncoder().encode(request.body),
  now: NOW,
})
const laptop = await Device.fromSeeds(seeds(3), { origin: 'https://app.example', capabilities: ['chain:read'] })
const devicePayload = {
  version: 2,
  purpose: 'auth/device-session',
  userId: alice.userId,
  scope: alice.userId,
  did: didOf(alice.userId),
  deviceId: laptop.deviceId,
  devicePublicKey: laptop.devicePublicKeyB64u,
  origin: 'https://app.example',
  rootEpoch: 0,
  capabilities: ['chain:read'],
  issuedAt: NOW,
  expiresAt: NOW + 60_000,
  nonce: 'nonce-0001',
  aud: 'chain',
}
const byLaptop = (members: object) => signPayload({ sign: signerOf(laptop) }, { ...devicePayload, ...members })

/** What the verifier says of the same request, under the same rules. */
async function refusalOf(
  authorization: string | undefined,
  changes: Partial<ExplainedRequest>,
): Promise<string | null> {
  const { method, url, body, origin, now, acceptsDevices = true } = { ...request, ...changes }
  const { pathname, search } = new URL(url)
  const verdict = await verifyAssertion(
    {
      authorization,
      method,
      target: pathname + search,
      origin,
      bodyHash: () => Promise.resolve(hashTextHex(typeof body === 'string' ? body : '')),
    },
    {
      expectedAudiences: ['chain'],
      skewMs: 120_000,
      noncePattern: GENERAL_NONCE,
      expectedOrigins: ['https://core.example'],
      acceptsDevices,
      requiredCapability: 'any',
    },
    now,
  )
  if (verdict.ok) return null
  return verdict.error.reason === 'binding' ? verdict.error.member : verdict.error.reason
}

type Case = [
  code: string,
  member: string | null,
  refusal: string,
  assertion: () => Promise<string> | string | undefined,
  request?: Partial<ExplainedRequest>,
  says?: string,
]

const CASES: Case[] = [
  ['missing', null, 'missing', () => undefined, {}, 'no Authorization header'],
  ['credential', null, 'malformed', () => '', {}, 'does not begin with'],
  ['credential', null, 'malformed', () => good.replace('ServiceAssertion ', ''), {}, 'does not begin with'],
  ['credential', null, 'malformed', () => good.replace('ServiceAssertion', 'Basic')],
  ['credential', null, 'malformed', () => good.replace('.', ' '), {}, 'a dot between them'],
  ['credential', null, 'malformed', () => `ServiceAssertion ${btoa('[1]').replaceAll('=', '')}.AAAA`],
  ['audience', 'aud', 'audience', () => signed({ aud: 'keys' }), {}, '"chain"; the assertion is for "keys"'],
  ['audience', 'aud', 'audience', () => signed({ aud: undefined }), {}, 'is for nothing'],
  ['nonce_form', 'nonce', 'nonce_form', () => signed({ nonce: 'not a nonce' })],
  ['nonce_form', 'nonce', 'nonce_form', () => signed({ nonce: undefined })],
  ['device_keys_disabled', 'version', 'device_keys_disabled', () => byLaptop({}), { acceptsDevices: false }],
  ['purpose', 'purpose', 'malformed', () => signed({ purpose: 'auth/other' }), {}, 'It is "auth/other"'],
  ['purpose', 'version', 'malformed', () => signed({ version: 3 }), {}, 'It is 3'],
  ['purpose', 'purpose', 'malformed', () => byLaptop({ purpose: 'auth/session' })],
  ['payload', 'issuedAt', 'malformed', () => signed({ issuedAt: '1' }), {}, 'does not have its type. It is "1"'],
  ['payload', 'userId', 'malformed', () => signed({ userId: undefined }), {}, 'It is nothing'],
  ['payload', 'deviceId', 'malformed', () => byLaptop({ deviceId: 'x' })],
  ['times', 'expiresAt', 'malformed', () => signed({ expiresAt: NOW })],
  ['too_long', 'expiresAt', 'too_long', () => signed({ expiresAt: NOW + HOUR + 1 })],
  [
    'not_yet_valid',
    'issuedAt',
    'not_yet_valid',
    () => signed({}),
    { now: NOW - 300_000 },
    '300 s in the future; 120 s',
  ],
  ['expired', 'expiresAt', 'expired', () => signed({}), { now: NOW + HOUR }, 'expired 3540 s ago'],
  ['method', 'htm', 'htm', () => signed({ htm: 'post' }), {}, 'for "post"; the request is "POST"'],
  ['method', 'htm', 'htm', () => good, { method: 'PUT' }],
  ['url', 'htu', 'htu', () => good, { url: 'https://core.example/api/chain/append' }, '/append?x=1"'],
  ['url', 'htu', 'htu', () => signed({ htu: 'https://other.example/api/chain/append?x=1' })],
  ['origin', 'origin', 'origin', () => byLaptop({}), { origin: 'https://evil.example' }, '"https://evil.example"'],
  ['key', 'chainId', 'malformed', () => signed({ chainId: mallory.publicKeyB64u })],
  ['key', 'publicChainKey', 'malformed', () => signed({ chainId: 'AA', publicChainKey: 'AA' }), {}, '1,952 bytes'],
  ['key', 'userId', 'malformed', () => signed({ userId: mallory.userId }), {}, 'SHA3-384 of the public key'],
  ['key', 'devicePublicKey', 'malformed', () => byLaptop({ devicePublicKey: 'AA' })],
  ['key', 'deviceId', 'malformed', () => byLaptop({ deviceId: 'A'.repeat(32) })],
  ['key', 'did', 'malformed', () => byLaptop({ did: didOf(mallory.userId) })],
  ['signature', null, 'signature', () => signed({}, mallory)],
  ['body', 'bodyHash', 'bodyHash', () => good, { body: '{"a":2}' }, hashTextHex('{"a":2}')],
]

describe('explain', () => {
  it('finds nothing against an assertion that is accepted, and says what it cannot know', async () => {
    expect(await refusalOf(good, {})).toBeNull()
    expect(await explain(good, request)).toMatchObject({ ok: true, code: null, member: null })
    expect((await explain(good, request)).unknown).toHaveLength(2)
    // As generated clients send it.
    const bearer = good.replace('ServiceAssertion', 'Bearer')
    expect(await refusalOf(bearer, {})).toBeNull()
    expect(await explain(bearer, request)).toMatchObject({ ok: true, code: null })
    expect(
      (await explain(good, { method: 'POST', url: request.url, body: request.body, now: NOW })).unknown,
    ).toHaveLength(4)
    expect(await explain(await byLaptop({}), { ...request, capability: 'chain:read' })).toMatchObject({ ok: true })
  })

  it.each(CASES)(
    'says %s (%s) where the verifier refuses with %s: %#',
    async (code, member, refusal, made, changes = {}, says = '') => {
      const assertion = await made()
      expect(await refusalOf(assertion, changes)).toBe(refusal)
      const explained = await explain(assertion, { ...request, ...changes })
      expect(explained).toMatchObject({ ok: false, code, member })
      expect(explained.text).toContain(says)
      expect(explained.text).toMatch(/^[A-Z`].+\.$/)
    },
  )

  it('names the first check that fails, like the services', async () => {
    const broken = await signed({ aud: 'keys', purpose: 'x', expiresAt: 0, htm: 'PUT' }, mallory)
    expect(await explain(broken, request)).toMatchObject({ code: 'audience' })
  })

  it.each(['chain:append', 'root'] as const)('says that a device may not do what needs %s', async (capability) => {
    const { code, text } = await explain(await byLaptop({}), { ...request, capability })
    expect([code, text]).toEqual([
      'capability',
      expect.stringContaining(capability === 'root' ? 'root key' : capability),
    ])
  })

  it('never repeats the signature', async () => {
    const credential = await signed({}, mallory)
    const explained = JSON.stringify(await explain(credential, request))
    expect(explained).not.toContain(credential.split('.')[1]?.slice(0, 40))
  })
})
