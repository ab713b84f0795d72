import { env } from 'cloudflare:workers'
import { bucketOf } from '@svc/protocol/consent/buckets'
import { compareHashes, type Preferences } from '@svc/protocol/consent/consent'
import { TIER_BUDGETS } from '@svc/protocol/pay/tiers'
import { beforeAll, expect, it } from 'vitest'
import { shardOf } from '../../src/consent/shards.ts'
import { ConsentStore, type NewAct } from '../../src/consent/store.ts'

interface Migrations {
  readonly binding: string
  readonly migrations: readonly { readonly name: string; readonly queries: readonly string[] }[]
}
/** A second database: that of a sibling, which knows no such tables. */
const { TEST_PROVENANCE_DB: second, TEST_MIGRATIONS } = env as unknown as {
  readonly TEST_PROVENANCE_DB: D1Database
  readonly TEST_MIGRATIONS: readonly Migrations[]
}
const store = new ConsentStore([env.DB, second])
const did = `did:svc:${'A'.repeat(32)}`
const DISALLOW: Preferences = { ai_training: 'disallow' }
const hashes = Array.from(
  { length: 40 },
  (_, i) => `${i % 3 === 0 ? '😀' : '\uffff'} shard ${String(i).padStart(20, '0')}`,
)
const sorted = hashes.toSorted(compareHashes)

const act = (hash: string): NewAct => ({
  hash,
  action: 'create',
  creatorDid: did,
  preferences: DISALLOW,
  publicKeyB64u: 'A'.repeat(2603),
  signatureB64u: 'A'.repeat(4412),
  actHash: `act on ${hash}`,
  signer: { kind: 'root', epoch: 0 },
})

beforeAll(async () => {
  for (const { binding, migrations } of TEST_MIGRATIONS) {
    if (binding !== 'DB') continue
    for (const query of migrations.flatMap(({ queries }) => queries)) await second.prepare(query).run()
  }
  for (const hash of hashes) await store.write(act(hash), TIER_BUDGETS.research, 1_000)
})

it('a record lives in the database of its identifier, and in no other', async () => {
  const counts = [0, 0]
  for (const hash of hashes) {
    const shard = shardOf(hash, 2)
    counts[shard]! += 1
    for (const [i, db] of [env.DB, second].entries()) {
      const one = await db
        .prepare('SELECT 1 AS one FROM consent_records WHERE content_hash = ?')
        .bind(hash)
        .first('one')
      expect(one).toBe(i === shard ? 1 : null)
    }
    expect(await store.find(hash)).toMatchObject({ hash, creatorDid: did, version: 1 })
  }
  expect(Math.min(...counts)).toBeGreaterThan(5)
})

it('a batch finds them all', async () => {
  const found = await store.findMany([...hashes, 'an identifier that nobody has'])
  expect(found.map(({ hash }) => hash).toSorted(compareHashes)).toEqual(sorted)
})

it('pages of a creator are in one order over all of them', async () => {
  const first = await store.byCreator(did, null, 25)
  const rest = await store.byCreator(did, first.at(-1)?.hash ?? null, 25)
  expect([...first, ...rest].map(({ hash }) => hash)).toEqual(sorted)
})

it('a snapshot reads each bucket where it is', async () => {
  for (const [bucket, wanted] of Map.groupBy(sorted, bucketOf)) {
    const rows = await store.snapshot(bucket, 2_000, null, 7)
    expect(rows).toEqual(wanted.map((hash) => ({ hash, creatorDid: did, preferences: DISALLOW })))
  }
})
