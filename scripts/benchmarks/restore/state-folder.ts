import { cpSync, globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { LocalBuckets } from '@svc/platform/state/local-buckets'

/** What a loss takes away. The names are those of the bindings' resources. */
export type Store =
  | { readonly kind: 'objects'; readonly script: string; readonly className: string }
  | { readonly kind: 'database'; readonly name: DatabaseName }
  /** Without a prefix, everything in the bucket. */
  | { readonly kind: 'bucket'; readonly name: string; readonly prefix?: string }
  | { readonly kind: 'key-value' }

/** Each database is told by a table that no other one has. */
const TELLING_TABLES = {
  'svc-auth': 'opaque_records',
  'svc-control': 'operator_acts',
  'svc-core': 'anchor_publications',
  'svc-did': 'rotations',
  'svc-keys': 'guardian_requests',
  'svc-pay': 'provider_events',
  'svc-provenance': 'text_assets',
} as const
export type DatabaseName = keyof typeof TELLING_TABLES
export const DATABASE_NAMES = Object.keys(TELLING_TABLES) as readonly DatabaseName[]

/** The state folder of a platform that is stopped. */
export class StateFolder {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  copyTo(folder: string): void {
    rmSync(folder, { recursive: true, force: true })
    cpSync(join(this.#path, 'v3'), folder, { recursive: true })
  }

  putBack(folder: string): void {
    rmSync(join(this.#path, 'v3'), { recursive: true, force: true })
    cpSync(folder, join(this.#path, 'v3'), { recursive: true })
  }

  /** Deletes a store. Throws if there was nothing to delete: a loss that takes nothing proves nothing. */
  async lose(store: Store): Promise<void> {
    const lost = store.kind === 'bucket' ? await this.#loseObjects(store) : this.#loseFiles(store)
    if (lost === 0) throw new Error(`nothing to lose of ${JSON.stringify(store)}`)
  }

  /** Puts a store back as it was in a copy. */
  async restore(store: Store, copy: string): Promise<void> {
    await this.lose(store)
    for (const file of this.#filesOf(store, copy, '.')) {
      cpSync(join(copy, file), join(this.#path, 'v3', file), { recursive: true })
    }
  }

  /** What the keys of a bucket begin with, up to their first slash. */
  async prefixesOf(bucket: string): Promise<string[]> {
    const buckets = await LocalBuckets.open(this.#path)
    try {
      const keys = await buckets.keys(bucket)
      return [...new Set(keys.map((key) => key.slice(0, key.indexOf('/') + 1)))].filter((prefix) => prefix !== '')
    } finally {
      await buckets.close()
    }
  }

  #filesOf(store: Store, root: string, base = 'v3'): string[] {
    const at = (pattern: string) => globSync(join(base, pattern), { cwd: root })
    switch (store.kind) {
      case 'objects':
        return at(`do/${store.script}-${store.className}`)
      case 'key-value':
        return at('kv')
      case 'database': {
        const table = TELLING_TABLES[store.name]
        const files = at('d1/*/*.sqlite').filter((file) => hasTable(join(root, file), table))
        return files.flatMap((file) => globSync(`${file}*`, { cwd: root }))
      }
      case 'bucket':
        return []
    }
  }

  #loseFiles(store: Store): number {
    const files = this.#filesOf(store, this.#path)
    for (const file of files) rmSync(join(this.#path, file), { recursive: true })
    return files.length
  }

  async #loseObjects({ name, prefix }: Extract<Store, { kind: 'bucket' }>): Promise<number> {
    const buckets = await LocalBuckets.open(this.#path)
    try {
      return await buckets.delete(name, prefix)
    } finally {
      await buckets.close()
    }
  }
}

function hasTable(file: string, table: string): boolean {
  const database = new DatabaseSync(file)
  try {
    return database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table) !== undefined
  } finally {
    database.close()
  }
}
