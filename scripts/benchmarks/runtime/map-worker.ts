import { fromHex, hashTextHex, toHex } from '@svc/protocol/base/hash'
import { mapLine, mapPath } from '@svc/protocol/keys/account-map'
import { updateLine } from '@svc/protocol/keys/account-updates'
import type { MapUpdate } from '@svc/protocol/keys/map-pages'
import { descend, levelsOf } from '@svc/protocol/keys/map-tree'
import { Bucket, type BucketHead, subtreeOfHead } from '../../../workers/keys/src/account-map/bucket.ts'
import { MapBucketObject as BucketObject } from '../../../workers/keys/src/account-map/bucket-object.ts'
import type { BucketCounts } from './bucket-counts.ts'

const HASH_BYTES = 48
const PUBLICATIONS = 200

const HASH = 'a7'.repeat(48)
const LOG = 'https://core.example/transparency/2027a'
/** With signature and key of full length. */
const CHECKPOINT = {
  statement: {
    type: 'svc/transparency-checkpoint/v1',
    realm: 'https://core.example',
    log: LOG,
    size: 1_000_000_000,
    root: HASH,
    issuedAt: 1_790_000_000_000,
  },
  signatureB64u: 'S'.repeat(4_412),
  publicKeyB64u: 'K'.repeat(2_603),
}

/** Labels of one bucket look like those of all accounts but for their first byte. */
function updateOf(hash: string, seq = 1): MapUpdate {
  return { label: `7f${hash.slice(2, 64)}`, seq, statementHash: hash }
}
const hashOf = (i: number) => hashTextHex(`account ${i}`)

/** A bucket that counts its rows. */
export class MapBucketObject extends BucketObject {
  /** What was stored last: filling outlives an instance of the object. */
  get #head(): BucketHead {
    return this.stored.facts.get<{ head: BucketHead }>('head')?.head ?? null
  }

  /** Accounts by their hashes, one after another. */
  add(hashes: Uint8Array): void {
    const updates: MapUpdate[] = []
    for (let at = 0; at < hashes.length; at += HASH_BYTES)
      updates.push(updateOf(toHex(hashes.subarray(at, at + HASH_BYTES))))
    const filled = this.#bucket().refill({ from: this.#head, until: '', updates })
    if (!filled.ok) throw new Error('the bucket was lost')
  }

  counts(accounts: number): BucketCounts {
    let rows = 0
    const { sql } = this.stored
    const exec = sql.exec.bind(sql)
    sql.exec = ((...query: Parameters<typeof exec>) => {
      const cursor = exec(...query)
      rows += cursor.rowsWritten
      return cursor
    }) as typeof exec
    let bytes = 0
    for (let i = 0; i < PUBLICATIONS; i++) {
      const place = Math.floor((i * accounts) / PUBLICATIONS)
      const hash = hashOf(place)
      const { label } = updateOf(hash)
      const call = { epoch: i + 1, step: 1, until: String(i), from: this.#head }
      const counted = this.#bucket().count({
        ...call,
        updates: [{ ...updateOf(hash, 2), statementHash: hashTextHex(`${i}`) }],
      })
      if (!counted.ok) throw new Error('the bucket was lost')
      bytes += this.#answerBytes(label)
    }
    sql.exec = exec
    return {
      accounts,
      answer: bytes / PUBLICATIONS,
      hashBytes: JSON.stringify([HASH, HASH]).length - JSON.stringify([HASH]).length,
      entryBytes: JSON.stringify([updateLine(updateOf(hashOf(0)))]).length - 1,
      rowsPerPublication: rows / PUBLICATIONS,
      bytesPerAccount: this.ctx.storage.sql.databaseSize / accounts,
    }
  }

  /** With the path above the bucket: in a map of 256 such buckets no sibling there is empty. */
  #answerBytes(label: string): number {
    const found = this.#bucket().path(label, this.#head)
    if (!found.ok) throw new Error('the bucket was lost')
    const above = descend(levelsOf(Array.from({ length: 256 }, () => subtreeOfHead(this.#head))), 0x7f)
    const below = found.value.siblings.map((sibling) => (sibling === null ? null : fromHex(sibling)))
    const path = mapPath(found.value.terminal, [...above.siblings, ...below])
    const leaf = mapLine({ size: 1_000_000_000, root: HASH, epoch: 1_000_000, at: 1_790_000_000_000 })
    const map = { leaf, position: { log: LOG, index: 1_000_000_000 }, proof: [] }
    const account = { label, result: 'present', seq: 2, head: HASH }
    return JSON.stringify({ ...account, ...path, map, checkpoint: CHECKPOINT }).length
  }

  #bucket(): Bucket {
    return new Bucket(this.stored)
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const number = (name: string) => Number(searchParams.get(name))
    const bucket = env.MAP_BUCKETS.getByName('7f') as unknown as DurableObjectStub<MapBucketObject>
    if (pathname === '/fill') {
      await bucket.add(new Uint8Array(await request.arrayBuffer()))
      return Response.json(null)
    }
    return Response.json(await bucket.counts(number('accounts')))
  },
}
