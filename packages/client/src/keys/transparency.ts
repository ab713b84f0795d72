import { statementHash } from '#protocol/base/statement'
import { type AccountHead, EMPTY_HEAD, leafIdOf } from '#protocol/keys/account-updates'
import type { SignedCosignature } from '#protocol/keys/cosignature'
import type { DevicePackage, RevokedPackage } from '#protocol/keys/directory'
import {
  type AccountAnswer,
  type DirectoryCheckpoint,
  type InclusionAnswer,
  inclusionAnswerSchema,
  verifyUpdate,
} from '#protocol/keys/transparency'
import { checkCall, type Members } from '../arguments/check.ts'
import { TrustedLogs, type TrustedLogsOptions } from '../logs/trusted-logs.ts'
import { KnownLogs } from '../memory/known-logs.ts'
import { ServiceError } from '../transport/service-error.ts'
import type { Transport } from '../transport/transport.ts'
import { inconsistent } from '../verification/inconsistent.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { AccountAgreement, type Agreed, type Patience } from './account-agreement.ts'
import { AccountLabels } from './account-labels.ts'
import { type Cosigned, DirectoryLog } from './directory-log.ts'
import { TrustedWitnesses } from './trusted-witnesses.ts'
import { type AccountNews, type WatchOptions, watchAccount } from './watch-account.ts'
import type { WitnessPolicy } from './witness-policy.ts'

export interface TransparencyOptions extends TrustedLogsOptions {
  readonly memory?: KnownLogs
  /**
   * With a policy, the client accepts proofs from a log only if `threshold` witnesses have cosigned that log in the last
   * hour, and reserves a prekey only if they have verified the map of accounts.
   */
  readonly witnesses?: WitnessPolicy | undefined
  /** How often what is not there yet is asked for again, and after how long. */
  readonly patience?: { readonly attempts: number; readonly pauseMs: number } | undefined
}

const OPTIONS: Members<TransparencyOptions> = {
  listKeys: 0,
  trust: 0,
  list: 0,
  memory: 0,
  witnesses: 0,
  patience: 0,
}

export interface ProveOptions {
  /** Whether the response also proves the time by which the log had the update. */
  readonly dated?: boolean
}

/** A map is made within 12 seconds of an update, and answers are cached for 5. */
const PATIENCE = { attempts: 25, pauseMs: 1_000 } as const

/**
 * The transparency log of the key directory. Needs no identity. A log that shows different histories to different
 * people is detected when they compare checkpoints, or by a witness that both know.
 */
export class Transparency {
  // As results: see `safely`.
  readonly safeCheckpoint = safeTwin(this, 'checkpoint')
  readonly safeCosigned = safeTwin(this, 'cosigned')
  readonly safeLabelOf = safeTwin(this, 'labelOf')
  readonly safeLabelProofOf = safeTwin(this, 'labelProofOf')
  readonly safeProve = safeTwin(this, 'prove')
  readonly safeProveUpdate = safeTwin(this, 'proveUpdate')
  readonly safeWaitFor = safeTwin(this, 'waitFor')
  readonly safeAccount = safeTwin(this, 'account')
  readonly safeUpdatesOf = safeTwin(this, 'updatesOf')
  readonly safeFollow = safeTwin(this, 'follow')
  readonly safeWitnessed = safeTwin(this, 'witnessed')
  readonly safeVerifyExtension = safeTwin(this, 'verifyExtension')

  readonly #transport: Transport
  readonly #log: DirectoryLog
  readonly #labels: AccountLabels
  readonly #accounts: AccountAgreement
  readonly #witnesses: TrustedWitnesses
  readonly #patience: Patience

