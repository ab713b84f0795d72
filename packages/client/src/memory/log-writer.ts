import { ServiceError } from '../transport/service-error.ts'
import { type LogName, type Piece, type Place, UnprovedError } from './errors.ts'
import type { KnownLogs } from './known-logs.ts'
import type { RememberedLog } from './remembered-log.ts'

/** How often an entry is rebuilt on a moved head before the writer gives up. */
const MAX_REBASES = 8
/** Refusals that say nothing about the entry itself. */
const TRANSIENT: ReadonlySet<number> = /* @__PURE__ */ new Set([401, 408, 429])

export type Submitted<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly error: ServiceError; readonly head: Place | null }

/** How one kind of log takes entries. `S` is what is sent, `A` what is answered. */
export interface LogWriterParts<S, E, A> {
  readonly memory: KnownLogs
  readonly log: () => { readonly name: LogName; readonly remembered: RememberedLog<E> }
  readonly pieceOf: (sent: S) => Piece<E>
  /** Reads the head from the service. */
  readonly head: () => Promise<Place>
  readonly send: (sent: S) => Promise<A>
  /** What a refusal says: the entry is there already, or the head has moved. */
  readonly isThere: (error: ServiceError, sent: S) => A | null
  readonly movedTo: (error: ServiceError) => Place | null
  /** Whether this client's key signed something that is kept. */
  readonly isOurs: (sent: S) => boolean
  /** Never signs another entry for a place, whatever the service says about the first one. */
  readonly keepsRefused: boolean
}

export interface Draft<S> {
  readonly make: (head: Place) => Promise<S>
  /** Whether something that was signed earlier is the same wish. */
  readonly isSame: (earlier: S) => boolean
  /** The head, if the caller knows it. */
  readonly head?: Place | undefined
}

/**
 * Signs entries on the head of a log, one at a time, for a service that may lie about the head. An entry is signed only
 * on a head that extends everything remembered, and is kept until the service has shown it or another one in its place.
 * Until then it is sent again before anything else is signed: a service that loses answers on purpose never gets two
 * entries for one place.
 */
export class LogWriter<S, E, A> {
  readonly #parts: LogWriterParts<S, E, A>

  constructor(parts: LogWriterParts<S, E, A>) {
    this.#parts = parts
  }

  append(draft: Draft<S>): Promise<{ readonly sent: S; readonly answer: A }> {
    const { memory, log } = this.#parts
    return memory.writing(log().name, () => this.#append(draft))
  }

  async #append({ make, isSame, head: known }: Draft<S>) {
    const earlier = await this.#sendPending()
    if (earlier && isSame(earlier.sent)) return earlier
    let head = await this.#startingHead(known)
    for (let attempt = 0; ; attempt++) {
      const sent = await make(head)
      await this.#hold(sent)
      const outcome = await this.#submit(sent)
      if (outcome.ok) return { sent, answer: outcome.value }
      if (attempt === MAX_REBASES || outcome.head === null) throw outcome.error
      head = outcome.head
    }
  }

  /** Sends again what has no answer yet, and returns it if it is in the log now. */
  async #sendPending() {
    const { memory, log, isOurs } = this.#parts
    const sent = (await memory.pending(log().name)) as S | null
    if (sent === null) return null
    if (!isOurs(sent)) {
      await this.#hold(null)
      return null
    }
    const outcome = await this.#submit(sent)
    if (outcome.ok) return { sent, answer: outcome.value }
    if (outcome.head === null && (await memory.pending(log().name)) !== null) throw outcome.error
    return null
  }

  /** Sends an entry, and settles whether it still waits. */
  async #submit(sent: S): Promise<Submitted<A>> {
    const { send, isThere, movedTo, keepsRefused } = this.#parts
    try {
      return await this.#accepted(sent, await send(sent))
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const there = isThere(error, sent)
      if (there !== null) return this.#accepted(sent, there)
      const claimed = movedTo(error)
      if (claimed) return { ok: false, error, head: await this.#moved(sent, claimed) }
      // A statement that has expired can never be sent again.
      const isFinal = error.status < 500 && (!TRANSIENT.has(error.status) || error.error === 'statement_expired')
      if (isFinal && !keepsRefused) await this.#hold(null)
      return { ok: false, error, head: null }
    }
  }

  async #accepted(sent: S, value: A): Promise<Submitted<A>> {
    const { log, pieceOf } = this.#parts
    await log().remembered.appended(pieceOf(sent))
    await this.#hold(null)
    return { ok: true, value }
  }

  /** The head after another entry took the place of this one. Any other head must not cause a second signature. */
  async #moved(sent: S, claimed: Place): Promise<Place> {
    const { log, pieceOf } = this.#parts
    const { name, remembered } = log()
    const head = await remembered.follow(claimed)
    const ours = pieceOf(sent)
    const isTaken = head.position >= ours.position && head.hash !== ours.hash
    if (!isTaken) throw new UnprovedError({ log: name, remembered: ours, received: head })
    await this.#hold(null)
    return head
  }

  /** A head that the caller knows may be older than what this client appended since. */
  async #startingHead(known: Place | undefined): Promise<Place> {
    const { log, head } = this.#parts
    const { remembered } = log()
    if (!known) return head()
    const newest = await remembered.newest()
    return newest && known.position < newest.position ? newest : remembered.follow(known)
  }

  #hold(sent: S | null): Promise<void> {
    const { memory, log } = this.#parts
    return memory.hold(log().name, sent)
  }
}
