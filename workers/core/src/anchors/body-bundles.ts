import { LogFiles } from '@svc/log'
import { createObject } from '@svc/objects/create-object'
import { DependencyFault, reaching } from '@svc/protocol/base/dependency-fault'
import type { LoggedAnchor } from '@svc/protocol/ledger/anchor-log'
import { anchorLeafOfLine } from '@svc/protocol/ledger/withheld'
import type { LogPosition } from '@svc/protocol/merkle/log-name'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import { bodyBundleKey, withheldLeafKey, withheldLeavesPrefix } from '../object-keys.ts'
import { AnchorFiles, type AnchorName } from './files.ts'

/** A bundle begins with the length of each body, four bytes each; 0 for one that opens or closes the log, or is withheld. */
const LENGTH_BYTES = 4
const INDEX_BYTES = TILE_WIDTH * LENGTH_BYTES
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** An anchor that a log has. */
export type BodyPlace = AnchorName & {
  readonly log: string
  readonly index: number
}

const bundleOf = (index: number) => Math.floor(index / TILE_WIDTH)

/**
 * Bodies of 256 consecutive leaves in one file, so that a page is a few reads and not one for each anchor. A bundle has
 * what the files of its anchors have, is created once, and need not be there: readers then read those.
 */
export class BodyBundles {
  readonly #bucket: R2Bucket
  readonly #files: AnchorFiles

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket
    this.#files = new AnchorFiles(bucket)
  }

  /** In this order; null for a body that is withheld. A missing one is a fault. */
  async read(places: readonly BodyPlace[]): Promise<(LoggedAnchor | null)[]> {
    const groups = Map.groupBy(places, ({ log, index }) => bodyBundleKey(log, bundleOf(index)))
    const bodies = new Map<BodyPlace, LoggedAnchor | null>()
    await Promise.all(
      [...groups].map(async ([key, some]) => {
        for (const [i, body] of (await this.#group(key, some)).entries()) bodies.set(some[i]!, body)
      }),
    )
    return places.map((place) => {
      const body = bodies.get(place)
      if (body === undefined) throw new DependencyFault('anchors')
      return body
    })
  }

  /** Writes the bundle of a full bundle of entries. Idempotent: all its bytes follow from files. */
  async make(log: string, bundle: number): Promise<void> {
    const lines = await new LogFiles(this.#bucket, log).fullBundle(bundle)
    if (!lines) throw new DependencyFault('anchors')
    const leaves = lines.map(anchorLeafOfLine)
    const named = leaves.flatMap((leaf) => (leaf === null ? [] : [{ leaf }]))
    const bodies = (await this.#files.bodies(named)).values()
    const parts = leaves.map((leaf) => {
      const body = leaf === null ? null : bodies.next().value
      return encoder.encode(body ? JSON.stringify(body) : '')
    })
    await reaching('anchors', () => createObject(this.#bucket, bodyBundleKey(log, bundle), bytesOf(parts)))
    // Anchors that were withheld since they were read.
    await this.#blank(log, bundle)
  }

  /** Removes a body from its bundle. The mark covers a bundle that is being made at the same time. */
  async withhold({ log, index }: LogPosition): Promise<void> {
    const bundle = bundleOf(index)
    await reaching('anchors', () => this.#bucket.put(withheldLeafKey(log, bundle, index % TILE_WIDTH), ''))
    await this.#blank(log, bundle)
  }

  /** Removes marked bodies from a bundle. Retries until no concurrent write has replaced it. */
  async #blank(log: string, bundle: number): Promise<void> {
    const prefix = withheldLeavesPrefix(log, bundle)
    const key = bodyBundleKey(log, bundle)
    for (let isDone = false; !isDone; ) {
      isDone = await reaching('anchors', async () => {
        const { objects } = await this.#bucket.list({ prefix })
        const marked = new Set(objects.map((object) => Number(object.key.slice(prefix.length))))
        const found = marked.size > 0 ? await this.#bucket.get(key) : null
        if (!found) return true
        const parts = partsOf(new Uint8Array(await found.arrayBuffer()))
        if (parts.every((part, offset) => part.length === 0 || !marked.has(offset))) return true
        const blanked = parts.map((part, offset) => (marked.has(offset) ? new Uint8Array() : part))
        return (await this.#bucket.put(key, bytesOf(blanked), { onlyIf: { etagMatches: found.etag } })) !== null
      })
    }
  }

  /** How many of the first bundles are there. They are made in order, so each is there if a later one is. */
  async count(log: string, full: number): Promise<number> {
    let [from, to] = [0, full]
    while (from < to) {
      const middle = Math.floor((from + to) / 2)
      const found = await reaching('anchors', () => this.#bucket.head(bodyBundleKey(log, middle)))
      if (found) from = middle + 1
      else to = middle
    }
    return from
  }

  async #group(key: string, places: readonly BodyPlace[]): Promise<(LoggedAnchor | null)[]> {
    const bundled = isDense(places) ? await this.#bundled(key, places) : null
    return bundled ?? this.#files.bodies(places)
  }

  /** Null without a bundle. */
  async #bundled(key: string, places: readonly BodyPlace[]): Promise<(LoggedAnchor | null)[] | null> {
    const index = await this.#range(key, 0, INDEX_BYTES)
    if (!index) return null
    const ends = endsOf(index)
    const startOf = (offset: number) => ends[offset - 1] ?? INDEX_BYTES
    const offsets = places.map((place) => place.index % TILE_WIDTH)
    const start = startOf(Math.min(...offsets))
    const bytes = await this.#range(key, start, (ends[Math.max(...offsets)] ?? start) - start)
    if (!bytes) return null
    return offsets.map((offset) => {
      const text = decoder.decode(bytes.subarray(startOf(offset) - start, (ends[offset] ?? start) - start))
      return text === '' ? null : (JSON.parse(text) as LoggedAnchor)
    })
  }

  #range(key: string, offset: number, length: number): Promise<Uint8Array | null> {
    return reaching('anchors', async () => {
      const found = await this.#bucket.get(key, { range: { offset, length } })
      return found && new Uint8Array(await found.arrayBuffer())
    })
  }
}

/** Whether reading everything between the first and the last reads at most four times what is wanted. */
function isDense(places: readonly BodyPlace[]): boolean {
  const indexes = places.map(({ index }) => index)
  const span = Math.max(...indexes) - Math.min(...indexes) + 1
  return places.length > 2 && span <= 4 * places.length
}

function endsOf(index: Uint8Array): number[] {
  const lengths = new DataView(index.buffer, index.byteOffset)
  const ends: number[] = []
  for (let i = 0; i < TILE_WIDTH; i++) ends.push((ends.at(-1) ?? INDEX_BYTES) + lengths.getUint32(i * LENGTH_BYTES))
  return ends
}

function partsOf(bundle: Uint8Array): Uint8Array[] {
  const ends = endsOf(bundle)
  return ends.map((end, i) => bundle.subarray(ends[i - 1] ?? INDEX_BYTES, end))
}

function bytesOf(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, INDEX_BYTES))
  const index = new DataView(bytes.buffer)
  let at = INDEX_BYTES
  for (const [i, part] of parts.entries()) {
    index.setUint32(i * LENGTH_BYTES, part.length)
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
