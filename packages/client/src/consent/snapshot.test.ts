import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { bucketOfHash, CONSENT_BUCKETS } from '@svc/protocol/consent/buckets'
import { creatorHash, identifierHash } from '@svc/protocol/consent/identifiers'
import { entriesHash, type SnapshotEntry, type SnapshotPage } from '@svc/protocol/consent/snapshot'
import { describe, expect, it } from 'vitest'
import { alice, answering, failure, NOW } from '../../test/consent.fixture.ts'
import { REALMS } from '../../test/realm.ts'
import { ConsentSnapshot } from './snapshot.ts'

const signer = new DeploymentSigner('0f'.repeat(32), REALMS)
const key = (await signer.publicKey(0)) ?? ''
const at = Math.floor(NOW / 3_600_000) * 3_600_000
const entry = ({ name, hash }: Named): SnapshotEntry => ({
  identifier_hash: hash,
  creator_hash: creatorHash(name, alice.did),
  preferences: { ai_training: 'disallow' },
})
interface Named {
  readonly name: string
  readonly hash: string
}
/** Four identifiers of one bucket in the order of their hashes, the second one not declared by anybody, and one of another bucket. */
const named = Array.from({ length: 20_000 }, (_, i): Named => {
  const name = `identifier ${String(i).padStart(8, '0')}`
  return { name, hash: identifierHash(name) }
}).toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
const BUCKET = 7
const [A, B, M, Z] = named.filter(({ hash }) => bucketOfHash(hash) === BUCKET) as [Named, Named, Named, Named]
const ELSEWHERE = named.find(({ hash }) => bucketOfHash(hash) === BUCKET + 1)!

async function signed(
  from: string | null,
  to: string | null,
  entries: SnapshotEntry[],
  { time = at, bucket = BUCKET } = {},
): Promise<SnapshotPage> {
  const statement = {
    type: 'svc/consent-snapshot/v1' as const,
    at: time,
    bucket,
    buckets: CONSENT_BUCKETS,
    from,
    to,
    count: entries.length,
    entriesHash: await entriesHash(entries),
    issuedAt: NOW,
  }
  const page = await signer.sign(statement)
  if (!page) throw new Error('unsigned')
  return { ...page, entries }
}
const [first, last] = [await signed(null, M.hash, [entry(A), entry(M)]), await signed(M.hash, null, [entry(Z)])]
const serving = (pages: readonly SnapshotPage[], options = {}) => {
  let next = 0
  return answering(() => Response.json(pages[next++]), { owner: null, snapshotKeyB64u: key, ...options })
}

