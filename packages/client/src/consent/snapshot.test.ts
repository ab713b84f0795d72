import { bucketOf } from '@svc/protocol/base/buckets'
import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { CONSENT_BUCKETS } from '@svc/protocol/consent/buckets'
import { entriesHash, type SnapshotEntry, type SnapshotPage } from '@svc/protocol/consent/snapshot'
import { describe, expect, it } from 'vitest'
import { alice, answering, failure, NOW } from '../../test/consent.fixture.ts'
import { REALMS } from '../../test/realm.ts'
import { ConsentSnapshot } from './snapshot.ts'

const signer = new DeploymentSigner('0f'.repeat(32), REALMS)
const key = (await signer.publicKey(0)) ?? ''
const at = Math.floor(NOW / 3_600_000) * 3_600_000
const entry = (hash: string): SnapshotEntry => ({
  hash,
  creator_did: alice.did,
  preferences: { ai_training: 'disallow' },
})
/** Three identifiers of one bucket in order, one more of it that nobody declared, and one of another bucket. */
const inBucket = Array.from({ length: 20_000 }, (_, i) => `identifier ${String(i).padStart(8, '0')}`)
const BUCKET = bucketOf(inBucket[0] ?? '')
const [A, B, M, Z] = inBucket.filter((hash) => bucketOf(hash) === BUCKET) as [string, string, string, string]
const ELSEWHERE = inBucket.find((hash) => bucketOf(hash) === BUCKET + 1) ?? ''

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
const [first, last] = [await signed(null, M, [entry(A), entry(M)]), await signed(M, null, [entry(Z)])]
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
      `?bucket=${BUCKET}&at=${at}&from=${M.replace(' ', '+')}`,
    ])
    const kept = await ConsentSnapshot.open(JSON.parse(JSON.stringify(snapshot.pages)) as SnapshotPage[], key, REALMS)
    for (const opened of [snapshot, kept]) {
      expect([opened.at, opened.size]).toEqual([at, 3])
      expect(opened.lookUp(Z)).toEqual({
        ...entry(Z),
        found: true,
        source: 'declared',
        usage: 'train-ai=n',
      })
      expect(opened.lookUp(B)).toEqual({ found: false, hash: B, source: 'default' })
    }
    expect(requests).toHaveLength(2)
  })

  it('is not opened with a page left out, of another hour, changed, or under another key', async () => {
    const other = (await new DeploymentSigner('0e'.repeat(32), REALMS).publicKey(0)) ?? ''
    const earlier = await signed(M, null, [], { time: at - 3_600_000 })
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
    expect(await open([first, last], other)).toBe('A page of the snapshot is invalid')
    expect(await open([])).toBe('A snapshot has at least one page')
    expect(await open([first, last])).toBe('done')
  })

  it('holds the buckets that it covers, and answers for no other', async () => {
    const next = await signed(null, null, [entry(ELSEWHERE)], { bucket: BUCKET + 1 })
    const { requests, consent } = serving([first, last, next])
    const snapshot = await consent.snapshot({ buckets: [BUCKET, BUCKET + 1] })
    expect(new URL(requests[2]?.url ?? '').search).toBe(`?bucket=${BUCKET + 1}&at=${at}`)
    expect([...snapshot.buckets]).toEqual([BUCKET, BUCKET + 1])
    expect(snapshot.lookUp(ELSEWHERE)).toMatchObject({ found: true })
    const one = await ConsentSnapshot.open([first, last], key, REALMS)
    expect(() => one.lookUp(ELSEWHERE)).toThrow(`The snapshot does not hold bucket ${BUCKET + 1} of this identifier`)
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
      [null, B, M],
      [null, M, Z],
    ] as const) {
      expect(await open(signed(from, to, [entry(hash)]))).toBe('A page of the snapshot is invalid')
    }
    const after = await signed(M, null, [entry(B)])
    expect(await failure(ConsentSnapshot.open([first, after], key, REALMS))).toBe('A page of the snapshot is invalid')
    expect(
      await failure(serving([await signed(null, null, [], { bucket: 7 })]).consent.snapshot({ buckets: [8] })),
    ).toBe('Consent answered with a different page')
  })

  it('does not go round in circles', async () => {
    const stuck = await signed(M, M, [])
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
