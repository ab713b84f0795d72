import { verifyConsentClaim, verifyConsentHistory } from '@svc/protocol/consent/history'
import type { ConsentHistory } from '@svc/protocol/consent/history-page'
import { coreAnswering, expectRefusal } from '@svc/service/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  caller,
  creation,
  DISALLOW,
  dataOf,
  deletion,
  device,
  deviceKey,
  freshHash,
  get,
  type Key,
  put,
  read,
  rootKey,
  withdrawal,
} from '../harness.ts'
import { NO_CLAIMS, NO_CREATORS, NO_STORES } from '../stores.fixture.ts'
import { act, settlement } from './settlement.fixture.ts'

const ALLOW = { ai_training: 'allow' } as const
const owner = async () => rootKey(await caller())
const historyOf = async (hash: string, query = '') =>
  (await get(`/api/v1/consent/${encodeURIComponent(hash)}/history${query}`)).body as ConsentHistory
const claimantsOf = async (hash: string) => (await historyOf(hash)).claims.map(({ creator_did }) => creator_did)
const settle = async (hash: string, to: Key) => dataOf(await act(await settlement(hash, to.did)))
let start = 0
const at = (offset: number) => vi.useFakeTimers({ toFake: ['Date'], now: start + offset })
afterEach(() => vi.useRealTimers())

/** Time stands still from the moment of the record. */
async function squatted(): Promise<{ squatter: Key; author: Key; hash: string }> {
  const [squatter, author, hash] = [await owner(), await owner(), freshHash()]
  start = Date.now()
  at(0)
  await put(await creation(squatter, hash, ALLOW))
  return { squatter, author, hash }
}

describe('a declaration for what another creator holds', () => {
  it('is 409, names the holder, and is kept as a claim that anyone can verify', async () => {
    const { squatter, author, hash } = await squatted()
    const before = (await read(hash)).body
    at(1_000)
    const answer = await put(await creation(author, hash))
    expectRefusal(answer, 'consent_held')
    expect(answer.body).toMatchObject({ details: { creator_did: squatter.did, claimed: true } })
    const { claims, entries, creator_did } = await historyOf(hash)
    expect(creator_did).toBe(squatter.did)
    expect(entries).toHaveLength(1)
    expect(claims).toEqual([
      {
        creator_did: author.did,
        preferences: DISALLOW,
        signature_b64u: expect.any(String) as unknown,
        signer: { kind: 'root', epoch: 0 },
        public_key_b64u: author.key,
        recorded_at: start + 1_000,
        settled_at: null,
      },
    ])
    expect(await verifyConsentClaim({ hash }, claims[0]!)).toEqual({ isProved: true })
    expect(await verifyConsentClaim({ hash: freshHash() }, claims[0]!)).toBeUndefined()
    expect((await verifyConsentHistory({ hash, creatorDid: squatter.did }, entries)).ok).toBe(true)
    // It declares nothing.
    expect((await read(hash)).body).toEqual(before)
    expect((await historyOf(hash, `?at=${start}`)).claims).toEqual([])
    expect((await historyOf(hash, '?after=1')).claims).toEqual([])
  })

  it('is kept for a revoked identifier and from a device too', async () => {
    const { squatter, hash } = await squatted()
    await put(await deletion(squatter, hash))
    const { device: keys } = await device({ capabilities: ['consent:write'] })
    expectRefusal(await put(await creation(deviceKey(keys), hash)), 'consent_held')
    const [claim] = (await historyOf(hash)).claims
    expect(claim).toMatchObject({ creator_did: keys.did, signer: { kind: 'device' } })
    expect(await verifyConsentClaim({ hash }, claim!)).toEqual({ isProved: false })
  })

  it('is not kept unless its creator signed it', async () => {
    const { squatter, author, hash } = await squatted()
    const signed = await creation(author, hash)
    const alone = { PROVENANCE: coreAnswering(() => Promise.reject(new Error('gone'))) }
    for (const [write, replaced] of [
      [{ ...signed, headers: { 'x-svc-signature': 'x' } }],
      [{ ...signed, headers: { 'x-svc-signature': 'A'.repeat(4412) } }],
      [await creation({ ...squatter, did: author.did }, hash)],
      [signed, alone],
    ] as const) {
      const answer = await put(write, replaced)
      expectRefusal(answer, 'consent_held')
      expect(answer.body).toMatchObject({ details: { creator_did: squatter.did, claimed: false } })
    }
    expect(await claimantsOf(hash)).toEqual([])
  })

  it('is refused as ever while it cannot be kept', async () => {
    const { author, hash } = await squatted()
    const signed = await creation(author, hash)
    for (const replaced of [NO_CLAIMS, NO_CREATORS]) {
      const answer = await put(signed, replaced)
      expectRefusal(answer, 'consent_held')
      expect(answer.body).toMatchObject({ details: { claimed: false } })
    }
    expect((await put(signed)).body).toMatchObject({ details: { claimed: true } })
  })

  it('counts once for each claimant, the newest, and a signature only once', async () => {
    const { author, hash } = await squatted()
    const first = await creation(author, hash)
    for (let i = 0; i < 2; i++) expect((await put(first)).body).toMatchObject({ details: { claimed: true } })
    await put(await creation(author, hash, { search: 'allow' }))
    expect((await put(first)).body).toMatchObject({ details: { claimed: false } })
    expect((await historyOf(hash)).claims).toMatchObject([{ preferences: { search: 'allow' } }])
    for (let i = 2; i < 8; i++) await put(await creation(author, hash))
    expect((await put(await creation(author, hash))).body).toMatchObject({ details: { claimed: false } })
  })

  it('keeps its place among the sixteen newest claimants', async () => {
    const { author, hash } = await squatted()
    at(1)
    await put(await creation(author, hash))
    const others = await Promise.all(Array.from({ length: 16 }, owner))
    for (const [i, by] of others.entries()) {
      at(2 + i)
      await put(await creation(by, hash))
    }
    expect(await claimantsOf(hash)).toEqual(others.map(({ did }) => did))
    at(100)
    expect((await put(await creation(author, hash))).body).toMatchObject({ details: { claimed: true } })
    expect(await claimantsOf(hash)).toEqual([...others.slice(1).map(({ did }) => did), author.did])
  })

  it('by twenty at once leaves sixteen', async () => {
    const { hash } = await squatted()
    const writes = await Promise.all(Array.from({ length: 20 }, async () => creation(await owner(), hash)))
    for (const answer of await Promise.all(writes.map((write) => put(write)))) expectRefusal(answer, 'consent_held')
    expect(new Set(await claimantsOf(hash)).size).toBe(16)
  })
})

