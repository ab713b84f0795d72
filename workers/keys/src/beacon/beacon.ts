import type { ObjectStorage } from '@svc/objects'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { headsEntry, type OpenHead } from '@svc/protocol/merkle/beacon'
import { checkpointText } from '@svc/tlog/checkpoint'
import { consistencyOverTiles, edgeRoot, type FullTile, type TreeEdge, withLeaf } from '@svc/tlog/edge'
import { formatNote, type NoteSigner, signNote } from '@svc/tlog/signed-note'
import { bundleEntries, entryBundle, TILE_WIDTH, type TilePath, tileBytes, tileHashes, widthIn } from '@svc/tlog/tiles'
import { SHA256_TREE } from '@svc/tlog/tree'
import type { BeaconFiles } from './files.ts'
import { BEACON } from './schema.ts'
import { BeaconStore } from './store.ts'
import type { WitnessClient } from './witness-client.ts'

/** Between two leaves. */
export const BEACON_MS = 60_000
/** Decided leaves that an object takes per call: after a restore it may lack many. */
const MAX_ADOPTED = 256
const encoder = new TextEncoder()

export interface BeaconParts {
  readonly origin: string
  readonly stored: ObjectStorage
  readonly files: BeaconFiles
  /** Empty without a seed: then there is no beacon. */
  readonly signers: () => Promise<readonly NoteSigner[]>
  readonly openHeads: () => Promise<readonly OpenHead[]>
  readonly witnesses: ReadonlyMap<string, WitnessClient>
  readonly now: () => number
  /** Told what an operator must look at: a witness by its URL, and why it did not cosign. */
  readonly onFault: (witness: string, reason: string) => void
}

interface Grown {
  readonly edge: TreeEdge
  readonly filled: readonly FullTile[]
  readonly text: string
}

/**
 * The beacon's only writer. Once a minute:
 *
 * 1. A leaf with the checkpoint over it is created in R2 and never replaced. This decides the leaf.
 * 2. The tiles that it fills are written. They follow from the leaves, so a repeated write has the same bytes.
 * 3. SQLite has the new head.
 * 4. The checkpoint is signed, the witnesses are asked to cosign it, and it is published with their lines.
 *
 * A crash or a restore leaves SQLite behind the leaves in R2. The object then takes those that it lacks before it signs
 * anything, so that it never signs two histories.
 */
export class Beacon {
  readonly #parts: BeaconParts
  readonly #store: BeaconStore
  #turn: Promise<boolean> | null = null

  constructor(parts: BeaconParts) {
    this.#parts = parts
    this.#store = new BeaconStore(parts.stored.sql)
  }

  /** The published checkpoint, as a note; null until there is one. */
  published(): string | null {
    return this.#parts.stored.exists ? (this.#store.published()?.note ?? null) : null
  }

