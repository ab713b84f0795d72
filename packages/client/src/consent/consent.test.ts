import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { ConsentClaim } from '@svc/protocol/consent/claims'
import { type ConsentAct, consentSignedBytes, type Preferences } from '@svc/protocol/consent/consent'
import { messageOf } from '@svc/protocol/consent/history'
import { projectionsOf } from '@svc/protocol/consent/projection'
import { describe, expect, it } from 'vitest'
import {
  type Answer,
  alice,
  answering,
  CONSENT,
  failure,
  mallory,
  NOW,
  places,
  rotatedAlice,
} from '../../test/consent.fixture.ts'
import { signerOf } from '../../test/signer.ts'
import { Client } from '../client.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'
import { ServiceError } from '../transport/service-error.ts'

const HASH = 'identifier / of #1'
const DISALLOW: Preferences = { ai_training: 'disallow' }
async function act(
  version: number,
  action: ConsentAct['action'],
  preferences: Preferences | null,
  by = alice,
  epoch = 0,
) {
  const signature = await signerOf(by)(consentSignedBytes(messageOf(HASH, alice.did, { preferences })))
  return {
    version,
    action,
    preferences,
    public_key_b64u: by.publicKeyB64u,
    signature_b64u: encodeBase64url(signature),
    signer: { kind: 'root' as const, epoch },
    recorded_at: NOW + version,
  }
}

function recordOf(
  { version, recorded_at, public_key_b64u, ...signed }: ConsentAct,
  preferences = signed.preferences ?? {},
) {
  return {
    found: true,
    hash: HASH,
    source: 'declared',
    content_hash: HASH,
    creator_did: alice.did,
    public_key_b64u,
    preferences,
    version,
    created_at: NOW,
    updated_at: recorded_at,
    signed,
    projections: projectionsOf(preferences),
  }
}
const created = await act(1, 'create', DISALLOW)
const record = recordOf(created)
const miss = { found: false, hash: HASH, source: 'default', message: 'nothing' }
const ok = (data: unknown) => Response.json({ success: true, data, timestamp: NOW })
describe('a client that was not told where consent is', () => {
  it('says so', () => {
    expect(() => new Client({ core: places.core, did: places.did }).consent).toThrow(
      new ConfigurationError('consent', 'This client has no consent service: pass its origin as `consent`'),
    )
  })
})

describe('a write', () => {
  it('signs what it sends, and checks what comes', async () => {
    const { requests, consent } = answering((request, body) => {
      const { preferences } = body as { preferences: Preferences }
      const signature_b64u = request.headers.get('x-svc-signature') ?? ''
      return ok(
        recordOf({ ...created, action: request.method === 'PUT' ? 'update' : 'create', preferences, signature_b64u }),
      )
    })
    expect((await consent.publish(HASH, DISALLOW)).preferences).toEqual(DISALLOW)
    expect((await consent.update(HASH, { search: 'allow' })).preferences).toEqual({ search: 'allow' })
    const [post, put] = requests
    expect(post?.url).toBe(`${CONSENT}/api/v1/consent`)
    expect(await post?.json()).toEqual({
      content_hash: HASH,
      creator_did: alice.did,
      public_key_b64u: alice.publicKeyB64u,
      preferences: DISALLOW,
    })
    expect(put?.url).toBe(`${CONSENT}/api/v1/consent/identifier%20%2F%20of%20%231`)
    expect(await put?.json()).toEqual({ public_key_b64u: alice.publicKeyB64u, preferences: { search: 'allow' } })
    expect(requests.some((request) => request.headers.has('authorization'))).toBe(false)
  })

  it('sends the very same request once more when the connection breaks, and never after an answer', async () => {
    const signatures: (string | null)[] = []
    let failures = 1
    const { consent } = answering((request) => {
      signatures.push(request.headers.get('x-svc-signature'))
      if (failures-- > 0) throw new TypeError('network')
      return ok({ content_hash: HASH, creator_did: alice.did, revoked: true, version: 2, revoked_at: NOW })
    })
    expect((await consent.revoke(HASH)).revoked).toBe(true)
    expect(signatures).toHaveLength(2)
    expect(signatures[0]).toBe(signatures[1])
    const refusing = answering(() => Response.json({ success: false, error: 'consent_held' }, { status: 409 }))
    await expect(refusing.consent.publish(HASH, DISALLOW)).rejects.toMatchObject({ status: 409, error: 'consent_held' })
    expect(refusing.requests).toHaveLength(1)
  })

  it('withdraws a claim, and names itself', async () => {
    const { requests, consent } = answering(() =>
      ok({ content_hash: HASH, creator_did: alice.did, withdrawn: true, withdrawn_at: NOW }),
    )
    expect(await consent.withdrawClaim(HASH)).toMatchObject({ withdrawn: true })
    expect(await requests[0]?.json()).toEqual({ public_key_b64u: alice.publicKeyB64u, creator_did: alice.did })
    const other = answering(() =>
      ok({ content_hash: HASH, creator_did: mallory.did, withdrawn: true, withdrawn_at: NOW }),
    )
    expect(await failure(other.consent.withdrawClaim(HASH))).toBe('Consent answered for a different claim')
  })

  it('of what is not there is not_found', async () => {
    const { consent } = answering(() => Response.json(miss, { status: 404 }))
    const error = await consent.update(HASH, DISALLOW).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ServiceError)
    expect(error).toMatchObject({ status: 404, error: 'not_found' })
  })

  it('needs an identity', async () => {
    const { consent } = answering(() => ok(record), { owner: null })
    await expect(consent.publish(HASH, DISALLOW)).rejects.toThrow(
      new TypeError('This client has no identity: pass `identity` or `device`'),
    )
  })
})

