import { cpSync, globSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** What a loss takes away. The names are those of the bindings' resources. */
export type Store =
  | { readonly kind: 'objects'; readonly script: string; readonly className: string }
  /** Told by a table that no other database has. */
  | { readonly kind: 'database'; readonly table: string }
  | { readonly kind: 'prefix'; readonly prefix: string }
  | { readonly kind: 'key-value' }

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
  lose(store: Store): void {
    const lost = store.kind === 'prefix' ? this.#losePrefix(store.prefix) : this.#loseFiles(store)
    if (lost === 0) throw new Error(`nothing to lose of ${JSON.stringify(store)}`)
  }

  /** Puts a store back as it was in a copy. */
  restore(store: Store, copy: string): void {
    this.lose(store)
    for (const file of this.#filesOf(store, copy, '.')) {
      cpSync(join(copy, file), join(this.#path, 'v3', file), { recursive: true })
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
        const files = at('d1/*/*.sqlite').filter((file) => hasTable(join(root, file), store.table))
        return files.flatMap((file) => globSync(`${file}*`, { cwd: root }))
      }
      case 'prefix':
        return []
    }
  }

  #loseFiles(store: Store): number {
    const files = this.#filesOf(store, this.#path)
    for (const file of files) rmSync(join(this.#path, file), { recursive: true })
    return files.length
  }

  #losePrefix(prefix: string): number {
    let lost = 0
    for (const file of globSync('v3/r2/*/*.sqlite', { cwd: this.#path })) {
      const path = join(this.#path, file)
      if (basename(path) === 'metadata.sqlite' || !hasTable(path, '_mf_objects')) continue
      const database = new DatabaseSync(path)
      lost += Number(database.prepare('DELETE FROM _mf_objects WHERE key GLOB ?').run(`${prefix}*`).changes)
      database.close()
    }
    return lost
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
