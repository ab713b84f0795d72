import { fromHex } from '#protocol/base/hash'
import { statementHash } from '#protocol/base/statement'
import type { MapEntry } from '#protocol/keys/account-map'
import { type AccountHead, accountLabel, EMPTY_HEAD, nextHead } from '#protocol/keys/account-updates'
import { directoryCapabilitiesSchema } from '#protocol/keys/capabilities'
import type { DevicePackage, ReservationReceipt, RevokedPackage } from '#protocol/keys/directory'
import {
  type AccountAnswer,
  accountAnswerSchema,
  accountAuditSchema,
  auditAnswerSchema,
  checkpointAnswerSchema,
  type DirectoryCheckpoint,
  type InclusionAnswer,
  inclusionAnswerSchema,
  type SignedCosignature,
  verifyAccount,
  verifyCosignature,
  verifyUpdate,
} from '#protocol/keys/transparency'
import { verifyExtension } from '#protocol/merkle/checkpoint'
import { verifyConsistency } from '#protocol/merkle/tree'
import { type TrustedKeys, trustedOf } from '../discovery/trusted-keys.ts'
import { TrustedLogs, type TrustedLogsOptions } from '../logs/trusted-logs.ts'
import { believeCheckpoint } from '../memory/checkpoint-log.ts'
import { KnownLogs } from '../memory/known-logs.ts'
import { acceptAge, mirrorOf } from '../mirrors/from-mirror.ts'
import { ServiceError } from '../transport/service-error.ts'
import type { Transport } from '../transport/transport.ts'
import { inconsistent } from '../verification/inconsistent.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified, VerificationError } from '../verification/verification-error.ts'
import { type AccountNews, type WatchOptions, watchAccount } from './watch-account.ts'

export interface TransparencyOptions extends TrustedLogsOptions {
  /** The keys of the directory's receipts from another source; otherwise the client trusts the first one it sees. */
  readonly receiptKeys?: TrustedKeys | undefined
  readonly memory?: KnownLogs
  /** Keys of witnesses, base64url. With any, a prekey is only reserved if one of them has verified the map of accounts. */
  readonly witnesses?: readonly string[] | undefined
  /** How often what is not there yet is asked for again, and after how long. */
  readonly patience?: { readonly attempts: number; readonly pauseMs: number } | undefined
}

interface Agreed {
  readonly heads: readonly AccountHead[]
  readonly account: AccountAnswer
}

/** A map is made within 12 seconds of an update, and answers are cached for 5. */
const PATIENCE = { attempts: 25, pauseMs: 1_000 } as const
/** Maps and checkpoints that are older may hide newer ones. */
const STALE_MS = 60_000

/** Until when a map has all that it must: as long as it is the last entry of the log with nothing in between. */
function completeAt({ checkpoint, map: { position } }: AccountAnswer, map: MapEntry): number {
  const { size, issuedAt } = checkpoint.statement
  const isLast = size === position.index + 1 && map.size === position.index
  return isLast ? issuedAt : Math.min(map.at, issuedAt)
}

/**
 * The transparency log of the key directory. Needs no identity. A log that shows different histories to different
 * people is detected when they compare checkpoints, or by a witness that both know.
 */
export class Transparency {
  readonly #logs: TrustedLogs
  // As results: see `safely`.
  readonly safeCheckpoint = safeTwin(this, 'checkpoint')
  readonly safeCosigned = safeTwin(this, 'cosigned')
  readonly safeProve = safeTwin(this, 'prove')
  readonly safeWaitFor = safeTwin(this, 'waitFor')
  readonly safeAccount = safeTwin(this, 'account')
  readonly safeFollow = safeTwin(this, 'follow')
  readonly safeWitnessed = safeTwin(this, 'witnessed')
  readonly safeVerifyExtension = safeTwin(this, 'verifyExtension')

  readonly #transport: Transport
  readonly #keys: string
  readonly #base: string
  readonly #memory: KnownLogs
  readonly #witnesses: ReadonlySet<string>
  readonly #patience: { readonly attempts: number; readonly pauseMs: number }
  #receiptKeys: TrustedKeys | undefined

