import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { WitnessKeys } from './keys.ts'
import { type FollowedDirectory, LogFollower } from './log-follower.ts'
import { Witness, type WitnessedLog } from './witness.ts'
import { witnessServer } from './witness-server.ts'
import { WitnessStore } from './witness-store.ts'

export type { FollowedDirectory } from './log-follower.ts'
export type { WitnessedLog } from './witness.ts'

export interface WitnessOptions {
  readonly keys: WitnessKeys
  readonly state: string
  readonly host: string
  /** 0 for any free one. */
  readonly port: number
  readonly logs: readonly WitnessedLog[]
  /** One line for each thing to know. */
  readonly onLine: (line: string) => void
  readonly now?: () => number
}

/** A witness that serves and follows until it is stopped. */
export class RunningWitness {
  readonly url: string
  readonly verifierKeys: readonly string[]
  readonly #server: Server
  readonly #store: WitnessStore
  readonly #options: WitnessOptions
  readonly #stopping = new AbortController()
  #following: Promise<void> = Promise.resolve()

  private constructor(
    url: string,
    verifierKeys: readonly string[],
    server: Server,
    store: WitnessStore,
    options: WitnessOptions,
  ) {
    this.url = url
    this.verifierKeys = verifierKeys
    this.#server = server
    this.#store = store
    this.#options = options
  }

  static async start(options: WitnessOptions): Promise<RunningWitness> {
    const { keys, logs, host, port, onLine, now = Date.now } = options
    const store = new WitnessStore(options.state)
    const witness = new Witness({
      store,
      cosigners: keys.cosigners,
      logs,
      now,
      onEvidence: ({ origin, isFork }) =>
        onLine(
          isFork
            ? `${origin}: signed two different trees of one size. Run this with --evidence.`
            : `${origin}: sent a checkpoint without a valid proof. It was not cosigned.`,
        ),
    })
    const verifierKeys = keys.cosigners.map(({ verifierKey }) => verifierKey)
    const origins = logs.map(({ origin }) => origin)
    const server = witnessServer(witness, { name: keys.name, verifierKeys, publicKeyB64u: keys.publicKeyB64u, origins })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, host, resolve)
    })
    const { port: opened } = server.address() as AddressInfo
    return new RunningWitness(`http://${host}:${opened}`, verifierKeys, server, store, options)
  }

  /** Also follows the log of a key directory, and cosigns it. */
  follow(directory: FollowedDirectory, everySeconds: number): void {
    const { keys, onLine, now = Date.now } = this.#options
    const follower = new LogFollower(directory, this.#store, keys.seed)
    this.#following = this.#follow(follower, everySeconds, onLine, now)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
    })
    await this.#following
    this.#store.close()
  }

  async #follow(follower: LogFollower, everySeconds: number, onLine: (line: string) => void, now: () => number) {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const visit = await follower.visit(now())
      if (visit.outcome === 'cosigned') onLine(`${visit.log}: cosigned ${visit.size} leaves`)
      if (visit.outcome === 'unreachable') onLine(`the key directory could not be followed: ${visit.reason}`)
      if (visit.outcome === 'false') {
        onLine(
          `the key directory failed verification: ${visit.reason}. It gets no cosignatures. Run this with --evidence.`,
        )
        return
      }
      await setTimeout(everySeconds * 1000, undefined, { signal }).catch(() => {})
    }
  }
}
