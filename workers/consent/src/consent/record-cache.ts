import { isFresh, type ReadAnswer } from './read-answer.ts'

/** 10 kB each, so at most 10 of the 128 MB of an isolate. The oldest entry is evicted. */
const MAX_REMEMBERED = 1_000
/** A write clears this edge's cache, but not the memory of other isolates: they may be this far behind. */
const MEMORY_MS = 5_000

/**
 * Answers of single reads at this edge: in the Cache API while they are fresh, and the most requested in memory. Entries
 * may disappear at any time, and a failing cache counts as empty.
 */
export class RecordCache {
  readonly #cache: Pick<Cache, 'match' | 'put' | 'delete'>
  readonly #origin: string
  readonly #memory = new Map<string, { readonly answer: ReadAnswer; readonly until: number }>()

  constructor(cache: Pick<Cache, 'match' | 'put' | 'delete'>, origin: string) {
    this.#cache = cache
    this.#origin = origin
  }

  async find(hash: string, now: number): Promise<ReadAnswer | null> {
    const remembered = this.#memory.get(hash)
    if (remembered && now < remembered.until && isFresh(remembered.answer, now)) return remembered.answer
    this.#memory.delete(hash)
    const kept = await this.#cache.match(this.#keyOf(hash)).catch(() => undefined)
    const answer = kept && (await kept.json<ReadAnswer>().catch(() => null))
    if (!answer || !isFresh(answer, now)) return null
    this.#remember(hash, answer, now)
    return answer
  }

  async keep(hash: string, answer: ReadAnswer, now: number): Promise<void> {
    this.#remember(hash, answer, now)
    const headers = { 'cache-control': `max-age=${answer.maxAgeSeconds}` }
    await this.#cache.put(this.#keyOf(hash), Response.json(answer, { headers })).catch(() => {})
  }

  /** After a write. Other edges keep their copy until it expires. */
  async drop(hash: string): Promise<void> {
    this.#memory.delete(hash)
    await this.#cache.delete(this.#keyOf(hash)).catch(() => false)
  }

  #remember(hash: string, answer: ReadAnswer, now: number): void {
    this.#memory.delete(hash)
    const [oldest] = this.#memory.size < MAX_REMEMBERED ? [] : this.#memory.keys()
    if (oldest !== undefined) this.#memory.delete(oldest)
    this.#memory.set(hash, { answer, until: now + MEMORY_MS })
  }

  /** No route exists there, so nobody can put anything into it from outside. */
  #keyOf(hash: string): string {
    return `${this.#origin}/.kept/consent/${encodeURIComponent(hash)}`
  }
}
