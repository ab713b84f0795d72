import type { KnownInception } from '#protocol/base/inception-head'
import { pure } from '#protocol/base/pure'
import type { NoteEntry, NoteIndex, NoteVersion, VersionSummary } from '#protocol/notes/api'
import type { DeletionReceipt } from '#protocol/notes/log'
import type { NoteStatement, SignedNote } from '#protocol/notes/notes'
import { ForkError, type LogName, type Piece, type Place, RollbackError } from '../memory/errors.ts'
import { follow, type Log, refuseOlder } from '../memory/extension.ts'
import type { KnownLogs } from '../memory/known-logs.ts'
import { ServiceError } from '../transport/service-error.ts'

/** The newest version of a note that this client has seen; `position` is its number. */
export interface NoteHead extends Piece<SignedNote | DeletionReceipt> {
  /** Place of the newest change in the log of the vault. */
  readonly seq: number
  readonly isErased: boolean
  /** Versions that this client has seen before. */
  readonly earlier: readonly Place[]
}

/** What the service shows of a vault, unverified. */
export interface ShownNotes {
  readonly versions: (noteId: string, from: number) => Promise<readonly VersionSummary[]>
  readonly read: (noteId: string, version: number) => Promise<NoteVersion>
  readonly changes: (from: number) => Promise<NoteIndex>
}

type Stored = Omit<NoteVersion, 'ciphertextB64u'>

/** No version at all. */
const NOTHING = /* @__PURE__ */ pure(() => ({ position: 0, hash: '0'.repeat(96), signed: null }))

/**
 * What this client remembers of the notes of a vault. The number of a version is the service's claim: a record keeps the
 * number it was first seen with, and what was deleted stays deleted.
 */
export class NoteHeads {
  readonly #memory: KnownLogs
  readonly #did: () => string
  readonly #shown: ShownNotes

  constructor(memory: KnownLogs, did: () => string, shown: ShownNotes) {
    this.#memory = memory
    this.#did = did
    this.#shown = shown
  }

  /** What is known of a note before a question; the answer is held against it. */
  async of(noteId: string): Promise<SeenNote> {
    const name = { kind: 'note', of: `${this.#did()}/${noteId}` } as const
    return this.#seen(name, noteId, await this.#memory.recall(name))
  }

