import { join } from 'node:path'
import { exportDatabases } from '@svc/operations/export-databases'
import { folderPlace } from '@svc/operations/export-place'
import { importDatabases } from '@svc/operations/import-databases'
import { newKey } from '@svc/operations/sealed-export'
import { LocalBuckets } from '@svc/platform/state/local-buckets'
import { LocalDatabases } from '@svc/platform/state/local-databases'

/** What an operator keeps outside of the platform: exports of the databases, and copies of the buckets. */
export class Backups {
  readonly #stateDir: string
  readonly #folder: string
  readonly #key: Awaited<ReturnType<typeof newKey>>

  private constructor(stateDir: string, folder: string, key: Awaited<ReturnType<typeof newKey>>) {
    this.#stateDir = stateDir
    this.#folder = folder
    this.#key = key
  }

  static async create(stateDir: string, folder: string): Promise<Backups> {
    return new Backups(stateDir, folder, await newKey())
  }

  /** Returns the name of the export. The platform is stopped. */
  async export(): Promise<string> {
    return this.#withDatabases(async (databases) => {
      const { at } = await exportDatabases({
        deployment: 'local',
        databases,
        recipients: [this.#key.recipient],
        place: this.#exports,
        now: Date.now(),
        print: () => {},
      })
      return at
    })
  }

  async import(from: string, only: readonly string[], lostAt: number, print: (line: string) => void): Promise<void> {
    const isComplete = await this.#withDatabases((databases) =>
      importDatabases({
        deployment: 'local',
        databases,
        place: this.#exports,
        from,
        keyFile: this.#key.file,
        lostAt,
        only,
        replaces: true,
        now: Date.now(),
        print,
      }),
    )
    if (!isComplete) throw new Error('a database was not imported')
  }

  async copyBuckets(): Promise<void> {
    await this.#withBuckets(async (buckets) => {
      for (const name of buckets.names) await buckets.copyTo(name, join(this.#folder, name))
    })
  }

  /** Copies a bucket back, and looks whether anything of the copy is missing. */
  async restoreBucket(name: string): Promise<number> {
    return this.#withBuckets(async (buckets) => {
      const copied = await buckets.copyFrom(name, join(this.#folder, name))
      const left = await buckets.copyFrom(name, join(this.#folder, name))
      if (left > 0) throw new Error(`${left} objects of ${name} were not copied`)
      return copied
    })
  }

  get #exports() {
    return folderPlace(join(this.#folder, 'exports'))
  }

  async #withDatabases<T>(act: (databases: LocalDatabases) => Promise<T>): Promise<T> {
    const databases = await LocalDatabases.open(this.#stateDir)
    try {
      return await act(databases)
    } finally {
      await databases.close()
    }
  }

  async #withBuckets<T>(act: (buckets: LocalBuckets) => Promise<T>): Promise<T> {
    const buckets = await LocalBuckets.open(this.#stateDir)
    try {
      return await act(buckets)
    } finally {
      await buckets.close()
    }
  }
}
