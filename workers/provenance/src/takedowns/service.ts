import { err, ok, type Result } from '@svc/protocol/base/result'
import { decodeCursor, encodeCursor } from '@svc/protocol/merkle/cursor'
import type { TakedownPage, TakedownReason, TakedownStatement } from '@svc/protocol/operator/takedown'
import type { TakedownStore } from './store.ts'

export type TakedownRefusal = { readonly reason: 'not_found' }

const LIST = 'takedowns'
const PAGE = 100

/** Takes assets down, and lists what was taken down. */
export class TakedownService {
  readonly #store: TakedownStore

  constructor(store: TakedownStore) {
    this.#store = store
  }

  /** Idempotent: after a crash between the two steps, the act sent again deletes what is left. */
  async takeDown(
    statement: TakedownStatement,
    operator: string,
    now: number,
  ): Promise<Result<object, TakedownRefusal>> {
    if (!(await this.#store.record(statement, operator, now))) return err({ reason: 'not_found' })
    await this.#store.deleteBlobs(statement.subject.id)
    return ok({})
  }

  /** Why an asset was taken down; null if it was not. */
  reasonFor(assetId: string): Promise<TakedownReason | null> {
    return this.#store.reasonFor(assetId)
  }

  /** Null for a cursor of another list. */
  async page(cursor: string | undefined): Promise<TakedownPage | null> {
    const after = cursor === undefined ? 0 : decodeCursor(LIST, cursor)
    if (typeof after !== 'number') return null
    const found = await this.#store.page(after, PAGE + 1)
    const mine = found.slice(0, PAGE)
    const last = found.length > PAGE ? mine.at(-1) : undefined
    return {
      takedowns: mine.map(({ record }) => record),
      cursor: last ? encodeCursor(LIST, last.seq) : null,
    }
  }
}
