import type { NoteVersion, VersionSummary } from '#protocol/notes/api'
import type { ExportedChange } from '#protocol/notes/log'
import { ServiceError } from '../transport/service-error.ts'
import { VerificationError } from '../verification/verification-error.ts'
import type { Note } from './record.ts'
import type { RestoredBase, Vault } from './vault.ts'

/** A version of a note that is malformed. */
export interface PassedOver {
  readonly noteId: string
  readonly version: number | null
  readonly error: VerificationError
}

export interface RestoreSummary {
  /** Versions that were sent. */
  readonly restored: number
  /** Versions that the vault already had. */
  readonly present: number
  /** Notes changed on both sides: the current version stays current, and nothing is lost. */
  readonly merged: readonly string[]
  /** Versions that cannot be read, and so not be written again. All others were restored. */
  readonly passedOver: readonly PassedOver[]
}

/** What the vault has of a note that is being restored. */
interface Target {
  /** As they were when the note was first read. */
  readonly versions: readonly VersionSummary[]
  /** What the archive has of it, by `recordHash`. */
  readonly archived: Set<string>
  /** The newest version sent, which the next one follows. */
  base: (Note & RestoredBase) | null
  isDeleted: boolean
}

/** Restores the versions of an archive, one after the other. */
export class Restoring {
  readonly #notes: Vault
  readonly #targets = new Map<string, Target>()
  /** What versions in the vault were restored from, by their `recordHash`, as far as requested. */
  readonly #origins = new Map<string, string | null>()
  readonly #repairs: boolean
  #restored = 0
  #present = 0
  readonly #passedOver: PassedOver[] = []

  constructor(notes: Vault, repairs: boolean) {
    this.#notes = notes
    this.#repairs = repairs
  }

  /** Whether the vault deleted a note of the archive: it stays deleted. */
  isDeleted(noteId: string): boolean {
    return this.#targets.get(noteId)?.isDeleted ?? false
  }

  async version(entry: ExportedChange): Promise<void> {
    const { noteId, recordHash } = entry
    if (recordHash === null) return
    const target = this.#targets.get(noteId) ?? (await this.#look(noteId))
    target.archived.add(recordHash)
    if (target.isDeleted) return
    if (await this.#isPresent(noteId, target, recordHash)) {
      if (this.#repairs) await this.#repair(entry)
      this.#present += 1
      return
    }
    try {
      await this.#put(target, entry)
      this.#restored += 1
    } catch (error) {
      if (isMalformed(error)) this.#passedOver.push({ noteId, version: entry.version, error })
      else if (error instanceof ServiceError && error.error === 'note_tombstoned') target.isDeleted = true
      else throw error
    }
  }

  /** The same statement restores its ciphertext; one rewritten under this key has another. */
  async #repair({ record, ciphertextB64u }: ExportedChange): Promise<void> {
    if (!record || ciphertextB64u === null || !(await this.#notes.isOurs(record))) return
    if (!(await this.#notes.has(record.statement.cipherHash))) await this.#notes.send({ ...record, ciphertextB64u })
  }

  async #put(target: Target, entry: ExportedChange): Promise<void> {
    const { noteId, recordHash, record, ciphertextB64u } = entry
    if (!record || recordHash === null || ciphertextB64u === null) return
    const isFirst = target.versions.length === 0 && target.base === null
    const isInPlace = isFirst === (record.statement.header.operation === 'create')
    if (isInPlace && (await this.#notes.isOurs(record))) {
      const appended = await this.#notes.send({ ...record, ciphertextB64u })
      const sent = await this.#baseOf({ ...appended, ...record, ciphertextB64u })
      target.base = sent && { ...sent, after: record.statement.inception }
    } else {
      const stored = { noteId, version: entry.version ?? 1, seq: entry.seq, recordHash, acceptedAt: entry.acceptedAt }
      // Any key may have signed it, because it is written again under the current one.
      const note = await this.#notes.open({ ...stored, ...record, ciphertextB64u }, { acceptEnded: true })
      const base = target.base ?? (isFirst ? null : await this.#newest(noteId))
      target.base = await this.#notes.rewrite(note, base, recordHash)
    }
  }

  /** What the next version follows. By whichever key: it does not stay the newest. */
  #newest(noteId: string): Promise<Note> {
    return this.#notes.get(noteId, undefined, { acceptEnded: true })
  }

  /** What the next version follows. What was sent as it was signed is there, readable or not. */
  async #baseOf(sent: NoteVersion): Promise<Note | null> {
    try {
      return await this.#notes.open(sent, { acceptEnded: true })
    } catch (error) {
      if (isMalformed(error)) return null
      throw error
    }
  }

  /** If both sides changed, the version that was current in the vault becomes current again. */
  async finish(): Promise<RestoreSummary> {
    const merged: string[] = []
    for (const [noteId, target] of this.#targets) {
      const current = target.isDeleted ? undefined : await this.#supersededBy(noteId, target)
      if (!current) continue
      try {
        const base = target.base ?? (await this.#newest(noteId))
        await this.#notes.rewrite(await this.#notes.get(noteId, current.version), base, current.recordHash)
        merged.push(noteId)
      } catch (error) {
        if (!isMalformed(error)) throw error
        this.#passedOver.push({ noteId, version: current.version, error })
      }
    }
    return { restored: this.#restored, present: this.#present, merged, passedOver: this.#passedOver }
  }

  /** The newest version that only the vault has, if one from the archive came after it. */
  async #supersededBy(noteId: string, target: Target): Promise<VersionSummary | undefined> {
    for (const [i, there] of target.versions.toReversed().entries()) {
      if (await this.#isArchived(noteId, target, there)) continue
      return i > 0 || target.base ? there : undefined
    }
    return undefined
  }

  async #isPresent(noteId: string, { versions, archived }: Target, recordHash: string): Promise<boolean> {
    if (versions.some((there) => there.recordHash === recordHash)) return true
    const rewritten = versions.filter((there) => !archived.has(there.recordHash))
    for (const there of rewritten) if ((await this.#origin(noteId, there)) === recordHash) return true
    return false
  }

  /** A copy of a version of this vault is not a restored one: it decides what is current. */
  async #isArchived(noteId: string, { versions, archived }: Target, there: VersionSummary): Promise<boolean> {
    if (archived.has(there.recordHash)) return true
    const origin = await this.#origin(noteId, there)
    return origin !== null && archived.has(origin) && !versions.some(({ recordHash }) => recordHash === origin)
  }

  async #look(noteId: string): Promise<Target> {
    const versions = await this.#notes.history(noteId).catch((error: unknown) => {
      if (error instanceof ServiceError && error.status === 404) return []
      throw error
    })
    const target: Target = { versions, archived: new Set(), base: null, isDeleted: false }
    this.#targets.set(noteId, target)
    return target
  }

  async #origin(noteId: string, { version, recordHash }: VersionSummary): Promise<string | null> {
    const known = this.#origins.get(recordHash)
    if (known !== undefined) return known
    const origin = await this.#notes.originOf(noteId, version)
    this.#origins.set(recordHash, origin)
    return origin
  }
}

function isMalformed(error: unknown): error is VerificationError {
  return error instanceof VerificationError && error.subject === 'note' && error.reason === 'malformed'
}
