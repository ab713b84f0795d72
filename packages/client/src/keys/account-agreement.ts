import type { MapEntry } from '#protocol/keys/account-map'
import { type AccountHead, EMPTY_HEAD, nextHead } from '#protocol/keys/account-updates'
import {
  type AccountAnswer,
  accountAnswerSchema,
  accountAuditSchema,
  type DirectoryCheckpoint,
  didAnswerSchema,
  verifyAccount,
} from '#protocol/keys/transparency'
import type { LogList } from '#protocol/merkle/log-list'
import { acceptAge, mirrorOf } from '../mirrors/from-mirror.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified, VerificationError } from '../verification/verification-error.ts'
import type { AccountLabels } from './account-labels.ts'
import type { DirectoryLog } from './directory-log.ts'

/** How often what is not there yet is asked for again, and after how long. */
export interface Patience {
  readonly attempts: number
  readonly pauseMs: number
}

export interface Agreed {
  readonly heads: readonly AccountHead[]
  readonly account: AccountAnswer
}

/** Maps and checkpoints that are older may hide newer ones. */
const STALE_MS = 60_000

/** Whether the updates of an account that somebody shows are those that the newest map of accounts proves. */
export class AccountAgreement {
  readonly #log: DirectoryLog
  readonly #labels: AccountLabels
  readonly #transport: Transport
  readonly #patience: Patience

  constructor(log: DirectoryLog, labels: AccountLabels, transport: Transport, patience: Patience) {
    this.#log = log
    this.#labels = labels
    this.#transport = transport
    this.#patience = patience
  }

  /** What the newest map has for an account, proved by the log and recent. */
  async account(accountDid: string, isMirrored: boolean): Promise<AccountAnswer> {
    const { answer, label } = await this.#answer(accountDid, isMirrored)
    await this.#log.believe(answer.checkpoint, answer.map.position.log)
    const proved = await verifyAccount(label, answer, await this.#log.trusted.list(), this.#transport.realms)
    if (!proved.ok)
      throw unverified('account', proved.error.reason, 'The proof of the account is invalid', { evidence: answer })
    const [completed, now] = [completeAt(answer, proved.value.map), this.#transport.now()]
    if (mirrorOf(answer)) acceptAge(answer, completed, now)
    else if (now - completed > STALE_MS)
      throw unverified('account', 'expired', 'The map of accounts is too old', { evidence: answer })
    return answer
  }

  /** By the label if this client knows it: a mirror cannot name an account by its DID. */
  async #answer(accountDid: string, isMirrored: boolean): Promise<{ answer: AccountAnswer; label: string }> {
    const known = await this.#labels.known(accountDid)
    if (!known) {
      const answer = await this.#log.get(`proof/${accountDid}`, didAnswerSchema, false)
      return { answer, label: (await this.#labels.believe(accountDid, answer)).label }
    }
    const answer = await this.#log.get(`proof/${known.label}`, accountAnswerSchema, isMirrored)
    if (answer.label === known.label) return { answer, label: known.label }
    throw unverified('account', 'different_answer', 'The answer is for another account', { evidence: answer })
  }

  /** Repeats both until the map has at least `seq` updates, and the heads reach what the map has. */
  async agree(
    accountDid: string,
    seq: number,
    read: () => Promise<readonly AccountHead[]>,
    isMirrored: boolean,
  ): Promise<Agreed> {
    const { attempts, pauseMs } = this.#patience
    let heads = await read()
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= attempts
      const account = await this.account(accountDid, isMirrored).catch((error: unknown) => {
        // The next map may be late by a little.
        if (isLast || !isTooOld(error)) throw error
        return null
      })
      if (!account) {
        await this.#transport.pause(pauseMs)
        continue
      }
      const isBehind = account.seq > (heads.at(-1)?.seq ?? 0)
      if (account.seq >= seq && !isBehind) {
        if (heads.some((one) => one.seq === account.seq && one.head === account.head)) return { heads, account }
        throw unverified('account', 'inconsistent', 'The updates of the account do not lead to what the log proves', {
          evidence: account,
        })
      }
      if (isLast)
        throw unverified('account', 'left_out', 'An update is missing: of the listing, or of the map of accounts', {
          evidence: account,
        })
      await this.#transport.pause(pauseMs)
      if (isBehind) heads = await read()
    }
  }

  /** Returns the statement hashes of all updates in the newest map. */
  async updatesOf(accountDid: string): Promise<readonly string[]> {
    let hashes: readonly string[] = []
    const { account } = await this.agree(
      accountDid,
      0,
      async () => {
        const since = await this.#updatesSince(accountDid, EMPTY_HEAD)
        hashes = since.hashes
        return since.heads
      },
      false,
    )
    return hashes.slice(0, account.seq)
  }

  /** The head that is known, and the head after each update since. */
  async headsSince(accountDid: string, from: AccountHead): Promise<AccountHead[]> {
    return (await this.#updatesSince(accountDid, from)).heads
  }

  async #updatesSince(accountDid: string, from: AccountHead): Promise<{ heads: AccountHead[]; hashes: string[] }> {
    const [{ label }, list] = await Promise.all([this.#labels.of(accountDid), this.#log.trusted.list()])
    const heads = [from]
    const hashes: string[] = []
    for (let known = from; ; ) {
      const answer = await this.#log.get(`audit/${label}?since=${known.seq}`, accountAuditSchema)
      await this.#log.believe(answer.checkpoint)
      for (const hash of answer.statementHashes) {
        known = nextHead(known, hash)
        heads.push(known)
        hashes.push(hash)
      }
      if (answer.label === label && known.seq === answer.seq && known.head === answer.head) return { heads, hashes }
      // Each update is an entry of a log, so that a service cannot announce updates without end.
      const isPossible = answer.seq <= entriesUpTo(answer.checkpoint, list)
      const isPart = answer.label === label && answer.statementHashes.length > 0 && known.seq < answer.seq && isPossible
      if (!isPart)
        throw unverified('account', 'inconsistent', 'The updates of the account do not follow from the known ones', {
          evidence: answer,
        })
    }
  }
}

/** How many entries the logs have at a checkpoint, those that were closed before included. */
function entriesUpTo({ statement }: DirectoryCheckpoint, { logs }: LogList): number {
  const closed = logs.filter(({ log, final }) => final?.statement.type === statement.type && log !== statement.log)
  return closed.reduce((sum, { final }) => sum + (final?.statement.size ?? 0), statement.size)
}

/** Until when a map has all that it must: as long as it is the last entry of the log with nothing in between. */
function completeAt({ checkpoint, map: { position } }: AccountAnswer, map: MapEntry): number {
  const { size, issuedAt } = checkpoint.statement
  const isLast = size === position.index + 1 && map.size === position.index
  return isLast ? issuedAt : Math.min(map.at, issuedAt)
}

const isTooOld = (error: unknown) =>
  error instanceof VerificationError && error.subject === 'account' && error.reason === 'expired'
