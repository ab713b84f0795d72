import { reaching } from '@svc/protocol/base/dependency-fault'
import { decodeCursor, encodeCursor } from '@svc/protocol/merkle/cursor'
import {
  type OperatorTakedownPage,
  operatorTakedownPageSchema,
  type SignedTakedownRead,
  signedTakedownReadOf,
} from '@svc/protocol/operator/reads'
import {
  type TakedownPage,
  type TakedownReason,
  type TakedownRecord,
  type TakedownServiceName,
  type TakedownSubject,
  takedownPageSchema,
  takedownQuerySchema,
} from '@svc/protocol/operator/takedown'
import { ApiError } from '../answer/api-error.ts'
import { defineOperation, type Route, route } from '../app/operation.ts'
import type { OperatorActs } from './acts.ts'
import { operatorReadRoute } from './route.ts'
import type { OperatorStore } from './store.ts'

interface Row {
  seq: number
  kind: TakedownSubject['kind']
  subject_id: string
  reason: TakedownReason
  operator: string
  nonce: string
  taken_down_at: number
}

const LIST = 'takedowns'
const PAGE = 100

/** The table `takedowns` of a Worker, which its performer of operator acts writes. */
export class TakedownList {
  readonly #db: D1Database
  readonly #acts: OperatorStore

  constructor(db: D1Database, acts: OperatorStore) {
    this.#db = db
    this.#acts = acts
  }

  /** Why one of these was taken down; null if none was. */
  async reasonFor(...ids: readonly string[]): Promise<TakedownReason | null> {
    const select = this.#db
      .prepare('SELECT reason FROM takedowns WHERE subject_id IN (SELECT value FROM json_each(?)) LIMIT 1')
      .bind(JSON.stringify(ids))
    return reaching('takedowns', () => select.first<TakedownReason>('reason'))
  }

  /** In the order in which they were recorded; null for a cursor of another list. */
  async page(cursor: string | undefined): Promise<TakedownPage | null> {
    const after = cursor === undefined ? 0 : decodeCursor(LIST, cursor)
    if (typeof after !== 'number') return null
    const { rows, next } = await this.#rows(after)
    return { takedowns: rows.map(recordOf), cursor: next === null ? null : encodeCursor(LIST, next) }
  }

  /** The same with the state of each act. */
  async operatorPage(after: number): Promise<Pick<OperatorTakedownPage, 'takedowns' | 'next'>> {
    const { rows, next } = await this.#rows(after)
    const done = await this.#acts.doneAt(rows.map(({ nonce }) => nonce))
    return { takedowns: rows.map((row) => ({ ...recordOf(row), doneAt: done.get(row.nonce) ?? null })), next }
  }

  async #rows(after: number): Promise<{ readonly rows: readonly Row[]; readonly next: number | null }> {
    const select = this.#db
      .prepare(
        `SELECT seq, kind, subject_id, reason, operator, nonce, taken_down_at FROM takedowns
         WHERE seq > ? ORDER BY seq LIMIT ?`,
      )
      .bind(after, PAGE + 1)
    const { results } = await reaching('takedowns', () => select.all<Row>())
    const rows = results.slice(0, PAGE)
    return { rows, next: results.length > PAGE ? (rows.at(-1)?.seq ?? null) : null }
  }
}

function recordOf({ kind, subject_id: id, taken_down_at: takenDownAt, reason, operator, nonce }: Row): TakedownRecord {
  return { subject: { kind, id }, reason, takenDownAt, operator, nonce }
}

/** The refusal of what was taken down. */
export function takenDown(reason: TakedownReason): ApiError {
  return new ApiError('taken_down', { details: { reason } })
}

/** `POST /api/operator/takedowns`, the same on each of them: a signed read. */
export function takedownReadRoute(service: TakedownServiceName) {
  const declared = {
    id: 'readTakedowns',
    path: '/api/operator/takedowns',
    summary: 'List takedowns as the operator sees them',
    about: 'Every takedown at this service, oldest first, 100 per page, and whether the act was carried out.',
    read: signedTakedownReadOf(service),
    answer: operatorTakedownPageSchema,
  }
  return operatorReadRoute<SignedTakedownRead, OperatorTakedownPage, { readonly takedownReads: TakedownReads }>(
    declared,
    ({ takedownReads }, read, now) => takedownReads.take(read, now),
  )
}

export type TakedownReads = OperatorActs<
  SignedTakedownRead['statement'],
  never,
  Pick<OperatorTakedownPage, 'takedowns' | 'next'>
>

/** `GET /api/takedowns`, the same on each Worker that takes things down. */
export function takedownRoute(): Route<{ readonly takedowns: Pick<TakedownList, 'page'> }> {
  const listTakedowns = defineOperation({
    id: 'listTakedowns',
    method: 'get',
    path: '/api/takedowns',
    summary: 'List what the operator took down here',
    description: 'Every takedown at this service, oldest first, 100 per page: what, why and when.',
    auth: 'none',
    query: takedownQuerySchema,
    answer: { status: 200, description: 'A page', schema: takedownPageSchema },
    errors: ['invalid_cursor', 'dependency_unavailable'],
  })
  return route<{ readonly takedowns: Pick<TakedownList, 'page'> }>()(listTakedowns, async ({ query, deps }) => {
    const page = await deps.takedowns.page(query.cursor)
    if (!page) throw new ApiError('invalid_cursor')
    return page
  })
}
