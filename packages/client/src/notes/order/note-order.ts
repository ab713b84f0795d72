import { isOlderHead } from '#protocol/base/inception-head'
import { statementHashAsync } from '#protocol/base/statement'
import type { NoteVersion } from '#protocol/notes/api'
import { unverified } from '../../verification/verification-error.ts'
import type { NoteKeys } from '../keys.ts'
import type { SeenNote } from '../note-heads.ts'
import type { NoteReader } from '../note-reader.ts'
import type { NoteSigning, ReadNoteOptions } from './note-signing.ts'

interface Parts {
  readonly keys: NoteKeys
  readonly reader: NoteReader
}

/** Whether a version was signed before its key ended. */
export class NoteOrder {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Throws for a version that a key could not have signed when it says, or that may be by the thief of an ended key. */
  async of(stored: NoteVersion, seen: SeenNote, { acceptEnded = false }: ReadNoteOptions): Promise<NoteSigning> {
    const { statement, recordHash } = stored
    const base = seen.statementOf(statement.follows)
    if (base && isOlderHead(statement.inception, base.inception)) throw refused('older_head')
    const { signer, fault } = await this.#parts.keys.standing(statement)
    if (fault === null) return { signer, order: statement.inception ? 'inception' : 'unknown' }
    if (fault !== 'unordered') throw refused(fault)
    if (seen.has(recordHash)) return { signer, order: 'memory' }
    if (await this.#isFollowed(stored)) return { signer, order: 'inception' }
    return this.#byTime(stored, signer, acceptEnded)
  }

  /** Judges a saved version like `of`, without asking the vault which versions follow it. */
  async ofKept(stored: NoteVersion, seen: SeenNote, { acceptEnded = false }: ReadNoteOptions): Promise<NoteSigning> {
    const { statement, recordHash } = stored
    const { signer, fault } = await this.#parts.keys.standing(statement)
    if (fault === null) return { signer, order: statement.inception ? 'inception' : 'unknown' }
    if (seen.has(recordHash)) return { signer, order: 'memory' }
    return this.#byTime(stored, signer, acceptEnded)
  }

  /** For an ended key, checks that the vault accepted the version before the key ended. */
  async #byTime(stored: NoteVersion, signer: NoteSigning['signer'], acceptEnded: boolean): Promise<NoteSigning> {
    const placed = await this.#parts.keys.standingAt(stored)
    if (placed?.fault === null) return { signer, order: 'log' }
    if (placed === null || acceptEnded) return { signer, order: 'unknown' }
    throw refused(placed.fault)
  }

  /** Whether a later version, which follows this one, was signed by an active key that did not know of the end. */
  async #isFollowed(stored: NoteVersion): Promise<boolean> {
    const { keys, reader } = this.#parts
    let before = stored
    for (const { version } of await reader.versions(stored.noteId, stored.version + 1)) {
      const next = await reader.read(stored.noteId, version)
      if (!(await this.#follows(next, before))) return false
      const { signer, fault } = await keys.standing(next.statement)
      if (signer === 'active') {
        const place = await keys.placeOf(next.statement)
        return place !== null && (await keys.standing(stored.statement, place)).fault === null
      }
      if (fault !== 'unordered') return false
      before = next
    }
    return false
  }

  async #follows({ statement, signatureB64u }: NoteVersion, before: NoteVersion): Promise<boolean> {
    const isNext = statement.follows === before.recordHash && statement.did === before.statement.did
    if (!isNext || isOlderHead(statement.inception, before.statement.inception)) return false
    if ((await statementHashAsync(before.statement)) !== before.recordHash) return false
    await this.#parts.keys.check({ statement, signatureB64u }, statement.keyId)
    return true
  }
}

const WHY = {
  older_head: 'It names an older event of the inception log than the version it follows',
  unknown_head: 'It names an event that the inception log does not have',
  not_entitled: 'Its key could not write notes at the event that it names',
  wrong_key: 'A note was signed by a key that never belonged to this identity',
  unordered: 'Its key was revoked or replaced before the vault accepted it, and nothing from before that follows it',
} as const

function refused(reason: keyof typeof WHY) {
  return unverified('note', reason === 'wrong_key' ? 'wrong_owner' : reason, WHY[reason])
}