  constructor(
    transport: Transport,
    keys: string,
    { receiptKeys, memory = new KnownLogs(), witnesses = [], patience = PATIENCE, ...trust }: TransparencyOptions = {},
  ) {
    this.#memory = memory
    this.#witnesses = new Set(witnesses)
    this.#patience = patience
    this.#transport = transport
    this.#keys = keys
    this.#base = `${keys}/api/transparency`
    this.#receiptKeys = receiptKeys
    this.#logs = new TrustedLogs(transport, `${this.#base}/logs`, trust)
  }

  /** The list of logs that this client trusts, and why. */
  async logs(): Promise<TrustedLogs> {
    return this.#logs
  }

  /**
   * Size and root of a log, by default the open one, with its signature verified. Throws a `HistoryError` if the log does
   * not provably extend what this client has seen of it. An answer may be a minute old.
   */
  async checkpoint(log?: string): Promise<DirectoryCheckpoint> {
    return (await this.cosigned(log)).checkpoint
  }

  /** The same with the verified cosignatures of witnesses. You decide which witnesses to trust. */
  async cosigned(log?: string): Promise<{
    readonly checkpoint: DirectoryCheckpoint
    readonly cosignatures: readonly SignedCosignature[]
  }> {
    const answer = await this.#get(`checkpoint${ofLog(log)}`, checkpointAnswerSchema)
    await this.#believe(answer.checkpoint, log)
    for (const cosignature of answer.cosignatures) {
      if (!(await verifyCosignature(cosignature, this.#transport.realms)))
        throw unverified('transparency', 'invalid_signature', 'A cosignature is invalid', {
          where: { member: 'cosignatures' },
          evidence: cosignature,
        })
    }
    return answer
  }

  /** The key that a receipt names, if the directory may have signed with it then; an empty key verifies nothing. */
  async receiptKeyOf(receipt: ReservationReceipt): Promise<string> {
    this.#receiptKeys ??= await this.#shownReceiptKey()
    return trustedOf(receipt, this.#receiptKeys)
  }

  async #shownReceiptKey(): Promise<TrustedKeys> {
    const call = { method: 'GET', url: `${this.#keys}/api/capabilities` } as const
    const { receiptKeyB64u } = (await this.#transport.json(call, directoryCapabilitiesSchema)).transparency
    if (receiptKeyB64u === null) throw unverified('receipt', 'no_key', 'The directory does not sign receipts')
    return () => [receiptKeyB64u]
  }

  /** The label of an account in the log. */
  async labelOf(accountDid: string): Promise<string> {
    return accountLabel((await this.#logs.list()).namespace, accountDid)
  }

  /**
   * Proves that a package or a revocation is in the log, with verified audit path and checkpoint. Throws `ServiceError`
   * `not_found` until the next batch, about a second after publication.
   */
  async prove(published: DevicePackage | RevokedPackage): Promise<InclusionAnswer> {
    const { statement } = 'credential' in published ? published.credential : published.revocation
    const answer = await this.#get(`proof/${published.leafId}`, inclusionAnswerSchema)
    await this.#believe(answer.checkpoint, answer.position.log)
    const update = {
      label: await this.labelOf(statement.did),
      seq: published.seq,
      statementHash: statementHash(statement),
    }
    const proved = await verifyUpdate(update, answer, await this.#logs.list(), this.#transport.realms)
    if (proved.ok && published.leafId === answer.leafId) return answer
    throw unverified(
      'transparency',
      proved.ok ? 'different_answer' : proved.error.reason,
      'The inclusion proof is invalid',
      { where: { log: answer.position.log, position: answer.position.index }, evidence: answer },
    )
  }

  /** The same, repeated until it is there: `attempts` times, by default a second apart (milliseconds). */
  async waitFor(published: DevicePackage | RevokedPackage, attempts = 10, pauseMs = 1_000): Promise<InclusionAnswer> {
    for (let attempt = 1; ; attempt++) {
      const proved = await this.prove(published).catch((error: unknown) => {
        const isWaiting = error instanceof ServiceError && error.error === 'not_found'
        if (!isWaiting || attempt >= attempts) throw error
        return null
      })
      if (proved) return proved
      await this.#transport.pause(pauseMs)
    }
  }

  /**
   * Verifies that the log at a later checkpoint contains everything of an earlier one of the same log, in order. Throws a
   * `VerificationError` otherwise.
   */
  async verifyExtension(earlier: DirectoryCheckpoint, later: DirectoryCheckpoint): Promise<void> {
    if (!(await this.#extends(earlier, later))) throw inconsistent('transparency', earlier, later)
  }

  async #extends(earlier: DirectoryCheckpoint, later: DirectoryCheckpoint): Promise<boolean> {
    const { publicKeyB64u } = await this.#logs.verify(later)
    const [first, second] = [earlier.statement.size, later.statement.size]
    // No proof needed: the empty log is a prefix of every log, and a longer log of none.
    if (first === 0 || second < first) return verifyExtension(earlier, later, [], publicKeyB64u)
    const { log } = later.statement
    const { proof } = await this.#get(`audit/${first}-${second}${ofLog(log)}`, auditAnswerSchema)
    return verifyExtension(earlier, later, proof, publicKeyB64u)
  }

  /**
   * What the newest map of accounts has for an account, proved by the log: how many updates, and their head hash. Throws
   * if the map is older than a minute and not the end of the log. A map of a mirror may be as old as `mirrors.maxAgeMs`;
   * it hides updates that came later.
   */
  async account(accountDid: string): Promise<AccountAnswer> {
    return this.#account(accountDid, true)
  }

  async #account(accountDid: string, isMirrored: boolean): Promise<AccountAnswer> {
    const answer = await this.#get(`proof/${accountDid}`, accountAnswerSchema, isMirrored)
    await this.#believe(answer.checkpoint, answer.map.position.log)
    const label = await this.labelOf(accountDid)
    if (answer.label !== label)
      throw unverified('account', 'different_answer', 'The answer is for another account', { evidence: answer })
    const proved = await verifyAccount(label, answer, await this.#logs.list(), this.#transport.realms)
    if (!proved.ok)
      throw unverified('account', proved.error.reason, 'The proof of the account is invalid', { evidence: answer })
    const [completed, now] = [completeAt(answer, proved.value.map), this.#transport.now()]
    if (mirrorOf(answer)) acceptAge(answer, completed, now)
    else if (now - completed > STALE_MS)
      throw unverified('account', 'expired', 'The map of accounts is too old', { evidence: answer })
    return answer
  }

  /**
   * Follows an account from a head that you know to the current one. Throws if the updates since do not fold into the
   * head that the log proves: the directory has then dropped, replaced or hidden an update. Waits for a map that has what
   * you know, which takes up to 12 seconds after an update. Mirrors are asked like for `account`.
   */
  async follow(accountDid: string, from: AccountHead = EMPTY_HEAD): Promise<AccountHead> {
    const { heads } = await this.#agree(accountDid, from.seq, () => this.#headsSince(accountDid, from), true)
    return heads.at(-1) ?? from
  }

  /**
   * Follows an account on a schedule, by default every hour, and yields each new head: what an owner runs to notice an
   * update that is not theirs. Throws a `VerificationError` with the answers as evidence as soon as the directory
   * contradicts what you know; keep that evidence, and do not watch again from the same head. While the directory is
   * unavailable it keeps trying, for `maxSilenceMs`, and then throws the last outage. It does not end: leave the loop, or
   * end it with `client.with({ signal })`.
   */
  async *watch(accountDid: string, options: WatchOptions = {}): AsyncGenerator<AccountNews> {
    yield* watchAccount((from) => this.follow(accountDid, from), this.#transport, options)
  }

  /**
   * Compares heads of an account, one for each update, with the proved one. Repeats both until the map has at least
   * `seq` updates, and the heads reach what the map has. Mirrors are not asked: a directory that refuses its proof must
   * not gain an older map by it.
   */
  agree(accountDid: string, seq: number, read: () => Promise<readonly AccountHead[]>): Promise<Agreed> {
    return this.#agree(accountDid, seq, read, false)
  }

  async #agree(
    accountDid: string,
    seq: number,
    read: () => Promise<readonly AccountHead[]>,
    isMirrored: boolean,
  ): Promise<Agreed> {
    const { attempts, pauseMs } = this.#patience
    let heads = await read()
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= attempts
      const account = await this.#account(accountDid, isMirrored).catch((error: unknown) => {
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

  /** The head that is known, and the head after each update since. */
  async #headsSince(accountDid: string, from: AccountHead): Promise<AccountHead[]> {
    const label = await this.labelOf(accountDid)
    const heads = [from]
    for (let known = from; ; ) {
      const answer = await this.#get(`audit/${accountDid}?since=${known.seq}`, accountAuditSchema)
      await this.#believe(answer.checkpoint)
      for (const hash of answer.statementHashes) {
        known = nextHead(known, hash)
        heads.push(known)
      }
      if (answer.label === label && known.seq === answer.seq && known.head === answer.head) return heads
      const isPart = answer.label === label && answer.statementHashes.length > 0 && known.seq < answer.seq
      if (!isPart)
        throw unverified('account', 'inconsistent', 'The updates of the account do not follow from the known ones', {
          evidence: answer,
        })
    }
  }

  /** Whether this client demands that a witness has recomputed the map. */
  get hasWitnesses(): boolean {
    return this.#witnesses.size > 0
  }

  /**
   * Waits until a witness that this client trusts has recomputed the map that an answer was proved from, and every map
   * before it. Throws if none does.
   */
  async witnessed(account: AccountAnswer): Promise<SignedCosignature> {
    const { attempts, pauseMs } = this.#patience
    const { position } = account.map
    for (let attempt = 1; ; attempt++) {
      const { checkpoint, cosignatures } = await this.cosigned(position.log)
      for (const cosignature of cosignatures) {
        const { statement, publicKeyB64u } = cosignature
        const isOfMap = statement.verifies === 'log+map' && statement.log === position.log
        if (!isOfMap || !this.#witnesses.has(publicKeyB64u) || statement.size <= position.index) continue
        if (await this.#isPrefix(statement, checkpoint)) return cosignature
      }
      if (attempt >= attempts)
        throw unverified('account', 'not_cosigned', 'No witness that this client trusts has verified the map', {
          evidence: { checkpoint, cosignatures },
        })
      await this.#transport.pause(pauseMs)
    }
  }

  /** Whether what a witness has cosigned is a prefix of the log at a checkpoint. */
  async #isPrefix(
    { log, size, root }: SignedCosignature['statement'],
    { statement }: DirectoryCheckpoint,
  ): Promise<boolean> {
    if (size > statement.size) return false
    const path = `audit/${size}-${statement.size}${ofLog(log)}`
    const proof = size === statement.size ? [] : (await this.#get(path, auditAnswerSchema)).proof
    return verifyConsistency(size, fromHex(root), statement.size, fromHex(statement.root), proof.map(fromHex))
  }

  /** Rejects a checkpoint of a log that is not listed, or of another than the one asked for. */
  async #believe(checkpoint: DirectoryCheckpoint, log?: string): Promise<void> {
    const listed = await this.#logs.verify(checkpoint)
    const isOther = log === undefined ? listed.series !== 'transparency' : listed.log !== log
    if (isOther)
      throw unverified('transparency', 'wrong_log', 'The checkpoint is of another log', {
        where: { log: listed.log },
        evidence: checkpoint,
      })
    acceptAge(checkpoint, checkpoint.statement.issuedAt, this.#transport.now(), listed.final !== null)
    await believeCheckpoint(checkpoint, {
      memory: this.#memory,
      name: { kind: 'transparency', of: listed.log },
      isExtension: (earlier, later) => this.#extends(earlier, later),
      now: this.#transport.now(),
    })
  }

  #get<S extends Parameters<Transport['data']>[1]>(path: string, schema: S, isMirrored = true) {
    return this.#transport.data({ method: 'GET', url: `${this.#base}/${path}`, isMirrored }, schema)
  }
}

const isTooOld = (error: unknown) =>
  error instanceof VerificationError && error.subject === 'account' && error.reason === 'expired'
const ofLog = (log: string | undefined) => (log === undefined ? '' : `?log=${encodeURIComponent(log)}`)
