/** A read that takes longer was lost with the request that made it. */
const LOST_MS = 5_000
/** How often a request looks whether what it waits for has happened. */
const LOOK_MS = 5

type Background = (work: Promise<unknown>) => void

/** One read for all who share it: waiting for its turn, running, or over. */
interface Turn {
  /** When it was asked for, and then when it began. */
  since: number
  outcome: { readonly answer: unknown } | { readonly fault: unknown } | null
  /** What everybody shares who has come since it began. */
  next: Turn | null
}

/**
 * Reads that an isolate makes once for all who ask at the same moment, so that readers of one object cannot starve its
 * owner. For each key one read runs, and those who ask meanwhile share the next one. Nobody joins a read that has begun:
 * each answer is younger than its question, so a caller whose write was acknowledged reads it.
 *
 * Requests share values and never promises: what follows the promise of another request may run as that request, which
 * the runtime forbids. A read is made by the first request that waits for it and kept in the background, so it goes on
 * if that request is cancelled. If it is lost all the same, those who share it fail after some seconds.
 */
export class SharedReads {
  readonly #running = new Map<string, Turn>()

  /** One key always reads the same. Answers are shared, so nobody may change them. */
  async ask<T>(key: string, read: () => Promise<T>, background: Background): Promise<T> {
    const running = this.#running.get(key)
    const next = running?.next
    const isLost = next && Date.now() - next.since > 2 * LOST_MS
    if (!running || isLost) return this.#run(key, newTurn(), read, background)
    if (next) return joined<T>(next)
    const mine = newTurn()
    running.next = mine
    const answer = over(running, LOST_MS).then(() => this.#run(key, mine, read, background))
    background(answer.catch(() => {}))
    return answer
  }

  #run<T>(key: string, turn: Turn, read: () => Promise<T>, background: Background): Promise<T> {
    turn.since = Date.now()
    this.#running.set(key, turn)
    const answer = read()
    const settled = answer.then(
      (value) => {
        turn.outcome = { answer: value }
      },
      (fault: unknown) => {
        turn.outcome = { fault }
      },
    )
    background(
      settled.then(() => {
        if (this.#running.get(key) === turn && !turn.next) this.#running.delete(key)
      }),
    )
    return answer
  }
}

function newTurn(): Turn {
  return { since: Date.now(), outcome: null, next: null }
}

/** The outcome of a read that another request makes. */
async function joined<T>(turn: Turn): Promise<T> {
  await over(turn, 2 * LOST_MS)
  const { outcome } = turn
  if (!outcome) throw new Error('a shared read was lost')
  if ('fault' in outcome) throw outcome.fault
  return outcome.answer as T
}

/** Waits for the outcome of a turn, or for as long as it may take. */
async function over(turn: Turn, milliseconds: number): Promise<void> {
  for (let waited = 0; !turn.outcome && waited < milliseconds; waited += LOOK_MS) {
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK_MS)
    })
  }
}