  constructor(transport: Transport, keys: string, options: TransparencyOptions = {}) {
    checkCall('new Transparency', [transport, keys, options], ['transport', 'keys', ['options?', OPTIONS]])
    const { memory = new KnownLogs(), witnesses, patience = PATIENCE, ...trust } = options
    this.#patience = patience
    this.#transport = transport
    const base = `${keys}/api/transparency`
    const trusted = new TrustedLogs(transport, `${base}/logs`, trust)
    const agreed = (log: string) => this.#witnesses.agreeOnLog(log, patience)
    this.#log = new DirectoryLog(transport, base, { trusted, memory, agreed })
    this.#labels = new AccountLabels(this.#log, memory)
    this.#accounts = new AccountAgreement(this.#log, this.#labels, transport, patience)
    this.#witnesses = new TrustedWitnesses(witnesses, this.#log, transport)
  }

  /** The list of logs that this client trusts, and why. */
  async logs(): Promise<TrustedLogs> {
    return this.#log.trusted
  }

  /**
   * Size and root of a log, by default the open one, with its signature verified. Throws a `HistoryError` if the log does
   * not provably extend what this client has seen of it. An answer may be a minute old. With `witnesses`, so many of them
   * must have cosigned it, or in the last hour a state that it extends.
   */
  async checkpoint(log?: string): Promise<DirectoryCheckpoint> {
    checkCall('transparency.checkpoint', [log], ['log?'])
    const cosigned = await this.cosigned(log)
    await this.#witnesses.agreeOn(cosigned)
    return cosigned.checkpoint
  }

  /** The same with the verified cosignatures of witnesses. You decide which witnesses to trust. */
  async cosigned(log?: string): Promise<Cosigned> {
    checkCall('transparency.cosigned', [log], ['log?'])
    return this.#log.cosigned(log)
  }

  /**
   * The label of an account in the log, which the directory has proved to be the one of the DID. Asks for it the first time;
   * the memory of the client keeps it.
   */
  async labelOf(accountDid: string): Promise<string> {
    checkCall('transparency.labelOf', [accountDid], ['accountDid'])
    return (await this.#labels.of(accountDid)).label
  }

  /** The proof of the label. Keep it with evidence about the account: with it, everybody can test whose label it is. */
  async labelProofOf(accountDid: string): Promise<string> {
    checkCall('transparency.labelProofOf', [accountDid], ['accountDid'])
    return (await this.#labels.of(accountDid)).labelProofB64u
  }

  /**
   * Proves that a package or a revocation is in the log, with verified audit path and checkpoint. Throws `ServiceError`
   * `not_found` until the next batch, about a second after publication.
   */
  async prove(published: DevicePackage | RevokedPackage): Promise<InclusionAnswer> {
    checkCall('transparency.prove', [published], ['published'])
    const { statement } = 'credential' in published ? published.credential : published.revocation
    const { seq, leafId } = published
    return this.#inclusion(leafId, {
      label: await this.labelOf(statement.did),
      seq,
      statementHash: statementHash(statement),
    })
  }

  /**
   * Verifies that the updates of an account include the statement with this hash. For a rotation, the hash is its id.
   * Throws `ServiceError` `not_found` if they do not. A statement of a root key is logged once it has taken effect at
   * core. With `dated`, `map` has the time by which the log had the update; `verifyKeyHistory` verifies it.
   */
  async proveUpdate(accountDid: string, hash: string, options: ProveOptions = {}): Promise<InclusionAnswer> {
    checkCall(
      'transparency.proveUpdate',
      [accountDid, hash, options],
      ['accountDid', 'statementHash', ['options?', { dated: 0 }]],
    )
    const label = await this.labelOf(accountDid)
    const query = options.dated === true ? '?dated=true' : ''
    return this.#inclusion(leafIdOf(label, hash), { label, statementHash: hash }, query)
  }

