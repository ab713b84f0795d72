import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { anchorLogs, directoryLogs, type FollowedLogs, type FollowedService } from './followed-logs.ts'
import type { WitnessKeys } from './keys.ts'
import { LogFollower } from './log-follower.ts'
import { Witness, type WitnessedLog } from './witness.ts'
import { witnessServer } from './witness-server.ts'
import { WitnessStore } from './witness-store.ts'

export type { WitnessedLog } from './witness.ts'

/** Core keeps each cosignature of a log of anchors for good. */
const ANCHORS_SECONDS = 60

export interface FollowedDeployment extends Omit<FollowedService, 'seed'> {
  /** Base URLs of the key directory and of core. Each is optional. */
  readonly keys?: string | undefined
  readonly core?: string | undefined
}

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
  readonly #following: Promise<void>[] = []

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

  /** Also follows and cosigns the logs of a deployment; those of anchors at most once a minute. */
  follow({ keys, core, ...service }: FollowedDeployment, everySeconds: number): void {
    const followed = { ...service, seed: this.#options.keys.seed }
    if (keys !== undefined) this.#following.push(this.#follow(directoryLogs(keys, followed), everySeconds))
    if (core !== undefined)
      this.#following.push(this.#follow(anchorLogs(core, followed), Math.max(everySeconds, ANCHORS_SECONDS)))
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
    })
    await Promise.all(this.#following)
    this.#store.close()
  }

  async #follow<R>(logs: FollowedLogs<R>, everySeconds: number): Promise<void> {
    const { onLine, now = Date.now } = this.#options
    const { signal } = this.#stopping
    const follower = new LogFollower(logs, this.#store)
    while (!signal.aborted) {
      const visit = await follower.visit(now())
      if (visit.outcome === 'followed')
        for (const { log, size } of visit.cosigned) onLine(`${log}: cosigned ${size} leaves`)
      if (visit.outcome === 'unreachable') onLine(`${logs.title} could not be followed: ${visit.reason}`)
      if (visit.outcome === 'false') {
        onLine(`${logs.title} failed verification: ${visit.reason}. It gets no cosignatures. Run this with --evidence.`)
        return
      }
      await setTimeout(everySeconds * 1000, undefined, { signal }).catch(() => {})
    }
  }
}
