import type { Client } from '@svc/client'

/** As long as the consent service lets others keep a record, and a miss. */
const RECORD_MS = 300_000
const MISS_MS = 60_000
/** So that a service that does not answer slows down one request in five seconds, and not every one. */
const FAILURE_MS = 5_000
/** About 5 MB. */
const MAX_REMEMBERED = 10_000

export type Projections = Extract<Awaited<ReturnType<Client['consent']['read']>>, { found: true }>['projections']

export type Looked =
  | { readonly kind: 'declared'; readonly projections: Projections }
  /** Nobody declared anything, or somebody whose word does not count here. */
  | { readonly kind: 'undeclared' }
  /** The service did not answer, or what it answered does not verify. */
  | { readonly kind: 'unknown'; readonly cause: unknown }

interface Remembered {
  readonly looked: Promise<Looked>
  /** Infinite until the answer is there, so that requests at the same time share one lookup. */
  until: number
}

/** What is declared for an identifier, remembered for as long as the service documents. */
export class ConsentLookup {
  readonly #client: Client
  readonly #creators: ReadonlySet<string>
  readonly #now: () => number
  readonly #remembered = new Map<string, Remembered>()

  /** Declarations of identities other than `creators` count as none: anyone can be the first to declare for an identifier. */
  constructor(client: Client, creators: Iterable<string>, now: () => number) {
    this.#client = client
    this.#creators = new Set(creators)
    this.#now = now
  }

  async find(identifier: string): Promise<Looked> {
    const known = this.#remembered.get(identifier)
    if (known && known.until > this.#now()) return known.looked
    const remembered: Remembered = { looked: this.#look(identifier), until: Number.POSITIVE_INFINITY }
    this.#remembered.delete(identifier)
    this.#remembered.set(identifier, remembered)
    const [oldest] = this.#remembered.keys()
    if (oldest !== undefined && this.#remembered.size > MAX_REMEMBERED) this.#remembered.delete(oldest)
    const looked = await remembered.looked
    remembered.until = this.#now() + lifetimeOf(looked)
    return looked
  }

  async #look(identifier: string): Promise<Looked> {
    try {
      // Verifies the signature, and that the key is the creator's.
      const record = await this.#client.consent.read(identifier)
      const counts = record.found && record.creator_did !== null && this.#creators.has(record.creator_did)
      return counts ? { kind: 'declared', projections: record.projections } : { kind: 'undeclared' }
    } catch (cause) {
      return { kind: 'unknown', cause }
    }
  }
}

function lifetimeOf({ kind }: Looked): number {
  switch (kind) {
    case 'declared':
      return RECORD_MS
    case 'undeclared':
      return MISS_MS
    case 'unknown':
      return FAILURE_MS
  }
}
