import { useEffect, useMemo } from 'preact/hooks'
import { ownScript } from '../shell/scripts.ts'
// oxlint-disable-next-line import/default -- Vite exports the address of the worker that it bundles
import workerPath from './public-worker.ts?worker&url'
import type { Answered, Answers, Question } from './questions.ts'

/** What the services show to everybody, read and verified by a worker. */
export class PublicReader {
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

  ask<Of extends keyof Answers>(question: Question<Of>): Promise<Answers[Of]> {
    this.#asked += 1
    const id = this.#asked
    const waiting = Promise.withResolvers<unknown>()
    this.#waiting.set(id, waiting)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin to name
    this.#worker.postMessage({ id, core: this.#core, question })
    return waiting.promise as Promise<Answers[Of]>
  }

  end(): void {
    this.#worker.terminate()
  }
}

/** A reader for as long as the page is shown. */
export function usePublicReader(core: string): PublicReader {
  const reader = useMemo(() => new PublicReader(core), [core])
  useEffect(() => () => reader.end(), [reader])
  return reader
}
