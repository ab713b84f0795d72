import type { LogCheckpoint } from '#protocol/merkle/checkpoint'
import type { CheckpointFault } from '#protocol/merkle/in-log'
import {
  type ListedLog,
  type ListKeys,
  type LogList,
  logListAnswerSchema,
  type SignedLogList,
} from '#protocol/merkle/log-list'
import { followLists, type ListFault, verifyPinnedList } from '#protocol/merkle/log-list-chain'
import { checkCall } from '../arguments/check.ts'
import { unpinned } from '../discovery/unpinned-error.ts'
import { clockFor, mirrorOf } from '../mirrors/from-mirror.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified, type VerificationError } from '../verification/verification-error.ts'

type LogFault = ListFault | CheckpointFault

/** The list of logs, or a checkpoint, is not what the pinned keys vouch for. */
function untrusted(reason: LogFault['reason'], evidence: SignedLogList | LogCheckpoint): VerificationError {
  const { statement } = evidence
  const [subject, where] =
    statement.type === 'svc/log-list/v1'
      ? (['logs', {}] as const)
      : ([LOG_SUBJECTS[statement.type], { log: statement.log }] as const)
  return unverified(subject, reason, `The log is not trusted: ${reason}`, { where, evidence })
}

const LOG_SUBJECTS = {
  'svc/anchor-checkpoint/v1': 'anchors',
  'svc/transparency-checkpoint/v1': 'transparency',
} as const

export interface TrustedLogsOptions {
  /** The keys of the list, from another source. Without them, and without a list, no list is accepted. */
  readonly listKeys?: ListKeys | undefined
  /** `first-seen` if `listKeys` was seen for the first time now, in a discovery document. */
  readonly trust?: 'given' | 'first-seen' | undefined
  /** A list from an earlier visit (`newest()`): a later one must follow from it. */
  readonly list?: SignedLogList | undefined
}

/**
 * The signed list of a deployment's logs. This client pins the keys of the list and never the key of a log, which
 * changes with every period: a checkpoint counts if the list names its log with its key.
 */
export class TrustedLogs {
  // As results: see `safely`.
  readonly safeNewest = safeTwin(this, 'newest')
  readonly safeVerify = safeTwin(this, 'verify')

  readonly #transport: Transport
  readonly #url: string
  readonly #given: ListKeys | undefined
  /** Where the trust in the list's keys comes from: given by the caller, or seen first by discovery; null without any. */
  readonly pinned: 'given' | 'first-seen' | null
  #list: SignedLogList | undefined
  #isFresh = false

  constructor(transport: Transport, url: string, options: TrustedLogsOptions = {}) {
    checkCall(
      'new TrustedLogs',
      [transport, url, options],
      ['transport', 'url', ['options?', { listKeys: 0, trust: 0, list: 0 }]],
    )
    const { listKeys, trust = 'given', list } = options
    this.#transport = transport
    this.#url = url
    this.#given = listKeys
    this.#list = list
    this.pinned = list ? 'given' : listKeys ? trust : null
  }

  /** The newest list, verified. Keep it, and hand it to the next client. */
  async newest(): Promise<SignedLogList> {
    if (!this.#list || !this.#isFresh) await this.refresh()
    if (!this.#list) throw unverified('logs', 'empty', 'The service has no list of logs')
    return this.#list
  }

  async list(): Promise<LogList> {
    return (await this.newest()).statement
  }

  /** Asks the service again; a client does so by itself when a log is not on the list that it knows. */
  async refresh(): Promise<void> {
    this.#list = this.#list ? await this.#follow(this.#list) : await this.#first()
    this.#isFresh = true
  }

  /** Verifies that a checkpoint is one of a listed log. Throws a `VerificationError` otherwise. */
  async verify(checkpoint: LogCheckpoint): Promise<ListedLog> {
    checkCall('trustedLogs.verify', [checkpoint], ['checkpoint'])
    const { verifyListedCheckpoint } = await import('#protocol/merkle/in-log')
    const known = await verifyListedCheckpoint(checkpoint, await this.list(), this.#transport.realms)
    if (known.ok) return known.value
    // The log may have been rolled since.
    await this.refresh()
    const found = await verifyListedCheckpoint(checkpoint, await this.list(), this.#transport.realms)
    if (found.ok) return found.value
    throw untrusted(found.error.reason, checkpoint)
  }

  async #first(): Promise<SignedLogList> {
    const keys = this.#given
    if (!keys) throw unpinned()
    const { list } = await this.#get(null)
    const now = clockFor(list, this.#transport.now())
    const isPinned = await verifyPinnedList(list, keys, this.#transport.realms, now)
    if (isPinned.ok) return list
    if (isPinned.error.reason !== 'threshold_not_met') throw untrusted(isPinned.error.reason, list)
    // The keys may have been replaced since they were given: the newest list that they sign leads to this one.
    return this.#follow(await this.#newestBy(keys, list))
  }

  async #newestBy(keys: ListKeys, newest: SignedLogList): Promise<SignedLogList> {
    for (let since = 0; ; ) {
      const { earlier } = await this.#get(since)
      for (const one of earlier.toReversed()) {
        // Only the newest list must be current.
        if ((await verifyPinnedList(one, keys, this.#transport.realms, one.statement.validUntil)).ok) return one
      }
      const last = earlier.at(-1)
      if (!last) throw untrusted('threshold_not_met', newest)
      since = last.statement.version
    }
  }

  /** Through every list between the known one and the newest. */
  async #follow(known: SignedLogList): Promise<SignedLogList> {
    for (let from = known; ; ) {
      const { list, earlier } = await this.#get(from.statement.version)
      // A mirror may be behind what this client has verified.
      if (mirrorOf(list) && list.statement.version < from.statement.version) return from
      const last = earlier.at(-1)
      const isWhole = list.statement.version <= (last ?? from).statement.version + 1
      const next = isWhole ? [...earlier, list] : earlier
      const now = isWhole
        ? clockFor(list, this.#transport.now())
        : Math.max(...next.map(({ statement }) => statement.issuedAt), 0)
      const followed = await followLists(from, next, this.#transport.realms, now)
      if (!followed.ok) throw untrusted(followed.error.reason, list)
      if (isWhole) return followed.value
      if (!last) throw untrusted('not_successor', list)
      from = followed.value
    }
  }

  #get(since: number | null) {
    const url = since === null ? this.#url : `${this.#url}?since=${since}`
    return this.#transport.data({ method: 'GET', url, isMirrored: true }, logListAnswerSchema)
  }
}