  /** Does what is due. Calls share a turn. False if it has to be continued at once. */
  turn(): Promise<boolean> {
    this.#turn ??= this.#run().finally(() => {
      this.#turn = null
    })
    return this.#turn
  }

  /** A tile or a bundle, as wide as it is asked for; null if the published log does not have it. */
  async tile({ level, index, width }: TilePath): Promise<Uint8Array | null> {
    if (!this.#parts.stored.exists) return null
    const has = widthIn(this.#store.published()?.size ?? 0, { level, index })
    if (has < width) return null
    if (level === 'entries') return this.#bundle(index, width)
    return tileBytes((await this.#hashes(level, index)).slice(0, width))
  }

  async #run(): Promise<boolean> {
    const { stored, signers, now } = this.#parts
    const keys = await signers()
    if (keys.length === 0) return true
    stored.transact(() => stored.create(BEACON))
    for (let adopted = 0; await this.#adopt(); adopted++) if (adopted === MAX_ADOPTED) return false
    if (now() - this.#store.at() >= BEACON_MS || this.#store.edge().size === 0) await this.#append()
    const { size } = this.#store.edge()
    if (this.#store.published()?.size !== size) await this.#publish(keys)
    return true
  }

  /** Takes the next leaf if it is decided. */
  async #adopt(): Promise<boolean> {
    const { size } = this.#store.edge()
    const head = await this.#parts.files.head(size)
    if (!head) return false
    const grown = this.#grown(head.entry)
    if (grown.text !== head.text) throw new DependencyFault('beacon', { cause: new Error('a head does not follow') })
    await this.#commit(grown, head.entry)
    return true
  }

  async #append(): Promise<void> {
    const { files, openHeads, now } = this.#parts
    const entry = headsEntry(now(), await openHeads())
    const grown = this.#grown(entry)
    const isMine = await files.decide(grown.edge.size - 1, { text: grown.text, entry })
    // Decided by another instance in the meantime: its leaf is the one.
    if (isMine) await this.#commit(grown, entry)
    else await this.#adopt()
  }

  #grown(entry: string): Grown {
    const { edge, filled } = withLeaf(this.#store.edge(), SHA256_TREE.leafHash(encoder.encode(entry)))
    return { edge, filled, text: this.#textOf(edge) }
  }

  #textOf(edge: TreeEdge): string {
    return checkpointText({ origin: this.#parts.origin, size: edge.size, root: edgeRoot(edge) })
  }

  async #commit({ edge, filled }: Grown, entry: string): Promise<void> {
    const { files, stored } = this.#parts
    const isFull = edge.size % TILE_WIDTH === 0
    if (isFull) await files.putBundle(edge.size / TILE_WIDTH - 1, [...this.#store.tail(), entry])
    for (const { level, index, hashes } of filled) await files.putTile({ level, index }, hashes)
    const { at } = JSON.parse(entry) as { at: number }
    stored.transact(() => {
      if (this.#store.edge().size !== edge.size - 1) throw new Error('the beacon has moved under its leaf')
      this.#store.commit(edge, entry, at, isFull)
    })
  }

  /** Signed, cosigned and then served. A crash in here repeats it with the same head. */
  async #publish(keys: readonly NoteSigner[]): Promise<void> {
    const { stored, witnesses, now, onFault } = this.#parts
    const edge = this.#store.edge()
    const { size } = edge
    const note = await signNote(this.#textOf(edge), keys, now())
    const proofFrom = (known: number) => consistencyOverTiles(known, size, (level, index) => this.#hashes(level, index))
    const answers = await Promise.all(
      [...witnesses].map(async ([url, client]) => {
        const known = this.#store.witnessed(url)
        return { url, known, ...(await client.cosign({ note, size, known, proofFrom })) }
      }),
    )
    for (const { url, fault } of answers) if (fault !== undefined) onFault(url, fault)
    const signatures = [...note.signatures, ...answers.flatMap((answer) => answer.signatures)]
    stored.transact(() => {
      for (const { url, known, size: has } of answers) if (has !== known) this.#store.witness(url, has)
      this.#store.publish(size, formatNote({ text: note.text, signatures }))
    })
  }

  /** The hashes of a tile, as far as the log has them. */
  async #hashes(level: number, index: number): Promise<readonly Uint8Array[]> {
    const edge = this.#store.edge()
    const width = widthIn(edge.size, { level, index })
    if (width < TILE_WIDTH) return edge.levels[level] ?? []
    return tileHashes(await this.#parts.files.tile({ level, index }))
  }

  async #bundle(index: number, width: number): Promise<Uint8Array> {
    const isFull = widthIn(this.#store.edge().size, { level: 'entries', index }) === TILE_WIDTH
    if (!isFull)
      return entryBundle(
        this.#store
          .tail()
          .slice(0, width)
          .map((entry) => encoder.encode(entry)),
      )
    const bytes = await this.#parts.files.tile({ level: 'entries', index })
    return width === TILE_WIDTH ? bytes : entryBundle((bundleEntries(bytes) ?? []).slice(0, width))
  }
}
