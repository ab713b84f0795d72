import { join } from 'node:path'
import type { Miniflare } from 'miniflare'
import { readAllWorkerConfigs } from '../worker-config.ts'
import { SetupError } from '../workspace.ts'
import { type Claim, claimStateDir } from './state-dir.ts'

type D1 = Awaited<ReturnType<Miniflare['getD1Database']>>

/** The D1 databases in the state folder of a platform that is stopped, in the same runtime as the platform has. */
export class LocalDatabases {
  readonly names: readonly string[]
  readonly #miniflare: Miniflare
  readonly #claim: Claim

  private constructor(names: readonly string[], miniflare: Miniflare, claim: Claim) {
    this.names = names
    this.#miniflare = miniflare
    this.#claim = claim
  }

  /** Throws if a platform runs on this folder. */
  static async open(stateDir: string): Promise<LocalDatabases> {
    const claim = await claimStateDir(stateDir)
    const ids = new Map(
      readAllWorkerConfigs().flatMap(({ databases }) => databases.map(({ name, databaseId }) => [name, databaseId])),
    )
    const { convertV4MiniflareOptions, Miniflare } = await import('miniflare')
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        modules: true,
        script: 'export default {}',
        telemetry: { enabled: false },
        resourcePersistencePath: join(stateDir, 'v3'),
        d1Databases: Object.fromEntries(ids),
      }),
    )
    return new LocalDatabases([...ids.keys()].toSorted(), miniflare, claim)
  }

  async close(): Promise<void> {
    await this.#miniflare.dispose()
    this.#claim.release()
  }

  /** What `wrangler d1 export --local` writes. */
  async export(name: string): Promise<string> {
    const database = await this.#database(name)
    const [lines] = await database.prepare('PRAGMA miniflare_d1_export(?,?,?);').bind(0, 0).raw<string[]>()
    return (lines ?? []).join('\n')
  }

  async query(name: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { results } = await (await this.#database(name)).prepare(sql).all()
    return results
  }

  async run(name: string, statements: readonly string[]): Promise<void> {
    const database = await this.#database(name)
    await database.batch(statements.map((sql) => database.prepare(sql))).catch(() => {
      // The reason may quote what users wrote.
      throw new SetupError(`${name} refused the SQL, and is as it was.`)
    })
  }

  #database(name: string): Promise<D1> {
    return this.#miniflare.getD1Database(name)
  }
}