describe('a claim', () => {
  it('is withdrawn by its claimant, and no signature brings it back', async () => {
    const { squatter, author, hash } = await squatted()
    const claimed = await creation(author, hash)
    await put(claimed)
    const write = await withdrawal(author, hash)
    expectRefusal(await put(await withdrawal({ ...squatter, did: author.did }, hash)), 'key_not_entitled')
    expect((await put(await withdrawal(await owner(), hash))).status).toBe(404)
    expect(dataOf(await put(write))).toMatchObject({ content_hash: hash, creator_did: author.did, withdrawn: true })
    expect(await claimantsOf(hash)).toEqual([])
    expect((await put(write)).status).toBe(404)
    expect((await put(claimed)).body).toMatchObject({ details: { claimed: false } })
    expect((await put(await creation(author, hash))).body).toMatchObject({ details: { claimed: true } })
    expectRefusal(await put(write), 'consent_replay')
    expect(await claimantsOf(hash)).toEqual([author.did])
    // The holder's record is not theirs to revoke, nor is it a claim of the holder.
    expect((await put(await withdrawal(squatter, hash))).status).toBe(404)
    expect((await read(hash)).status).toBe(200)
  })

  it('is withdrawn once by twenty at once', async () => {
    const { author, hash } = await squatted()
    await put(await creation(author, hash))
    const writes = await Promise.all(Array.from({ length: 20 }, () => withdrawal(author, hash)))
    const answers = await Promise.all(writes.map((write) => put(write)))
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([200, ...Array<number>(19).fill(404)])
    expect(await claimantsOf(hash)).toEqual([])
  })

  it('is not withdrawn while the store cannot be reached', async () => {
    const { author, hash } = await squatted()
    await put(await creation(author, hash))
    expectRefusal(await put(await withdrawal(author, hash), NO_STORES), 'dependency_unavailable')
    expect(await claimantsOf(hash)).toEqual([author.did])
  })

  it('is gone once its claimant has the identifier, and what was signed for it is spent', async () => {
    const { squatter, author, hash } = await squatted()
    const third = await owner()
    at(1)
    const claimed = await creation(author, hash)
    await put(claimed)
    at(2)
    await put(await creation(third, hash))
    at(3)
    await settle(hash, author)
    const { claims } = await historyOf(hash)
    expect(claims).toMatchObject([{ creator_did: third.did, settled_at: start + 3 }])
    expect((await historyOf(hash, `?at=${start + 2}`)).claims).toMatchObject([{ settled_at: null }])
    expectRefusal(await put(claimed), 'consent_replay')
    expect((await put(await creation(author, hash))).status).toBe(200)
    // The creator before may claim it now, with a new signature.
    expectRefusal(await put(await creation(squatter, hash, ALLOW)), 'consent_held')
    expect(await claimantsOf(hash)).toEqual([third.did, squatter.did])
  })

  it('is settled where the operator leaves the identifier to its holder, and can be made anew', async () => {
    const { squatter, author, hash } = await squatted()
    at(1)
    await put(await creation(author, hash))
    const signed = await settlement(hash, squatter.did)
    at(2)
    const third = await owner()
    await put(await creation(third, hash))
    dataOf(await act(signed))
    // What came after the statement was signed is not decided by it.
    const claims = async () => (await historyOf(hash)).claims.map((claim) => [claim.creator_did, claim.settled_at])
    expect(await claims()).toEqual([
      [author.did, start + 2],
      [third.did, null],
    ])
    expect((await read(hash)).body).toMatchObject({ creator_did: squatter.did })
    at(3)
    await put(await creation(author, hash))
    expect(await claims()).toEqual([
      [third.did, null],
      [author.did, null],
    ])
  })

  it('cannot be made of what a creator before signed as holder', async () => {
    const [squatter, author, hash] = [await owner(), await owner(), freshHash()]
    const declared = await creation(squatter, hash, ALLOW)
    const revoked = await deletion(squatter, hash)
    await put(declared)
    await put(revoked)
    await settle(hash, author)
    expect((await put(declared)).body).toMatchObject({ details: { claimed: false } })
    await put(await creation(squatter, hash))
    const body = JSON.stringify({ public_key_b64u: squatter.key, creator_did: squatter.did })
    expectRefusal(await put({ ...revoked, body }), 'consent_replay')
    expect(await claimantsOf(hash)).toEqual([squatter.did])
  })
})
