import type { NoteBase } from '@svc/client'
import { statementHash } from '@svc/protocol/base/statement'
import { noteAppendedSchema } from '@svc/protocol/notes/api'
import { noteSubmissionSchema } from '@svc/protocol/notes/notes'
import type { Planned } from '../planned.ts'
import type { Sealer } from '../sealer.ts'
import { Book, dataOf, orNull, saying, sentBody } from './book.ts'

interface NoteClaim {
  readonly noteId: string
  readonly recordHash: string
  readonly body: string
}

/** Every third write is a new version of the previous note. */
const VERSIONS_OF_A_NOTE = 3

/** Notes of one vault, encrypted and signed by the SDK. */
export class NoteBook extends Book<NoteClaim> {
  readonly #sealer: Sealer
  #count = 0
  #last: NoteBase | undefined

  constructor(sealer: Sealer) {
    super()
    this.#sealer = sealer
  }

  async next(): Promise<Planned> {
    const base = this.#count % VERSIONS_OF_A_NOTE === 0 ? undefined : this.#last
    this.#count += 1
    const body = `${this.#count}: ${crypto.randomUUID()}`
    const request = await this.#sealer.seal('POST', ({ notes }) => notes.put({ body }, base))
    const { statement } = noteSubmissionSchema.parse(sentBody(request))
    const { noteId } = statement.header
    const recordHash = statementHash(statement)
    this.#last = { noteId, recordHash, version: (base?.version ?? 0) + 1, attachments: [] }
    return this.planned(request, 200, { noteId, recordHash, body }, `note ${noteId}`)
  }

  /** A version that was never sent cannot have a successor. */
  override resume(): Promise<void> {
    this.#last = undefined
    return Promise.resolve()
  }

  /** Each version opens with the written content, and index, references and usage are consistent. */
  async faults(): Promise<string[]> {
    const { notes } = this.#sealer.client
    const found: string[] = []
    for (const { claim, answer } of this.heard) {
      const { version } = dataOf(answer, noteAppendedSchema)
      found.push(...(await this.#faultsOf(claim, version)))
    }
    for (const claim of this.unheard) {
      const versions = await orNull(notes.history(claim.noteId))
      const taken = versions?.find(({ recordHash }) => recordHash === claim.recordHash)
      if (!taken) continue
      this.wasTaken(claim)
      found.push(...(await this.#faultsOf(claim, taken.version)))
    }
    const { differences, missing } = await notes.rebuild({ dryRun: true })
    if (differences > 0) found.push(`vault: ${differences} index entries differ, ${missing.length} missing`)
    return found
  }

  async #faultsOf({ noteId, recordHash, body }: NoteClaim, version: number): Promise<string[]> {
    const what = `note ${noteId} version ${version}`
    try {
      const note = await this.#sealer.client.notes.get(noteId, version)
      return note.recordHash === recordHash && note.body === body ? [] : [`${what}: has changed`]
    } catch (error) {
      return [saying(what, error)]
    }
  }
}
