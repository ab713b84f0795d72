import { entriesHash, type SnapshotEntry, type SnapshotPage } from '@svc/protocol/consent-snapshot'
import { DeploymentSigner } from '@svc/protocol/deployment-signer'
import { describe, expect, it } from 'vitest'
import { alice, answering, failure, NOW } from '../test/consent.fixture.ts'
import { ConsentSnapshot } from './consent-snapshot.ts'

const signer = new DeploymentSigner('0f'.repeat(32))
const key = (await signer.publicKey()) ?? ''
const at = Math.floor(NOW / 3_600_000) * 3_600_000
const entry = (hash: string): SnapshotEntry => ({
  hash,
  creator_did: alice.did,
  preferences: { ai_training: 'disallow' },
})
async function signed(
  from: string | null,
  to: string | null,
  entries: SnapshotEntry[],
  time = at,
): Promise<SnapshotPage> {
  const statement = {
    type: 'svc/consent-snapshot/v1' as const,
    at: time,
    from,
    to,
    count: entries.length,
    entriesHash: entriesHash(entries),
    issuedAt: NOW,
  }
  const page = await signer.sign(statement)
  if (!page) throw new Error('unsigned')
  return { ...page, entries }
}
const [first, last] = [
  await signed(null, 'm'.repeat(16), [entry('a'.repeat(16)), entry('m'.repeat(16))]),
  await signed('m'.repeat(16), null, [entry('z'.repeat(16))]),
]
const serving = (pages: readonly SnapshotPage[], options = {}) => {
  let next = 0
  return answering(() => Response.json(pages[next++]), { owner: null, snapshotKeyB64u: key, ...options })
}

describe('a snapshot', () => {
  it('is fetched once and looked up locally, also after it was kept', async () => {
    const { requests, consent } = serving([first, last])
    const snapshot = await consent.snapshot()
    expect(requests.map(({ url }) => new URL(url).search)).toEqual(['', `?at=${at}&from=${'m'.repeat(16)}`])
    const kept = await ConsentSnapshot.open(JSON.parse(JSON.stringify(snapshot.pages)) as SnapshotPage[], key)
    for (const opened of [snapshot, kept]) {
      expect([opened.at, opened.size]).toEqual([at, 3])
      expect(opened.lookUp('z'.repeat(16))).toEqual({
        ...entry('z'.repeat(16)),
        found: true,
        source: 'declared',
        usage: 'train-ai=n',
      })
      expect(opened.lookUp('b'.repeat(16))).toEqual({ found: false, hash: 'b'.repeat(16), source: 'default' })
    }
    expect(requests).toHaveLength(2)
  })

  it('is not opened with a page left out, of another hour, changed, or under another key', async () => {
    const other = (await new DeploymentSigner('0e'.repeat(32)).publicKey()) ?? ''
    const earlier = await signed('m'.repeat(16), null, [], at - 3_600_000)
    const changed = { ...last, entries: [] }
    const [kept] = last.entries
    const reworded = { ...last, entries: kept ? [{ ...kept, preferences: { search: 'allow' as const } }] : [] }
    const open = (pages: readonly SnapshotPage[], expected = key) => failure(ConsentSnapshot.open(pages, expected))
    expect(await open([first])).toBe('the snapshot is not whole')
    expect(await open([last])).toBe('the pages of the snapshot do not meet')
    expect(await open([first, earlier])).toBe('the pages of the snapshot do not meet')
    expect(await open([await signed(null, null, []), last])).toBe('the pages of the snapshot do not meet')
    expect(await open([await signed(null, null, []), await signed(null, null, [])])).toBe(
      'the pages of the snapshot do not meet',
    )
    expect(await open([first, changed])).toBe('a page of the snapshot does not hold')
    expect(await open([first, reworded])).toBe('a page of the snapshot does not hold')
    expect(await open([first, last], other)).toBe('a page of the snapshot does not hold')
    expect(await open([])).toBe('a snapshot has at least one page')
    expect(await open([first, last])).toBe('done')
  })

  it('does not go round in circles', async () => {
    const stuck = await signed('m'.repeat(16), 'm'.repeat(16), [])
    expect(await failure(serving([first, stuck]).consent.snapshot())).toBe('consent answered another page')
    expect(await failure(serving([first, first]).consent.snapshot())).toBe('consent answered another page')
    expect(await failure(serving([first]).consent.snapshot({ at: at - 3_600_000 }))).toBe(
      'consent answered another page',
    )
  })
})
