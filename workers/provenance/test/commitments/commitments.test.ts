import { env } from 'cloudflare:workers'
import { VerificationError } from '@svc/client'
import { verifyOpening } from '@svc/client/verify'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { signStatement } from '@svc/protocol/base/statement'
import { expectRefusal, Prober } from '@svc/service/testing'
import { REALM } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../../src/app.ts'
import { get } from '../capsules/capsules.fixture.ts'
import { databaseWith } from '../database.fixture.ts'
import { BASE, caller, send, sendWith } from '../harness.ts'

const HASH = 'c0'.repeat(48)
type By = Awaited<ReturnType<typeof caller>>

async function commit(by: Pick<By, 'assertion'>, body: unknown, replaced?: object) {
  const prober = new Prober({ service, base: BASE, send: replaced ? sendWith(replaced) : send })
  const headers = { authorization: await by.assertion('provenance') }
  return prober.send({ method: 'POST', path: '/api/commitment', headers, body: JSON.stringify(body) })
}

const historicalOf = (members: object = {}) => {
  const id = crypto.randomUUID()
  const record = JSON.stringify({ hint: 'a sunset at home', clientTimestamp: 1_600_000_000_000, id })
  const given = { id, commitmentHash: 'an-older-form', algorithm: 'SHA-256', did: null, createdAt: 1_600_000_000_000 }
  return { ...given, record, ...members }
}

/** Each act comes from an address of its own, as acts are limited by address. */
async function imported(...commitments: readonly object[]) {
  const statement = {
    type: 'svc/operator-import-commitments/v1' as const,
    realm: REALM,
    service: 'provenance',
    commitments,
    nonce: encodeBase64url(crypto.getRandomValues(new Uint8Array(16))),
    issuedAt: Date.now(),
  }
  const signed = await signStatement(statement, (message) => mlDsa65.sign(new Uint8Array(32).fill(7), message))
  const headers = { 'cf-connecting-ip': `10.2.0.${commitments.length % 250}` }
  const prober = new Prober({ service, base: BASE, send })
  return prober.send({ method: 'POST', path: '/api/operator/acts', headers, body: JSON.stringify(signed) })
}

