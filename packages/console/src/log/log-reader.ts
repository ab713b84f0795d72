import { ownScript } from '../shell/scripts.ts'
// oxlint-disable-next-line import/default -- Vite exports the address of the worker that it bundles
import workerPath from './log-worker.ts?worker&url'
import type { Newest } from './newest.ts'
import type { Answered, LogList, Question } from './questions.ts'
import type { Checkpoint, Series } from './visits.ts'

/** The logs of a deployment, read and verified by a worker. */
export class LogReader {
  readonly #core: string
  readonly #worker = new Worker(ownScript(workerPath), { type: 'module' })
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #asked = 0

  constructor(core: string) {
    this.#core = core
    this.#worker.addEventListener('message', ({ data }: MessageEvent<Answered>) => {
      const waiting = this.#waiting.get(data.id)
      this.#waiting.delete(data.id)
      if (data.ok) waiting?.resolve(data.value)
      else waiting?.reject(Object.assign(new Error(), data.fault))
    })
    // Its file did not arrive.
    this.#worker.addEventListener('error', () => {
      const error = Object.assign(new Error('The worker could not be loaded'), { name: 'ConnectionError' })
      for (const waiting of this.#waiting.values()) waiting.reject(error)
      this.#waiting.clear()
    })
  }

  newest(series: Series, earlier: Checkpoint | null): Promise<Newest> {
    return this.#ask({ of: 'newest', series, earlier }) as Promise<Newest>
  }

  list(): Promise<LogList> {
    return this.#ask({ of: 'list' }) as Promise<LogList>
  }

  end(): void {
    this.#worker.terminate()
  }

  #ask(question: Question): Promise<unknown> {
    this.#asked += 1
    const id = this.#asked
    const waiting = Promise.withResolvers<unknown>()
    this.#waiting.set(id, waiting)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin to name
    this.#worker.postMessage({ id, core: this.#core, question })
    return waiting.promise
  }
}
