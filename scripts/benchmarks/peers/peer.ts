import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { LoadRequest } from '@svc/platform/callers/send'
import { processorMs } from '../figures/processor-time.ts'

interface Answer {
  readonly id?: number
  readonly value?: unknown
  readonly error?: string
}

/** What a program says a client would send. */
export interface PeerRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: string
}

/** A peer that cannot be run on this machine: it is named and left out. */
export class PeerUnavailable extends Error {
  override name = 'PeerUnavailable'
}

/** A program of a peer, in a process of its own. */
export class Peer {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  #calls = 0

  private constructor(child: ChildProcess) {
    this.#child = child
    child.on('message', ({ id, value, error }: Answer) => {
      const waiting = id === undefined ? undefined : this.#waiting.get(id)
      if (id !== undefined) this.#waiting.delete(id)
      if (error === undefined) waiting?.resolve(value)
      else waiting?.reject(new Error(error))
    })
    child.on('exit', (code) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`the program ended with ${code}`))
    })
  }

  static start(programs: string, name: string): Promise<Peer> {
    const child = fork(join(programs, `${name}.mjs`), {
      cwd: programs,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production' },
    })
    return new Promise((resolve, reject) => {
      child.once('message', () => resolve(new Peer(child)))
      child.once('exit', (code) => reject(new PeerUnavailable(`${name} ended with ${code}`)))
    })
  }

  /** `T` is what the program is known to return. */
  call<T>(name: string, argument: object = {}): Promise<T> {
    this.#calls += 1
    const id = this.#calls
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: (value) => resolve(value as T), reject })
      this.#child.send({ id, name, argument })
    })
  }

  /** Of the program, without the database that it uses. */
  get processorMs(): number {
    return this.#child.pid === undefined ? Number.NaN : processorMs([this.#child.pid])
  }

  stop(): void {
    this.#child.removeAllListeners('exit')
    this.#child.kill('SIGKILL')
  }
}

/** Requests of a program to the port on which it listens. */
export function requestsTo(port: number, requests: readonly PeerRequest[]): LoadRequest[] {
  return requests.map(({ method, path, body }) => ({
    method,
    url: `http://127.0.0.1:${port}${path}`,
    ...(body === undefined ? {} : { body: new TextEncoder().encode(body) }),
  }))
}