describe('a commitment', () => {
  it('is kept under the caller’s DID and read by anybody', async () => {
    const by = await caller()
    const content = new TextEncoder().encode('what nobody may read')
    const { commitment, saltB64u } = await by.client.provenance.commit(content)
    expect(commitment).toEqual({
      id: expect.stringMatching(/^commitment-[0-9a-f]{32}$/),
      commitment_hash: expect.stringMatching(/^[0-9a-f]{96}$/),
      algorithm: 'sha3-384',
      did: by.identity.did,
      created_at_ms: expect.any(Number),
      profile: 'native',
      verification: { verifiable: true, rule: expect.stringContaining('svc/commitment/v1'), reason: null },
      duplicate: false,
    })
    const { duplicate: _, ...kept } = commitment
    const read = await (await caller()).client.provenance.commitment(commitment.id)
    expect(read).toEqual(kept)
    expect(() => verifyOpening(read, saltB64u, content)).not.toThrow()
    expect(() => verifyOpening(read, saltB64u, content.slice(1))).toThrow(VerificationError)
    expect(() => verifyOpening(read, 'A'.repeat(43), content)).toThrow(VerificationError)
  })

  it('of the same hash again is the same one, with its first time', async () => {
    const by = await caller()
    const first = await commit(by, { commitment_hash: HASH })
    const again = await commit(by, { commitment_hash: HASH, algorithm: 'sha3-384' })
    const { data } = first.body as { data: object }
    expect(again.body).toMatchObject({ data: { ...data, duplicate: true } })
  })

  it('of the same hash by somebody else is another one', async () => {
    const ids = await Promise.all(
      [await caller(), await caller()].map(async (by) => {
        const { body } = await commit(by, { commitment_hash: HASH })
        return (body as { data: { id: string; duplicate: boolean } }).data
      }),
    )
    expect(new Set(ids.map(({ id }) => id)).size).toBe(2)
    expect(ids.map(({ duplicate }) => duplicate)).toEqual([false, false])
  })

  it('is made once by twenty at once', async () => {
    const by = await caller()
    const all = await Promise.all(Array.from({ length: 20 }, () => commit(by, { commitment_hash: HASH })))
    const data = all.map(({ body }) => (body as { data: { id: string; duplicate: boolean } }).data)
    expect(data.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
    expect(new Set(data.map(({ id }) => id)).size).toBe(1)
  }, 30_000)

  it.each<[string, object]>([
    ['a hint', { commitment_hash: HASH, hint: 'a sunset' }],
    ['a commitment to a hint', { commitment_hash: HASH, hint_commitment: HASH }],
    ['a time of the client’s', { commitment_hash: HASH, timestamp: 1 }],
    ['a salt', { commitment_hash: HASH, salt: 'AAAA' }],
    ['another algorithm', { commitment_hash: HASH, algorithm: 'sha-256' }],
    ['a historical label', { commitment_hash: HASH, algorithm: 'SHA3-384' }],
    ['no algorithm but null', { commitment_hash: HASH, algorithm: null }],
    ['a hash in capitals', { commitment_hash: HASH.toUpperCase() }],
    ['a short hash', { commitment_hash: HASH.slice(2) }],
    ['no hash', {}],
  ])('with %s is refused', async (_, body) => {
    expectRefusal(await commit(await caller(), body), 'invalid_request')
  })

  it('is refused at the limit', async () => {
    const by = await caller()
    await env.DB.prepare(
      `INSERT INTO commitments (id, did, commitment_hash, algorithm, profile, created_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
       SELECT 'full-' || ?1 || i, ?1, 'h', 'sha3-384', 'native', 1 FROM n`,
    )
      .bind(by.identity.did)
      .run()
    expect((await commit(by, { commitment_hash: HASH })).status).toBe(200)
    expectRefusal(await commit(by, { commitment_hash: 'c1'.repeat(48) }), 'commitment_limit')
    expect(await commit(by, { commitment_hash: HASH })).toMatchObject({ body: { data: { duplicate: true } } })
  })

  it('is 503 while the database is gone, and 404 when there is none', async () => {
    const gone = databaseWith(() => Promise.reject(new Error('gone')))
    expectRefusal(await commit(await caller(), { commitment_hash: HASH }, gone), 'dependency_unavailable')
    const path = `/api/commitment/commitment-${'0'.repeat(32)}`
    expectRefusal(await get(path, gone), 'dependency_unavailable')
    expectRefusal(await get(path), 'not_found')
    for (const id of ['x', '%00', 'COMMITMENT-1', 'a'.repeat(257)])
      expectRefusal(await get(`/api/commitment/${id}`), 'not_found')
  })
})

describe('a historical record', () => {
  async function historical(did: string | null, algorithm: string, id: string = crypto.randomUUID()) {
    const one = historicalOf({ did, algorithm, id })
    expect(await imported(one)).toMatchObject({ status: 200, body: { data: { imported: 1, known: 0, refused: [] } } })
    return one.id
  }

  it('is imported once, and never over another', async () => {
    const [one, two] = [historicalOf(), historicalOf()]
    await imported(one)
    expect(await imported(one, two)).toMatchObject({ body: { data: { imported: 1, known: 1, refused: [] } } })
    const changed = { ...one, commitmentHash: 'another' }
    expect(await imported(changed, two)).toMatchObject({ body: { data: { imported: 0, known: 1, refused: [one.id] } } })
    expect((await get(`/api/commitment/${one.id}`)).body).toMatchObject({ data: { commitment_hash: 'an-older-form' } })
  })

  it('is not imported under the id of a commitment that is made here, nor more than 64 at once', async () => {
    for (const id of [`commitment-${'0f'.repeat(16)}`, '', '..', 'a\u0000b', 'x'.repeat(257)]) {
      expectRefusal(await imported(historicalOf({ id })), 'invalid_request')
    }
    expectRefusal(await imported(), 'invalid_request')
    const refused = await imported(...Array.from({ length: 65 }, () => historicalOf()))
    expectRefusal(refused, 'too_many_items')
  })

  it.each([
    ['SHA-256', null],
    ['sha3-384', 'sha3-384'],
  ])('under the label %s shows the canonical members and nothing else', async (label, algorithm) => {
    const id = await historical(null, label)
    const { body } = await get(`/api/commitment/${id}`)
    expect((body as { data: unknown }).data).toEqual({
      id,
      commitment_hash: 'an-older-form',
      algorithm,
      did: null,
      created_at_ms: 1_600_000_000_000,
      profile: 'historical',
      verification: { verifiable: false, rule: expect.any(String), reason: expect.stringContaining('historical') },
    })
    expect(JSON.stringify(body)).not.toMatch(/sunset|hint|clientTimestamp/)
    expect((await (await caller()).client.provenance.commitment(id)).profile).toBe('historical')
  })

  it.each(['17', 'note:2019/05 – first', `commitment-${'0F'.repeat(16)}`])('is read by the id %s', async (id) => {
    await historical(null, 'SHA-256', id)
    const { status, body } = await get(`/api/commitment/${encodeURIComponent(id)}`)
    expect({ status, body }).toMatchObject({ status: 200, body: { data: { id, profile: 'historical' } } })
    expect((await (await caller()).client.provenance.commitment(id)).id).toBe(id)
  })
})