describe('a read', () => {
  const reading = (body: unknown, status = 200) => answering(() => Response.json(body, { status }), { owner: null })

  it('gives a record that holds, or a miss', async () => {
    expect(await reading(record).consent.read(HASH)).toEqual(record)
    expect(await reading(miss, 404).consent.read(HASH)).toEqual(miss)
    const ownerless = { ...record, creator_did: null, public_key_b64u: null, signed: null, version: 0 }
    expect(await reading(ownerless).consent.read(HASH)).toEqual(ownerless)
  })

  it.each([
    ['words that were not signed', { preferences: { ai_training: 'allow' } }],
    ['another creator', { creator_did: mallory.did }],
    ['another key', { public_key_b64u: mallory.publicKeyB64u }],
  ])('refuses a record with %s', async (_, changed) => {
    expect(await failure(reading({ ...record, ...changed }).consent.read(HASH))).toBe('The record is invalid')
  })

  it('refuses a record that is signed by a stranger, or about another identifier', async () => {
    const forged = recordOf(await act(1, 'create', DISALLOW, mallory))
    expect(await failure(reading(forged).consent.read(HASH))).toBe('The record is invalid')
    for (const body of [
      { ...record, hash: 'another identifier' },
      { ...miss, hash: 'another identifier' },
    ]) {
      expect(await failure(reading(body).consent.read(HASH))).toBe('Consent answered for a different identifier')
    }
  })

  it('asks core for a root key of a later epoch', async () => {
    const { heir, history } = await rotatedAlice()
    const later = recordOf(await act(2, 'update', DISALLOW, heir, 1))
    const answer: Answer = ({ url }) => (url.includes('/api/chain/root/') ? ok(history) : Response.json(later))
    expect(await answering(answer).consent.read(HASH)).toEqual(later)
    const wrong = recordOf(await act(2, 'update', DISALLOW, mallory, 1))
    const other: Answer = ({ url }) => (url.includes('/api/chain/root/') ? ok(history) : Response.json(wrong))
    expect(await failure(answering(other).consent.read(HASH))).toBe('The record is invalid')
  })

  it('of many asks for ten thousand at a time, and refuses answers out of place', async () => {
    const sizes: number[] = []
    const { consent } = answering((_, body) => {
      const { hashes } = body as { hashes: string[] }
      sizes.push(hashes.length)
      return Response.json({ results: hashes.map((hash) => ({ found: false, hash, source: 'default' })) })
    })
    const hashes = Array.from({ length: 10_001 }, (_, i) => `identifier number ${i}`)
    expect(await consent.readMany(hashes)).toHaveLength(10_001)
    expect(sizes).toEqual([10_000, 1])
    const swapped = answering(() =>
      Response.json({ results: [{ found: false, hash: 'another identifier', source: 'default' }] }),
    )
    expect(await failure(swapped.consent.readMany([HASH]))).toBe('Consent answered for different identifiers')
    const short = answering(() => Response.json({ results: [] }))
    expect(await failure(short.consent.readMany([HASH]))).toBe('Consent answered for different identifiers')
    const { requests, consent: asked } = answering(() => Response.json({ results: [] }))
    await expect(asked.readMany([HASH, 'short'])).rejects.toThrow(/malformed at 1 /)
    expect(requests).toEqual([])
  })
})

