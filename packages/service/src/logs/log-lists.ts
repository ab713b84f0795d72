import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import {
  type LogListAnswer,
  listedLog,
  MAX_EARLIER_LISTS,
  type SignedLogList,
  signedLogListSchema,
} from '@svc/protocol/merkle/log-list'
import { verifyPinnedList } from '@svc/protocol/merkle/log-list-chain'
import { logListKey, NEWEST_LIST_KEY } from '@svc/protocol/merkle/log-list-files'

/** How long an isolate serves what it has read. A new list takes effect everywhere within this. */
const KEPT_MS = 60_000

/** What is read of a bucket. */
interface ListBucket {
  get(key: string): Promise<{ text(): Promise<string>; json(): Promise<unknown> } | null>
}

/** A log that takes leaves, with the key of its checkpoints; null without a key. */
export interface SignedLog {
  readonly log: string
  readonly publicKeyB64u: string | null
}

export type NoList = { readonly reason: 'log_list_unavailable' }

interface Kept {
  readonly list: SignedLogList | null
  readonly at: number
}

/**
 * The signed lists that the operator has put into a service's bucket. A service serves a list only if it names the log
 * that the service writes, with the key that it signs with, and the key of the labels that it proves: otherwise clients
 * would reject every answer. Between a roll and the list that reports it, that log is an announced one.
 */
export class LogLists {
  readonly #bucket: ListBucket
  readonly #realms: Realms
  readonly #open: (now: number) => Promise<SignedLog>
  readonly #labelKey: (() => string | null) | undefined
  #kept: Kept | null = null

  constructor(parts: {
    readonly bucket: ListBucket
    readonly realms: Realms
    /** The log that this service writes. */
    readonly open: (now: number) => Promise<SignedLog>
    /** Of the service that proves labels. */
    readonly labelKey?: () => string | null
  }) {
    this.#bucket = parts.bucket
    this.#realms = parts.realms
    this.#open = parts.open
    this.#labelKey = parts.labelKey
  }

  /** The newest list, at most a minute old; a failure or a list that does not fit counts as none. */
  async newest(now: number): Promise<Result<SignedLogList, NoList>> {
    // A clock that was ahead keeps nothing longer.
    if (!this.#kept || Math.abs(now - this.#kept.at) >= KEPT_MS) {
      const list = await this.#read(now).catch(() => null)
      // A list appears within the minute, and is not asked for by every request until then.
      this.#kept = { list, at: now }
    }
    const { list } = this.#kept
    return list ? ok(list) : err({ reason: 'log_list_unavailable' })
  }

  /** The newest list, with those after `since` that lead to it. */
  async answer(since: number | null, now: number): Promise<Result<LogListAnswer, NoList>> {
    const newest = await this.newest(now)
    if (!newest.ok) return newest
    const { version } = newest.value.statement
    const first = since === null ? version : since + 1
    const wanted = Array.from({ length: Math.max(0, version - first) }, (_, i) => first + i).slice(0, MAX_EARLIER_LISTS)
    const earlier = await Promise.all(wanted.map((one) => this.#list(one)))
    const found = earlier.filter((list) => list !== null)
    return found.length === wanted.length
      ? ok({ list: newest.value, earlier: found })
      : err({ reason: 'log_list_unavailable' })
  }

  async #read(now: number): Promise<SignedLogList | null> {
    const pointer = await this.#bucket.get(NEWEST_LIST_KEY)
    const list = pointer && (await this.#list(Number(await pointer.text())))
    if (!list) return null
    const { statement } = list
    const isSigned = await verifyPinnedList(list, statement.keys, this.#realms, now)
    if (!isSigned.ok) return null
    const { log, publicKeyB64u } = await this.#open(now)
    const own = listedLog(statement, log)
    const isOwn = own && own.state !== 'closed' && own.publicKeyB64u === publicKeyB64u
    const hasLabels = !this.#labelKey || statement.labelKeyB64u === this.#labelKey()
    return isOwn && hasLabels ? list : null
  }

  async #list(version: number): Promise<SignedLogList | null> {
    const stored = await this.#bucket.get(logListKey(version))
    const parsed = stored && signedLogListSchema.safeParse(await stored.json())
    return parsed?.success ? parsed.data : null
  }
}