  async #inclusion(
    leafId: string,
    {
      label,
      statementHash: hash,
      seq,
    }: { readonly label: string; readonly statementHash: string; readonly seq?: number },
    query = '',
  ): Promise<InclusionAnswer> {
    const answer = await this.#log.get(`proof/${leafId}${query}`, inclusionAnswerSchema)
    await this.#log.believe(answer.checkpoint, answer.position.log)
    const update = { label, seq: seq ?? answer.seq, statementHash: hash, agreedAt: answer.agreedAt }
    const proved = await verifyUpdate(update, answer, await this.#log.trusted.list(), this.#transport.realms)
    if (proved.ok && leafId === answer.leafId) return answer
    throw unverified(
      'transparency',
      proved.ok ? 'different_answer' : proved.error.reason,
      'The inclusion proof is invalid',
      { where: { log: answer.position.log, position: answer.position.index }, evidence: answer },
    )
  }

  /** The same, repeated until it is there: `attempts` times, by default a second apart (milliseconds). */
  async waitFor(published: DevicePackage | RevokedPackage, attempts = 10, pauseMs = 1_000): Promise<InclusionAnswer> {
    checkCall('transparency.waitFor', [published, attempts, pauseMs], ['published', 'attempts?', 'pauseMs?'])
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
    checkCall('transparency.verifyExtension', [earlier, later], ['earlier', 'later'])
    if (!(await this.#log.extends(earlier, later))) throw inconsistent('transparency', earlier, later)
  }

  /**
   * What the newest map of accounts has for an account, proved by the log: how many updates, and their head hash. Throws
   * if the map is older than a minute and not the end of the log. A map of a mirror may be as old as `mirrors.maxAgeMs`;
   * it hides updates that came later.
   */
  async account(accountDid: string): Promise<AccountAnswer> {
    checkCall('transparency.account', [accountDid], ['accountDid'])
    return this.#accounts.account(accountDid, true)
  }

  /**
   * Returns the statement hashes of all updates of an account, in order. The list is complete, because the hashes fold
   * into the head that the log proves.
   */
  async updatesOf(accountDid: string): Promise<readonly string[]> {
    checkCall('transparency.updatesOf', [accountDid], ['accountDid'])
    return this.#accounts.updatesOf(accountDid)
  }

  /**
   * Follows an account from a head that you know to the current one. Throws if the updates since do not fold into the
   * head that the log proves: the directory has then dropped, replaced or hidden an update. Waits for a map that has what
   * you know, which takes up to 12 seconds after an update. Mirrors are asked like for `account`.
   */
  async follow(accountDid: string, from: AccountHead = EMPTY_HEAD): Promise<AccountHead> {
    checkCall('transparency.follow', [accountDid, from], ['accountDid', 'from?'])
    const { heads } = await this.#accounts.agree(
      accountDid,
      from.seq,
      () => this.#accounts.headsSince(accountDid, from),
      true,
    )
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
    checkCall(
      'transparency.watch',
      [accountDid, options],
      ['accountDid', ['options?', { from: 0, everyMs: 0, maxSilenceMs: 0 }]],
    )
    yield* watchAccount((from) => this.follow(accountDid, from), this.#transport, options)
  }

  /**
   * Compares heads of an account, one for each update, with the proved one. Repeats both until the map has at least
   * `seq` updates, and the heads reach what the map has. Mirrors are not asked: a directory that refuses its proof must
   * not gain an older map by it.
   */
  async agree(accountDid: string, seq: number, read: () => Promise<readonly AccountHead[]>): Promise<Agreed> {
    checkCall('transparency.agree', [accountDid, seq, read], ['accountDid', 'seq', 'read'])
    return this.#accounts.agree(accountDid, seq, read, false)
  }

  /** Whether this client demands that witnesses have recomputed the map. */
  get hasWitnesses(): boolean {
    return this.#witnesses.areDemanded
  }

  /**
   * Waits until as many witnesses as this client demands have recomputed the map that an answer was proved from, and every
   * map before it. Returns one cosignature of each. Throws if too few do, and a `ConfigurationError` without `witnesses`.
   */
  async witnessed(account: AccountAnswer): Promise<SignedCosignature[]> {
    checkCall('transparency.witnessed', [account], ['account'])
    return this.#witnesses.witnessed(account, this.#patience)
  }
}