describe('the records of a creator', () => {
  const page = (next: string | null, by = alice.did) => ({
    creator_did: by,
    items: [],
    next,
    kept: { consentRecords: 3, consentActs: 7 },
  })

  it('come with what counts towards the budgets', async () => {
    const { requests, consent } = answering(() => Response.json(page(null)), { owner: null })
    expect(await consent.kept(alice.did)).toEqual({ consentRecords: 3, consentActs: 7 })
    expect(requests[0]?.url).toBe(`${CONSENT}/api/v1/consent/by-creator/${encodeURIComponent(alice.did)}?limit=1`)
    const other = answering(() => Response.json(page(null, mallory.did)), { owner: null })
    expect(await failure(other.consent.kept(alice.did))).toBe('Consent answered for a different creator')
  })
})

const acts = [created, await act(2, 'update', { search: 'allow' }), await act(3, 'delete', null)]

describe('a history', () => {
  const page = (entries: readonly ConsentAct[], next: number | null = null) => ({
    hash: HASH,
    creator_did: alice.did,
    at: NOW + 9,
    state: { preferences: null, version: 3, source: 'default' },
    entries,
    claims: [] as readonly ConsentClaim[],
    next,
  })
  async function claim(by = mallory, changed: Partial<ConsentClaim> = {}): Promise<ConsentClaim> {
    const signed = await signerOf(by)(
      consentSignedBytes(messageOf(HASH, by.did, { preferences: { ai_training: 'allow' } })),
    )
    return {
      creator_did: by.did,
      preferences: { ai_training: 'allow' },
      signature_b64u: encodeBase64url(signed),
      signer: { kind: 'root', epoch: 0 },
      public_key_b64u: by.publicKeyB64u,
      recorded_at: NOW,
      settled_at: null,
      ...changed,
    }
  }

  it('has the claims of others, verified', async () => {
    const body = { ...page([created]), claims: [await claim()] }
    const history = await answering(() => Response.json(body)).consent.history(HASH)
    expect(history?.claims).toEqual([{ ...body.claims[0], isProved: true }])
    const forged = { ...body, claims: [await claim(mallory, { preferences: DISALLOW })] }
    expect(await failure(answering(() => Response.json(forged)).consent.history(HASH))).toBe(
      `The claim of ${mallory.did} is invalid`,
    )
  })

  it('does not depend on what core tells of a claimant', async () => {
    const body = { ...page([created]), claims: [await claim(mallory, { signer: { kind: 'root', epoch: 1 } })] }
    const answer: Answer = ({ url }) =>
      url.includes('/api/chain/root/') ? Response.json({}, { status: 503 }) : Response.json(body)
    const history = await answering(answer).consent.history(HASH)
    expect(history?.claims).toMatchObject([{ creator_did: mallory.did, isProved: false }])
  })

  it('is read in pages and says what was declared when', async () => {
    const { requests, consent } = answering(({ url }) =>
      Response.json(url.endsWith('/history') ? page(acts.slice(0, 2), 2) : page(acts.slice(2))),
    )
    const history = await consent.history(HASH)
    expect(new URL(requests[1]?.url ?? '').search).toBe(`?at=${NOW + 9}&after=2`)
    expect([0, 1, 2, 3].map((i) => history?.declaredAt(NOW + i))).toEqual([
      null,
      DISALLOW,
      { ...DISALLOW, search: 'allow' },
      null,
    ])
    expect(history?.unproved).toEqual([])
  })

  it('that does not hold, or leaves out acts, is refused', async () => {
    const of = (body: unknown) => answering(() => Response.json(body)).consent.history(HASH)
    expect(await failure(of(page([created, acts[2]!])))).toBe('The history is invalid: gap at 3')
    expect(await failure(of(page([await act(1, 'create', DISALLOW, mallory)])))).toBe(
      'The history is invalid: key at 1',
    )
    expect(await failure(of(page([created], 2)))).toBe('Consent left out acts')
    expect(await failure(of({ ...page(acts), hash: 'another identifier' }))).toBe(
      'Consent answered for a different identifier',
    )
  })

  it('of what never was is null', async () => {
    expect(await answering(() => Response.json(miss, { status: 404 })).consent.history(HASH)).toBeNull()
  })
})