describe('a snapshot', () => {
  it('is fetched once and looked up locally, also after it was kept', async () => {
    const { requests, consent } = serving([first, last])
    const snapshot = await consent.snapshot({ buckets: [BUCKET, BUCKET] })
    expect(requests.map(({ url }) => new URL(url).search)).toEqual([
      `?bucket=${BUCKET}`,
      `?bucket=${BUCKET}&at=${at}&from=${M.hash}`,
    ])
    const kept = await ConsentSnapshot.open(JSON.parse(JSON.stringify(snapshot.pages)) as SnapshotPage[], key, REALMS)
    for (const opened of [snapshot, kept]) {
      expect([opened.at, opened.size]).toEqual([at, 3])
      const { creator_hash, preferences } = entry(Z)
      expect(opened.lookUp(Z.name)).toEqual({
        found: true,
        hash: Z.name,
        source: 'declared',
        creator_hash,
        preferences,
        usage: 'train-ai=n',
      })
      expect(opened.lookUp(B.name)).toEqual({ found: false, hash: B.name, source: 'default' })
    }
    expect(requests).toHaveLength(2)
  })

  it('is not opened with a page left out, of another hour, changed, or under another key', async () => {
    const other = (await new DeploymentSigner('0e'.repeat(32), REALMS).publicKey(0)) ?? ''
    const earlier = await signed(M.hash, null, [], { time: at - 3_600_000 })
    const changed = { ...last, entries: [] }
    const [kept] = last.entries
    const reworded = { ...last, entries: kept ? [{ ...kept, preferences: { search: 'allow' as const } }] : [] }
    const open = (pages: readonly SnapshotPage[], expected = key) =>
      failure(ConsentSnapshot.open(pages, expected, REALMS))
    expect(await open([first])).toBe('The snapshot is incomplete')
    expect(await open([last])).toBe('The pages of the snapshot are not contiguous')
    expect(await open([first, earlier])).toBe('The pages of the snapshot are not contiguous')
    expect(await open([await signed(null, null, []), last])).toBe('The pages of the snapshot are not contiguous')
    expect(await open([await signed(null, null, []), await signed(null, null, [])])).toBe(
      'The pages of the snapshot are not contiguous',
    )
    expect(await open([first, changed])).toBe('A page of the snapshot is invalid')
    expect(await open([first, reworded])).toBe('A page of the snapshot is invalid')
    expect(await open([first, last], other)).toMatch('does not have the key that the answer names')
    expect(await open([])).toBe('A snapshot has at least one page')
    expect(await open([first, last])).toBe('done')
  })

  it('names nobody, and tells who declared something to those who know both', async () => {
    const snapshot = await ConsentSnapshot.open([first, last], key, REALMS)
    const text = JSON.stringify(snapshot.pages)
    for (const name of [A.name, M.name, Z.name, alice.did]) expect(text).not.toContain(name)
    // Of two records of one creator nothing is the same.
    expect(new Set(snapshot.pages.flatMap(({ entries }) => entries.map((one) => one.creator_hash))).size).toBe(3)
    expect([A, B, Z].map(({ name }) => snapshot.isDeclaredBy(name, alice.did))).toEqual([true, false, true])
    expect(snapshot.isDeclaredBy(A.name, `did:svc:${'C'.repeat(32)}`)).toBe(false)
  })

  it('with entries that name identifiers and creators is refused', async () => {
    const former = [{ hash: A.name, creator_did: alice.did, preferences: { ai_training: 'disallow' } }]
    const page = await signed(null, null, former as never)
    const open = (pages: readonly SnapshotPage[]) => failure(ConsentSnapshot.open(pages, key, REALMS))
    const refused = 'The answer does not have the documented form at 0'
    expect(await open([page])).toBe(`${refused}.entries.0.identifier_hash`)
    expect(await open([await signed(null, A.name, [entry(A)])])).toBe(`${refused}.statement.to`)
  })

  it('holds the buckets that it covers, and answers for no other', async () => {
    const next = await signed(null, null, [entry(ELSEWHERE)], { bucket: BUCKET + 1 })
    const { requests, consent } = serving([first, last, next])
    const snapshot = await consent.snapshot({ buckets: [BUCKET, BUCKET + 1] })
    expect(new URL(requests[2]?.url ?? '').search).toBe(`?bucket=${BUCKET + 1}&at=${at}`)
    expect([...snapshot.buckets]).toEqual([BUCKET, BUCKET + 1])
    expect(snapshot.lookUp(ELSEWHERE.name)).toMatchObject({ found: true })
    const one = await ConsentSnapshot.open([first, last], key, REALMS)
    expect(() => one.lookUp(ELSEWHERE.name)).toThrow(
      `The snapshot does not hold bucket ${BUCKET + 1} of this identifier`,
    )
    const open = (pages: readonly SnapshotPage[]) => failure(ConsentSnapshot.open(pages, key, REALMS))
    expect(await open([first, next])).toBe('The pages of the snapshot are not contiguous')
    expect(await open([first, last, next, first, last])).toBe('The pages of the snapshot are not contiguous')
    expect(await open([next, first, last])).toBe('done')
  })

  it('is not opened with an entry of another bucket, out of range or out of order', async () => {
    const open = async (page: Promise<SnapshotPage>) => failure(ConsentSnapshot.open([await page], key, REALMS))
    for (const page of [
      signed(null, null, [entry(ELSEWHERE)]),
      signed(null, null, [entry(M), entry(A)]),
      signed(null, null, [entry(A), entry(A)]),
    ]) {
      expect(await open(page)).toBe('A page of the snapshot is invalid')
    }
    for (const [from, to, hash] of [
      [null, B.hash, M],
      [null, M.hash, Z],
    ] as const) {
      expect(await open(signed(from, to, [entry(hash)]))).toBe('A page of the snapshot is invalid')
    }
    const after = await signed(M.hash, null, [entry(B)])
    expect(await failure(ConsentSnapshot.open([first, after], key, REALMS))).toBe('A page of the snapshot is invalid')
    expect(
      await failure(serving([await signed(null, null, [], { bucket: 8 })]).consent.snapshot({ buckets: [9] })),
    ).toBe('Consent answered with a different page')
  })

  it('does not go round in circles', async () => {
    const stuck = await signed(M.hash, M.hash, [])
    expect(await failure(serving([first, stuck]).consent.snapshot({ buckets: [BUCKET] }))).toBe(
      'Consent answered with a different page',
    )
    expect(await failure(serving([first, first]).consent.snapshot({ buckets: [BUCKET] }))).toBe(
      'Consent answered with a different page',
    )
    expect(await failure(serving([first]).consent.snapshot({ at: at - 3_600_000, buckets: [BUCKET] }))).toBe(
      'Consent answered with a different page',
    )
  })
})