  /** Every note of the vault that is known. */
  async all(): Promise<readonly SeenNote[]> {
    const prefix = `${this.#did()}/`
    const kept = await this.#memory.recallAll('note', prefix)
    return kept.map(({ name, pieces }) => this.#seen(name, name.of.slice(prefix.length), pieces as readonly NoteHead[]))
  }

  #seen(name: LogName, noteId: string, known: readonly NoteHead[]): SeenNote {
    return new SeenNote({ memory: this.#memory, shown: this.#shown, name, noteId }, known)
  }

  /** A page of the index must show what is known: nothing older or deleted, and on the last page nothing missing. */
  async indexed(known: readonly SeenNote[], from: number, { notes, more }: NoteIndex): Promise<void> {
    const entries = new Map(notes.map((entry) => [entry.noteId, entry]))
    for (const seen of known) {
      const entry = entries.get(seen.noteId)
      if (!entry) {
        if (!more) seen.unlisted(from)
      } else if (!seen.isNewest(entry)) await seen.entry(entry)
    }
  }
}

interface SeenNoteParts {
  readonly memory: KnownLogs
  readonly shown: ShownNotes
  readonly name: LogName
  readonly noteId: string
}

/** One note as it was known at a time. */
export class SeenNote {
  readonly noteId: string
  readonly #parts: SeenNoteParts
  readonly #known: readonly NoteHead[]

  constructor(parts: SeenNoteParts, known: readonly NoteHead[]) {
    this.noteId = parts.noteId
    this.#parts = parts
    this.#known = known
  }

  /** Whether this client has read or written this version before. */
  has(recordHash: string): boolean {
    return this.#places().some(({ hash }) => hash === recordHash)
  }

  /** The newest version that is known, if it is this one. */
  statementOf(recordHash: string | null): NoteStatement | null {
    const known = this.#known.find(({ hash }) => hash === recordHash)
    return known && 'header' in known.signed.statement ? known.signed.statement : null
  }

  /** The event that the newest known version names; what follows it names no older one. */
  get inception(): KnownInception {
    const statement = this.#known.at(-1)?.signed.statement
    return statement && 'header' in statement ? statement.inception : null
  }

  /** The service shows a version as the newest. The caller has verified its signature. */
  async newest(stored: Stored): Promise<void> {
    const head = this.#headOf(stored)
    this.#refuseErased(head)
    await follow(this.#log(head), this.#known, head)
    await this.#remember(head)
  }

  /** The service shows a version by its number. The caller has verified its signature. */
  version(stored: Stored): void {
    const received = this.#headOf(stored)
    this.#refuseErased(received)
    const remembered = this.#places().find((one) => one.position === received.position || one.hash === received.hash)
    if (remembered && (remembered.position !== received.position || remembered.hash !== received.hash))
      throw new ForkError({ log: this.#parts.name, remembered: this.#signed(remembered), received })
  }

  /** This client wrote a version on one that it knows. */
  async written(stored: Stored): Promise<void> {
    const received = this.#headOf(stored)
    const remembered = this.#known.at(-1)
    if (remembered && (remembered.isErased || received.position <= remembered.position))
      throw new RollbackError({ log: this.#parts.name, remembered, received })
    await this.#remember(received)
  }

  /** The service lists the versions. */
  versions(listed: readonly VersionSummary[]): void {
    const last = listed.at(-1)
    const newest = this.#known.at(-1)
    if (!last || !newest) return
    this.#refuseErased(placeOf(last))
    if (last.version < newest.position)
      throw new RollbackError({ log: this.#parts.name, remembered: newest, received: placeOf(last) })
    const other = this.#otherIn(listed)
    if (other) throw new ForkError({ log: this.#parts.name, ...other })
  }

  /** The service erased the note. The caller has verified the receipt. */
  async erased(receipt: DeletionReceipt): Promise<void> {
    const { seq, versions, lastRecordHash } = receipt.statement
    const earlier = this.#places()
    await this.#remember({ position: versions, hash: lastRecordHash, signed: receipt, seq, isErased: true, earlier })
  }

  /** The service says that there is no such note: if it was there, only a tombstone in the index explains that. */
  async missing(): Promise<void> {
    const newest = this.#known.at(-1)
    if (!newest || newest.isErased) return
    for (let from = newest.seq; ; ) {
      const { notes, cursor, more } = await this.#parts.shown.changes(from).catch(behind)
      const entry = notes.find(({ noteId }) => noteId === this.noteId)
      if (entry?.status === 'tombstoned') return this.entry(entry)
      if (entry || !more || Number(cursor) <= from) break
      from = Number(cursor)
    }
    throw new RollbackError({ log: this.#parts.name, remembered: newest, received: NOTHING })
  }

  /** Whether the index has nothing new of the note. */
  isNewest({ status, version, recordHash }: NoteEntry): boolean {
    const [newest] = this.#known
    if (!newest || newest.isErased || this.#known.length > 1) return false
    return status === 'stored' && version === newest.position && recordHash === newest.hash
  }

  /** The index has an entry of the note. That its owner deleted it, without a receipt, is the service's claim. */
  async entry({ status, version, recordHash, seq }: NoteEntry): Promise<void> {
    const newest = this.#known.at(-1)
    if (!newest) return
    if (status === 'tombstoned') {
      if (!newest.isErased) await this.#remember({ ...newest, seq, isErased: true })
      return
    }
    const claimed = { position: version, hash: recordHash ?? '', signed: null }
    this.#refuseErased(claimed)
    await refuseOlder(this.#log(null), this.#known, claimed)
  }

  /** The index ends without the note. */
  unlisted(from: number): void {
    const newest = this.#known.at(-1)
    if (newest && newest.seq >= from)
      throw new RollbackError({ log: this.#parts.name, remembered: newest, received: NOTHING })
  }

  /** A note as the rule of memory reads it. */
  #log(head: NoteHead | null): Log<NoteHead['signed']> {
    const { name, shown } = this.#parts
    return {
      name,
      extend: async (remembered, claimed) => {
        const newest = this.#known.at(-1)
        if (!head) return { kind: 'unproved', remembered: null, received: { ...claimed, signed: null } }
        if (!newest) return { kind: 'extends', piece: head }
        if (this.#isRenumbered(head, newest)) return { kind: 'fork', remembered: newest, received: head }
        if (remembered.length === 1 && head.position === newest.position + 1) return { kind: 'extends', piece: head }
        const listed = await shown.versions(this.noteId, remembered[0]?.position ?? 1)
        const other = this.#otherIn(listed)
        if (other) {
          const stored = await shown.read(this.noteId, other.received.position).catch(() => null)
          return {
            kind: 'fork',
            remembered: other.remembered,
            received: stored ? this.#headOf(stored) : other.received,
          }
        }
        const isListed = listed.some((one) => one.version === head.position && one.recordHash === head.hash)
        return isListed ? { kind: 'extends', piece: head } : { kind: 'unproved', remembered: newest, received: head }
      },
      show: async ({ position }) => head?.signed ?? this.#headOf(await shown.read(this.noteId, position)).signed,
    }
  }

  /** Whether a record that was there before, or could only be the first one, is shown under a later number. */
  #isRenumbered(head: NoteHead, newest: NoteHead): boolean {
    const isKnown = this.#places().some(({ position, hash }) => hash === head.hash && position !== head.position)
    const followed = 'header' in newest.signed.statement ? newest.signed.statement.follows : null
    const isFirst = 'header' in head.signed.statement && head.signed.statement.header.operation === 'create'
    return isKnown || followed === head.hash || isFirst
  }

  /** The first known version that a list shows differently. */
  #otherIn(listed: readonly VersionSummary[]) {
    for (const remembered of this.#places()) {
      const same = listed.find(({ version }) => version === remembered.position)
      if (same && same.recordHash !== remembered.hash)
        return { remembered: this.#signed(remembered), received: placeOf(same) }
    }
    return null
  }

  #refuseErased(received: Piece<NoteHead['signed'] | null>): void {
    const erased = this.#known.find(({ isErased }) => isErased)
    if (erased) throw new RollbackError({ log: this.#parts.name, remembered: erased, received })
  }

  /** Of an earlier version only the place is kept; the newest one is what was signed after it. */
  #signed(remembered: Place): Piece<NoteHead['signed'] | null> {
    return this.#known.find(({ hash }) => hash === remembered.hash) ?? { ...remembered, signed: null }
  }

  /** Every version that is known, without duplicates. */
  #places(): readonly Place[] {
    const places = this.#known.flatMap(({ earlier, position, hash }) => [...earlier, { position, hash }])
    return [...new Map(places.map((one) => [one.hash, one])).values()]
  }

  #headOf({ version, recordHash, seq, statement, signatureB64u }: Stored): NoteHead {
    const signed = { statement, signatureB64u }
    const earlier = this.#places().filter(({ hash }) => hash !== recordHash)
    return { position: version, hash: recordHash, signed, seq, isErased: false, earlier }
  }

  #remember(head: NoteHead): Promise<void> {
    return this.#parts.memory.advance(this.#parts.name, head, this.#known)
  }
}

function placeOf({ version, recordHash }: VersionSummary): Piece<null> {
  return { position: version, hash: recordHash, signed: null }
}

/** A log that is shorter than what is known has no tombstone either. */
function behind(error: unknown): Pick<NoteIndex, 'notes' | 'cursor' | 'more'> {
  if (error instanceof ServiceError && error.error === 'vault_behind') return { notes: [], cursor: '0', more: false }
  throw error
}
