import { type ObjectStorage, Outbox, outboxTable, type TableGroup } from '@svc/objects'
import type { KeyAgreement } from '@svc/protocol/base/key-agreement'
import { statementHash } from '@svc/protocol/base/statement'
import { MAX_ROOT_STATEMENTS } from '@svc/protocol/internal/keys'
import { openedHash, type RotationOpened } from '@svc/protocol/keys/replacement'

export const ROOT_UPDATES: TableGroup = {
  name: 'root_updates',
  steps: [{ name: 'what the key directory has not acknowledged', sql: outboxTable('root_updates') }],
}

/** A rotation or deactivation that took effect. Its statement is stored with the rotation or the identity. */
interface TookEffect {
  readonly kind: 'rotation' | 'deactivation'
  readonly statementHash: string
}
/** A request for a key that was not committed. It may end, and be opened again, before it is delivered. */
interface Opened {
  readonly kind: 'opened'
  readonly statement: RotationOpened
}
/** A key agreement. A newer one may replace it before it is delivered: the log has both. */
interface Agreed {
  readonly kind: 'agreement'
  readonly statement: KeyAgreement
}
export type WaitingUpdate = TookEffect | Opened | Agreed

/** Updates that the key directory has not acknowledged: acts that took effect, requests for uncommitted keys, key agreements. */
export class UpdateOutbox {
  readonly #outbox: Outbox
  readonly #hasDirectory: boolean

  constructor(stored: ObjectStorage, { hasDirectory }: { readonly hasDirectory: boolean }) {
    this.#outbox = new Outbox(stored.tables(ROOT_UPDATES), 'root_updates')
    this.#hasDirectory = hasDirectory
  }

  /** Idempotent: an identity that is deactivated again keeps one row. Without a directory it waits until there is one. */
  add(update: WaitingUpdate, now: number): void {
    const item = 'statement' in update ? JSON.stringify(update.statement) : update.kind
    this.#outbox.add({ id: idOf(update), item }, now)
  }

  /** Returns when the next delivery is due; null if nothing waits or there is no directory. */
  dueAt(): number | null {
    return this.#hasDirectory ? this.#outbox.dueAt() : null
  }

  /** The oldest ones, in order; none before the next delivery is due. */
  due(now: number): WaitingUpdate[] {
    return this.#outbox
      .due(now, MAX_ROOT_STATEMENTS)
      .map(({ id, item }) =>
        item.startsWith('{') ? statedIn(item) : { kind: item as TookEffect['kind'], statementHash: id },
      )
  }

  settle(updates: readonly WaitingUpdate[], isAcknowledged: boolean, now: number): void {
    const delivered = updates.map((update) => ({ id: idOf(update) }))
    this.#outbox.settle(delivered, isAcknowledged, now)
  }
}

function statedIn(item: string): Opened | Agreed {
  const statement = JSON.parse(item) as RotationOpened | KeyAgreement
  return statement.type === 'svc/key-agreement/v1' ? { kind: 'agreement', statement } : { kind: 'opened', statement }
}

/** Returns the hash of the statement, which the directory also uses as its id. */
function idOf(update: WaitingUpdate): string {
  if (update.kind === 'agreement') return statementHash(update.statement)
  return update.kind === 'opened' ? openedHash(update.statement) : update.statementHash
}
