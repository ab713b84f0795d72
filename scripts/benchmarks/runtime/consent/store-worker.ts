import { toHex } from '@svc/protocol/base/hash'
import { bucketOfHash, consentBucketOf } from '@svc/protocol/consent/buckets'
import { identifierHash } from '@svc/protocol/consent/identifiers'
import { Stores } from '../../../../workers/consent/src/store/client.ts'
import { STORE_NAMES, storeOf } from '../../../../workers/consent/src/store/names.ts'
import { ConsentStoreObject as StoreObject } from '../../../../workers/consent/src/store/object.ts'
import type { NewAct } from '../../../../workers/consent/src/store/records.ts'

export { ConsentCreatorObject } from '../../../../workers/consent/src/creator/object.ts'

interface Bench {
  readonly CONSENT_STORES: DurableObjectNamespace<ConsentStoreObject>
}

const [FIRST = ''] = STORE_NAMES
/** Records with one archived act each, as most are after a while. They are of the buckets of the first store. */
const FILL = `WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)`
const RECORDS = `${FILL} INSERT INTO records (id, bucket, identifier_hash, content_hash, creator_did, creator_hash, preferences, status,
    version, created_at, updated_at) SELECT -1 - i, (i % 16) * 64, printf('%096d', i), printf('sha3-384:%096d', i),
    'did:svc:' || printf('%032d', i % 1000), printf('%096d', i),
    '{"ai_training":"disallow"}', 'published', 1, 1, 1 FROM n`
const ACTS = `${FILL} INSERT INTO acts (id, record, version, act_hash, action, preferences, state, key, signer, recorded_at, place)
  SELECT -1 - i, -1 - i, 1, randomblob(48), 'create', '{"ai_training":"disallow"}', '{"ai_training":"disallow"}', 1,
    '{"kind":"root","epoch":0}', 1, i FROM n`
const FILLED_AT_ONCE = 20_000

/** The store, which counts the rows that it writes. */
export class ConsentStoreObject extends StoreObject {
  fill(from: number, to: number): void {
    const { sql } = this.stored
    for (let i = from; i < to; i += FILLED_AT_ONCE) {
      const last = Math.min(i + FILLED_AT_ONCE, to) - 1
      for (const insert of [RECORDS, ACTS]) sql.exec(insert, i, last)
    }
  }

  /** Gives a filled record the hash of its identifier, by which an act finds it: SQLite has no SHA3. */
  name(i: number): void {
    this.stored.sql.exec('UPDATE records SET identifier_hash = ? WHERE id = ?', identifierHash(hashOf(i)), -1 - i)
  }

  /** Rows written by these acts, with what tells the lists of creators. */
  async rowsOf(acts: readonly (readonly [bucket: number, act: NewAct])[]): Promise<number> {
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = []
    const { sql } = this.stored
    const exec = sql.exec.bind(sql)
    const counted = (query: string, ...values: SqlStorageValue[]) => {
      const cursor = exec(query, ...values)
      cursors.push(cursor)
      return cursor
    }
    sql.exec = counted as SqlStorage['exec']
    for (const [bucket, act] of acts) {
      const written = await this.write(bucket, act, 2)
      if (written?.lastAct !== act.actHash) throw new Error('an act was not taken')
    }
    sql.exec = exec
    return cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0)
  }
}

function actOn(hash: string, creatorDid: string, action: 'create' | 'update'): NewAct {
  return {
    hash,
    action,
    creatorDid,
    preferences: { search: 'allow' },
    publicKeyB64u: 'A'.repeat(2603),
    signatureB64u: 'A'.repeat(4412),
    actHash: toHex(crypto.getRandomValues(new Uint8Array(48))),
    signer: { kind: 'root', epoch: 0 },
  }
}

const hashOf = (i: number) => `sha3-384:${String(i).padStart(96, '0')}`
const didOf = (i: number) => `did:svc:${String(i % 1_000).padStart(32, '0')}`
/** One of the 16 buckets of the first store. */
const bucketAt = (i: number) => (i % 16) * STORE_NAMES.length
/** The store of a bucket as the Worker has it, or as if there were as many stores. */
const nameOf = (bucket: number, stores: number) =>
  stores === STORE_NAMES.length ? storeOf(bucket) : `of ${stores}/${bucket % stores}`

/** The stores without the Worker in front: `fill` and `rows` are of one store, `place` and `batch` of as many as there are, or of fewer. */
export default {
  async fetch(request: Request, env: Bench): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const number = (name: string) => Number(searchParams.get(name))
    const first = env.CONSENT_STORES.getByName(FIRST)
    switch (pathname) {
      case '/fill':
        if (number('from') === 0) await first.import([], 1)
        await first.fill(number('from'), number('to'))
        return new Response('filled')
      case '/rows': {
        const [from, count] = [number('from'), number('count')]
        const acts = Array.from({ length: count }, (_, i): [number, NewAct] =>
          i % 2 === 0
            ? [bucketAt(from + i), actOn(hashOf(from + i), didOf(from + i), 'update')]
            : [bucketAt(i), actOn(`new ${from + i} of so many records`, didOf(i), 'create')],
        )
        for (let i = 0; i < count; i += 2) await first.name(from + i)
        return new Response(String(await first.rowsOf(acts)))
      }
      case '/place':
        await place(env, number('records'), number('stores'))
        return new Response('placed')
      case '/batch': {
        const hashes = Array.from({ length: number('size') }, (_, i) => hashOf(i * number('step')))
        return new Response(String(await found(env, hashes, number('stores'))))
      }
    }
    return new Response(null, { status: 404 })
  },
}

async function place(env: Bench, records: number, stores: number): Promise<void> {
  const rows = Array.from({ length: records }, (_, i) => ({
    bucket: consentBucketOf(hashOf(i)),
    contentHash: hashOf(i),
    preferences: { search: 'allow' as const },
    declaredAt: 1,
  }))
  for (const [name, some] of Map.groupBy(rows, ({ bucket }) => nameOf(bucket, stores))) {
    const store = env.CONSENT_STORES.getByName(name)
    for (let i = 0; i < some.length; i += FILLED_AT_ONCE) await store.import(some.slice(i, i + FILLED_AT_ONCE), 1)
  }
}

async function found(env: Bench, hashes: readonly string[], stores: number): Promise<number> {
  if (stores === STORE_NAMES.length) return (await new Stores(env.CONSENT_STORES).findMany(hashes)).length
  const byStore = Map.groupBy(Map.groupBy(hashes.map(identifierHash), bucketOfHash), ([bucket]) =>
    nameOf(bucket, stores),
  )
  const counts = await Promise.all(
    [...byStore].map(async ([name, wanted]) => (await env.CONSENT_STORES.getByName(name).findMany(wanted)).length),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}
