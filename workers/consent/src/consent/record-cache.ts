import { isFresh, type ReadAnswer } from './read-answer.ts'

/** Ten kilobytes each: ten megabytes of the 128 of an isolate. The oldest makes room. */
const MAX_REMEMBERED = 1_000
/** A write empties this edge's cache, but not the memory of the isolates beside its own: they may be this much behind. */
const MEMORY_MS = 5_000

/**
 * Answers of single reads at this edge: in the Cache API for as long as they may be kept, and the hottest in memory.
 * It may lose everything at any time, and a cache that fails is a cache that is empty.
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

  /** After a write. Another edge keeps what it has until that is too old. */
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

  /** No route is there, so nobody can put anything into it from outside. */
  #keyOf(hash: string): string {
    return `${this.#origin}/.kept/consent/${encodeURIComponent(hash)}`
  }
}
