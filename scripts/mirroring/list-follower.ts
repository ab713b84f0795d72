import type { Realms } from '@svc/protocol/base/realm'
import { type ListKeys, type LogListAnswer, listHash, type SignedLogList } from '@svc/protocol/merkle/log-list'
import { verifyNextList, verifyPinnedList } from '@svc/protocol/merkle/log-list-chain'
import { Contradiction } from './contradiction.ts'
import type { MirrorStore } from './mirror-store.ts'

/** Asks a service for its newest list, and those after a version. */
export type ReadLists = (since: number) => Promise<LogListAnswer>

/**
 * Follows the signed lists of logs from the first version, so that the mirror can lead any client from the list that it
 * knows to the newest. Each service that keeps a log serves the same lists.
 */
export class ListFollower {
  readonly #store: MirrorStore
  readonly #realms: Realms
  /** Null: those of the first list that the mirror saw. */
  readonly #listKeys: ListKeys | null

  constructor(store: MirrorStore, realms: Realms, listKeys: ListKeys | null) {
    this.#store = store
    this.#realms = realms
    this.#listKeys = listKeys
  }

  /** The newest list, after what `source` shows was verified and stored. */
  async follow(source: string, read: ReadLists): Promise<SignedLogList> {
    const known = this.#store.newestList()
    const shown = await this.#shown(read, known)
    const newest = shown.at(-1)
    if (!newest) throw new Error('The service has no list of logs')
    await this.#refuseOlder(source, newest, known)
    const added = shown.filter(({ statement }) => statement.version > (known?.statement.version ?? 0))
    await this.#verify(known, added)
    this.#store.putLists(added)
    this.#store.setFact(`list ${source}`, newest.statement.version)
    return added.at(-1) ?? known ?? newest
  }

  /** The lists after the known one, or all of them, and at least the newest. */
  async #shown(read: ReadLists, known: SignedLogList | null): Promise<SignedLogList[]> {
    const lists: SignedLogList[] = []
    for (let since = known?.statement.version ?? 0; ; ) {
      const { list, earlier } = await read(since)
      lists.push(...earlier)
      const last = lists.at(-1)?.statement.version ?? since
      if (list.statement.version <= last + 1 || earlier.length === 0) return [...lists, list]
      since = last
    }
  }

  async #refuseOlder(source: string, newest: SignedLogList, known: SignedLogList | null): Promise<void> {
    const { version } = newest.statement
    if (known && version <= known.statement.version) {
      const same = this.#store.list(version)
      if (!same || listHash(same) !== listHash(newest)) throw new Contradiction('fork', { known: same, shown: newest })
    }
    const seen = Number(this.#store.fact(`list ${source}`) ?? 0)
    if (version < seen) throw new Contradiction('list_rolled_back', { known: this.#store.list(seen), shown: newest })
  }

  async #verify(known: SignedLogList | null, added: readonly SignedLogList[]): Promise<void> {
    let last = known
    for (const next of added) {
      const followed = last ? await verifyNextList(last, next, this.#realms) : await this.#verifyFirst(next, added)
      if (!followed.ok) throw new Contradiction(followed.error.reason, { known: last, shown: next })
      last = next
    }
  }

  /** Version 1 by its own keys; with given keys, one of the lists must be theirs, and the chain of hashes binds the others. */
  async #verifyFirst(first: SignedLogList, all: readonly SignedLogList[]) {
    // Old lists are valid history: they are looked at as of their own time.
    const asOfThen = (list: SignedLogList, keys: ListKeys) =>
      verifyPinnedList(list, keys, this.#realms, list.statement.validUntil)
    for (const list of this.#listKeys ? all : []) {
      const isPinned = this.#listKeys && (await asOfThen(list, this.#listKeys)).ok
      if (isPinned) return asOfThen(first, first.statement.keys)
    }
    return asOfThen(first, this.#listKeys ?? first.statement.keys)
  }
}
