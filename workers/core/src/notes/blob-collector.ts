/**
 * What is deleted from the store, and when: in two phases, so that a wrong count can delay a deletion but never cause
 * one. A blob without references is kept for the grace period. Then, in one transaction, its references are recounted,
 * and only if there are none, it leaves the index and its key is condemned. Condemned keys are deleted once that is
 * durable. A crash at any point leaves a key that is either still indexed or still condemned.
 *
 * @module
 */
import type { Collected, Rebuilt } from '@svc/protocol/notes/api'
import { vaultPrefix } from '../object-keys.ts'
import type { Blob } from './blob-index.ts'
import type { BlobStore, StoredObject } from './blob-store.ts'
import { GRACE_MS, isCollectable } from './rules.ts'
import type { VaultTransaction } from './transaction.ts'

/** How many blobs leave the index in one transaction, and how many keys are deleted at once. */
const BATCH = 500
const MAX_NAMED = 100

interface Amount {
  objects: number
  bytes: number
}

/** Condemns blobs whose grace period has passed, and deletes condemned keys. */
export async function collectWaiting(transaction: VaultTransaction, store: BlobStore, now: number): Promise<Amount> {
  const collected: Amount = { objects: 0, bytes: 0 }
  for (let more = true; more; ) {
    more = transaction.transact(() => {
      const old = transaction.blobs.collectable(now - GRACE_MS, BATCH)
      for (const blob of old) {
        const refs = transaction.blobs.countRefs(blob.cipherHash)
        if (refs > 0) transaction.blobs.setRefs(blob.cipherHash, refs, now)
        else {
          transaction.blobs.condemn(blob)
          add(collected, blob.bytes)
        }
      }
      return old.length === BATCH
    })
  }
  await deleteCondemned(transaction, store)
  return collected
}

/** Deletes what uploads left that were cut off before anything referred to it. Younger ones may still be committed. */
export async function collectCutOff(transaction: VaultTransaction, store: BlobStore, now: number): Promise<void> {
  const { blobs, uploads } = transaction
  for (let more = true; more; ) {
    more = transaction.transact(() => {
      const keys = uploads.old(now - GRACE_MS, BATCH)
      for (const r2Key of keys) {
        uploads.end(r2Key)
        // A rebuild may have found it, or still need it for a record whose ciphertext is lost.
        const cipherHash = store.hashOfKey(r2Key)
        const isNeeded = !blobs.find(cipherHash) && blobs.countRefs(cipherHash) > 0
        if (!blobs.knows(r2Key) && !isNeeded) blobs.condemnKey(r2Key)
      }
      return keys.length === BATCH
    })
  }
  await deleteCondemned(transaction, store)
}

/** Idempotent: deleting a missing key succeeds. */
async function deleteCondemned(transaction: VaultTransaction, store: BlobStore): Promise<void> {
  const { blobs } = transaction
  for (let keys = blobs.condemned(BATCH); keys.length > 0; keys = blobs.condemned(BATCH)) {
    await store.delete(keys)
    transaction.transact(() => blobs.deleted(keys))
  }
}

/** Full collection: blobs whose grace period has passed, and uploads that were never indexed. */
export async function collect(
  transaction: VaultTransaction,
  store: BlobStore,
  did: string,
  now: number,
): Promise<Collected> {
  const collected = await collectWaiting(transaction, store, now)
  const orphans: Amount = { objects: 0, bytes: 0 }
  const { blobs } = transaction
  for await (const page of store.list(did)) {
    transaction.transact(() => {
      for (const { r2Key, bytes, uploadedAt } of page) {
        // A younger upload may still be committed; see MAX_UPLOAD_MS.
        if (!isCollectable(uploadedAt, now) || blobs.knows(r2Key)) continue
        // Leaves keys that records refer to but the index has lost: a rebuild restores those.
        const cipherHash = store.hashOfKey(r2Key)
        if (!blobs.find(cipherHash) && blobs.countRefs(cipherHash) > 0) continue
        blobs.condemnKey(r2Key)
        add(orphans, bytes)
      }
    })
  }
  await deleteCondemned(transaction, store)
  const { objects, bytes, oldest } = blobs.waiting()
  const nextAt = oldest === null ? null : oldest + GRACE_MS
  return { collected, orphans, waiting: { objects, bytes }, nextAt }
}

