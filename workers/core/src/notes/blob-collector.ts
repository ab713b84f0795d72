/**
 * What is deleted from the store, and when: in two phases, so that a wrong count can delay a deletion and never cause
 * one. A blob without references is left alone for the grace period; then, in one transaction, its references are
 * counted anew, and only if there are none it leaves the index and its key is condemned. Condemned keys are deleted
 * after that is durable. A crash anywhere leaves a key that is still known, or one that is still condemned.
 *
 * @module
 */
import type { Collected, Rebuilt } from '@svc/protocol/note-api'
import type { Blob } from './blob-index.ts'
import { type BlobStore, prefixOf, type StoredObject } from './blob-store.ts'
import { GRACE_MS, isCollectable } from './vault.ts'
import type { VaultSession } from './vault-session.ts'

/** Blobs that leave the index in one transaction, and keys that are deleted at once. */
const BATCH = 500
const MAX_NAMED = 100

interface Amount {
  objects: number
  bytes: number
}

/** Sorts out what has waited long enough, and deletes it. */
export async function collectWaiting(session: VaultSession, store: BlobStore, now: number): Promise<Amount> {
  const collected: Amount = { objects: 0, bytes: 0 }
  for (let more = true; more; ) {
    more = session.transact(() => {
      const old = session.blobs.collectable(now - GRACE_MS, BATCH)
      for (const blob of old) {
        const refs = session.blobs.countRefs(blob.cipherHash)
        if (refs > 0) session.blobs.setRefs(blob.cipherHash, refs, now)
        else {
          session.blobs.condemn(blob)
          add(collected, blob.bytes)
        }
      }
      return old.length === BATCH
    })
  }
  await deleteCondemned(session, store)
  return collected
}

/** Idempotent: a key that is gone is deleted again. */
async function deleteCondemned(session: VaultSession, store: BlobStore): Promise<void> {
  const { blobs } = session
  for (let keys = blobs.condemned(BATCH); keys.length > 0; keys = blobs.condemned(BATCH)) {
    await store.delete(keys)
    session.transact(() => blobs.deleted(keys))
  }
}

/** Everything: blobs that have waited, and uploads that no index ever knew. */
export async function collect(session: VaultSession, store: BlobStore, did: string, now: number): Promise<Collected> {
  const collected = await collectWaiting(session, store, now)
  const orphans: Amount = { objects: 0, bytes: 0 }
  const { blobs } = session
  for await (const page of store.list(did)) {
    session.transact(() => {
      for (const { r2Key, bytes, uploadedAt } of page) {
        // An upload that is younger may still be taken; see MAX_UPLOAD_MS.
        if (!isCollectable(uploadedAt, now) || blobs.knows(r2Key)) continue
        // What the index has lost and records refer to is for a rebuild to find.
        const cipherHash = store.hashOfKey(did, r2Key)
        if (!blobs.find(cipherHash) && blobs.countRefs(cipherHash) > 0) continue
        blobs.condemnKey(r2Key)
        add(orphans, bytes)
      }
    })
  }
  await deleteCondemned(session, store)
  const { objects, bytes, oldest } = blobs.waiting()
  const nextAt = oldest === null ? null : oldest + GRACE_MS
  return { collected, orphans, waiting: { objects, bytes }, nextAt }
}

/** Compares the index with the records and with the store, and unless it is a dry run mends the index. */
export async function rebuild(
  session: VaultSession,
  store: BlobStore,
  did: string,
  { dryRun, now }: { readonly dryRun: boolean; readonly now: number },
): Promise<Rebuilt> {
  const { blobs } = session
  const refs = blobs.miscounted()
  const lost = new Set(blobs.unindexed())
  const found = new Map<string, StoredObject>()
  const orphans: Amount = { objects: 0, bytes: 0 }
  const unlisted: Blob[] = []
  let after = prefixOf(did)
  for await (const page of withEnd(store.list(did))) {
    const last = page.isLast ? `${prefixOf(did)}~` : (page.objects.at(-1)?.r2Key ?? after)
    const listed = new Set(page.objects.map(({ r2Key }) => r2Key))
    unlisted.push(...blobs.keysBetween(after, last).filter(({ r2Key }) => !listed.has(r2Key)))
    for (const object of page.objects) {
      const cipherHash = store.hashOfKey(did, object.r2Key)
      if (blobs.knows(object.r2Key)) continue
      // An upload that was refused stands under the hash that it claimed.
      const isLost = lost.has(cipherHash) && !found.has(cipherHash)
      if (isLost && (await store.hashOf(object.r2Key)) === cipherHash) found.set(cipherHash, object)
      else add(orphans, object.bytes)
    }
    after = last
  }
  // What was uploaded after its page was listed is there all the same.
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
    for (const { cipherHash } of blobs.miscounted()) blobs.setRefs(cipherHash, blobs.countRefs(cipherHash), now)
    for (const [cipherHash, { r2Key, bytes }] of found) {
      if (blobs.find(cipherHash)) continue
      blobs.add(cipherHash, r2Key, bytes, 0)
    }
    blobs.setUsage(blobs.measured())
  }
  if (!dryRun) session.transact(mend)
  const counted = blobs.measured()
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

/** Pages, with the last one marked: what the index has beyond it is not in the store. */
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
