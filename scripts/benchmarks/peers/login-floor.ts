import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoadRequest } from '@svc/platform/callers/send'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { sendAll } from '../figures/load.ts'
import { processorMs, runtimePids } from '../figures/processor-time.ts'
import { runtimeWorker } from '../figures/runtime-worker.ts'

/** As long as the answers of the two requests of a login. */
const [OPTIONS_BYTES, SESSION_BYTES] = [1_150, 240] as const

/** What a login with a passkey cannot do without, in a runtime of its own. */
export class LoginFloor {
  readonly #miniflare: Miniflare
  readonly #storage: string
  readonly #href: string
  readonly #pids: readonly number[]

  private constructor(miniflare: Miniflare, storage: string, href: string, pids: readonly number[]) {
    this.#miniflare = miniflare
    this.#storage = storage
    this.#href = href
    this.#pids = pids
  }

  static async start(): Promise<LoginFloor> {
    const storage = mkdtempSync(join(tmpdir(), 'login-floor-'))
    const others = new Set(runtimePids())
    const options = convertV4MiniflareOptions({
      cf: false,
      resourcePersistencePath: storage,
      workers: [
        {
          name: 'floor',
          unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
          ...(await runtimeWorker('benchmarks/runtime/login-floor-worker.ts', 'auth')),
          durableObjects: { SPENT: { className: 'Spent', useSQLite: true } },
          d1Databases: { DB: 'floor' },
        },
      ],
    })
    const miniflare = new Miniflare(options)
    const { href } = await miniflare.unsafeGetDirectURL('floor')
    const floor = new LoginFloor(
      miniflare,
      storage,
      href,
      runtimePids().filter((pid) => !others.has(pid)),
    )
    await sendAll([floor.#request('tables', 0, 0)], 1, 200)
    return floor
  }

  /** Milliseconds of processor time for each of so many logins. */
  async processorMs(logins: number, concurrency: number): Promise<number> {
    const before = processorMs(this.#pids)
    const turns = Array.from({ length: logins }, (_, turn) => turn)
    await sendAll(
      turns.map((turn) => this.#request('options', OPTIONS_BYTES, turn)),
      concurrency,
      200,
    )
    await sendAll(
      turns.map((turn) => this.#request('verify', SESSION_BYTES, turn)),
      concurrency,
      200,
    )
    return (processorMs(this.#pids) - before) / logins
  }

  async stop(): Promise<void> {
    await this.#miniflare.dispose()
    rmSync(this.#storage, { recursive: true, force: true })
  }

  #request(path: string, bytes: number, turn: number): LoadRequest {
    const query = new URLSearchParams({ bytes: String(bytes), id: `passkey-${turn % 24}` }).toString()
    return {
      method: 'POST',
      url: `${this.#href}${path}?${query}`,
      body: new Uint8Array(path === 'verify' ? 1_700 : 20),
    }
  }
}
