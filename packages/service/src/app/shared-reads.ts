/** A read that takes longer was lost with the request that made it. */
const LOST_MS = 5_000

type Background = (work: Promise<unknown>) => void

interface Line {
  /** Settles, and never rejects, when the running read ends. */
  readonly running: Promise<unknown>
  /** What everybody who has come since shares. */
  next: { readonly answer: Promise<unknown>; readonly since: number } | null
}

/**
 * Reads that an isolate makes once for all who ask at the same moment, so that readers of one object cannot starve its
 * owner. For each key one read runs, and those who ask meanwhile share the next one. Nobody joins a read that has begun:
 * each answer is younger than its question, so a caller whose write was acknowledged reads it.
 *
 * A read is made in the context of the first request that waits for it, and kept in the background: it goes on if that
 * request is cancelled. If it is lost all the same, those who share it fail after some seconds.
 */
export class SharedReads {
  readonly #lines = new Map<string, Line>()

  /** One key always reads the same. Answers are shared, so nobody may change them. */
  async ask<T>(key: string, read: () => Promise<T>, background: Background): Promise<T> {
    const line = this.#lines.get(key)
    const next = line?.next
    if (!line || (next && Date.now() - next.since > 2 * LOST_MS)) return this.#run(key, read, background)
    if (next) return within(2 * LOST_MS, next.answer as Promise<T>)
    const answer = settled(line.running).then(() => this.#run(key, read, background))
    line.next = { answer, since: Date.now() }
    background(answer.catch(() => {}))
    return answer
  }

  #run<T>(key: string, read: () => Promise<T>, background: Background): Promise<T> {
    const answer = read()
    const line: Line = { running: answer.catch(() => {}), next: null }
    background(line.running)
    this.#lines.set(key, line)
    void line.running.then(() => {
      if (this.#lines.get(key) === line && !line.next) this.#lines.delete(key)
    })
    return answer
  }
}

/** Waits for a read of another request, which may be lost. */
async function settled(running: Promise<unknown>): Promise<void> {
  await within(LOST_MS, running).catch(() => {})
}

/** The timer is the waiting request's own: without one, the runtime takes it for a request that hangs. */
async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | null = null
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('a shared read was lost')), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