/** Compares the index with the records and the store, and repairs it unless this is a dry run. */
export async function rebuild(
  transaction: VaultTransaction,
  store: BlobStore,
  did: string,
  { dryRun, now }: { readonly dryRun: boolean; readonly now: number },
): Promise<Rebuilt> {
  const { blobs, audit } = transaction
  const refs = audit.miscounted()
  const lost = new Set(audit.unindexed())
  const found = new Map<string, StoredObject>()
  const orphans: Amount = { objects: 0, bytes: 0 }
  const unlisted: Blob[] = []
  let after = vaultPrefix(did)
  for await (const page of withEnd(store.list(did))) {
    const last = page.isLast ? `${vaultPrefix(did)}~` : (page.objects.at(-1)?.r2Key ?? after)
    const listed = new Set(page.objects.map(({ r2Key }) => r2Key))
    unlisted.push(...blobs.keysBetween(after, last).filter(({ r2Key }) => !listed.has(r2Key)))
    for (const object of page.objects) {
      const cipherHash = store.hashOfKey(object.r2Key)
      if (blobs.knows(object.r2Key)) continue
      // A rejected upload is stored under the hash it claimed, so verify the content.
      const isLost = lost.has(cipherHash) && !found.has(cipherHash)
      if (isLost && (await store.hashOf(object.r2Key)) === cipherHash) found.set(cipherHash, object)
      else add(orphans, object.bytes)
    }
    after = last
  }
  // A blob uploaded after its page was listed is not missing.
  const absent: Blob[] = []
  for (const blob of unlisted) if (!(await store.has(blob.r2Key))) absent.push(blob)
  const isReferred = ({ cipherHash }: Blob) => blobs.countRefs(cipherHash) > 0
  const missing = [
    ...[...lost].filter((hash) => !found.has(hash)),
    ...absent.filter(isReferred).map(({ cipherHash }) => cipherHash),
  ]

  const recorded = blobs.usage()
  const mend = () => {
    for (const blob of absent) blobs.drop(blob)
    for (const { cipherHash } of audit.miscounted()) blobs.setRefs(cipherHash, blobs.countRefs(cipherHash), now)
    for (const [cipherHash, { r2Key, bytes }] of found) {
      if (blobs.find(cipherHash)) continue
      blobs.add(cipherHash, r2Key, bytes, 0)
    }
    audit.setUsage(audit.measured())
  }
  if (!dryRun) transaction.transact(mend)
  const counted = audit.measured()
  const actual = { bytes: counted.bytes, objects: counted.objects }
  if (dryRun) {
    actual.bytes += bytesOf(found.values()) - bytesOf(absent)
    actual.objects += found.size - absent.length
  }
  const isUsageWrong =
    recorded.bytes !== actual.bytes || recorded.objects !== actual.objects || recorded.refs !== counted.refs
  return {
    dryRun,
    refs: refs.slice(0, MAX_NAMED),
    missing: missing.toSorted().slice(0, MAX_NAMED),
    orphans,
    usage: { recorded: { objects: recorded.objects, bytes: recorded.bytes }, actual },
    differences: refs.length + missing.length + found.size + (isUsageWrong ? 1 : 0),
  }
}

function bytesOf(objects: Iterable<{ readonly bytes: number }>): number {
  let sum = 0
  for (const { bytes } of objects) sum += bytes
  return sum
}

function add(amount: Amount, bytes: number): void {
  amount.objects += 1
  amount.bytes += bytes
}

/** Pages, with the last one marked: blobs indexed beyond its end are missing from the store. */
async function* withEnd(pages: AsyncIterable<readonly StoredObject[]>) {
  let held: readonly StoredObject[] = []
  let isFirst = true
  for await (const page of pages) {
    if (!isFirst) yield { objects: held, isLast: false }
    held = page
    isFirst = false
  }
  yield { objects: held, isLast: true }
}
