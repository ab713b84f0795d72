import { statementHash } from '@svc/protocol/base/statement'
import { type AccountHead, accountLabel, EMPTY_HEAD, foldHead } from '@svc/protocol/keys/account-updates'
import { directoryCapabilitiesSchema } from '@svc/protocol/keys/capabilities'
import type { DevicePackage, ReservationReceipt, RevokedPackage } from '@svc/protocol/keys/directory'
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
  verifyCosignature,
  verifyUpdate,
} from '@svc/protocol/keys/transparency'
import { verifyExtension } from '@svc/protocol/merkle/checkpoint'
import { type TrustedKeys, trustedOf } from '../discovery/trusted-keys.ts'
import { TrustedLogs, type TrustedLogsOptions } from '../logs/trusted-logs.ts'
import { believeCheckpoint } from '../memory/checkpoint-log.ts'
import { KnownLogs } from '../memory/known-logs.ts'
import { acceptAge } from '../mirrors/from-mirror.ts'
import { ServiceError } from '../transport/service-error.ts'
import type { Transport } from '../transport/transport.ts'
import { inconsistent } from '../verification/inconsistent.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'

export interface TransparencyOptions extends TrustedLogsOptions {
  /** The keys of the directory's receipts from another source; otherwise the client trusts the first one it sees. */
  readonly receiptKeys?: TrustedKeys | undefined
  readonly memory?: KnownLogs
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
  readonly safeVerifyExtension = safeTwin(this, 'verifyExtension')

  readonly #transport: Transport
  readonly #keys: string
  readonly #base: string
  readonly #memory: KnownLogs
  #receiptKeys: TrustedKeys | undefined

  constructor(
    transport: Transport,
    keys: string,
    { receiptKeys, memory = new KnownLogs(), ...trust }: TransparencyOptions = {},
  ) {
    this.#memory = memory
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
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
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
   * What the directory has for an account: how many updates, and their head hash. Not proved by the log until the
   * deployment keeps a map of accounts (`map` is then not null): compare it with what you folded yourself.
   */
  async account(accountDid: string): Promise<AccountAnswer> {
    const answer = await this.#ask(`proof/${accountDid}`, accountAnswerSchema)
    await this.#believe(answer.checkpoint)
    const isWhole = answer.seq === 0 ? answer.head === EMPTY_HEAD.head : answer.result === 'present'
    if (answer.label !== (await this.labelOf(accountDid)) || !isWhole)
      throw unverified('account', 'different_answer', 'The answer is for another account', { evidence: answer })
    return answer
  }

  /**
   * Follows an account from a head that you know to the current one. Throws if the updates since do not fold into what
   * the directory says now: it has then dropped or replaced an update.
   */
  async follow(accountDid: string, from: AccountHead = EMPTY_HEAD): Promise<AccountHead> {
    const label = await this.labelOf(accountDid)
    for (let known = from; ; ) {
      const answer = await this.#ask(`audit/${accountDid}?since=${known.seq}`, accountAuditSchema)
      await this.#believe(answer.checkpoint)
      const folded = foldHead(known, answer.statementHashes)
      if (answer.label === label && folded.seq === answer.seq && folded.head === answer.head) return folded
      const isPart = answer.label === label && answer.statementHashes.length > 0 && folded.seq < answer.seq
      if (!isPart)
        throw unverified('account', 'inconsistent', 'The updates of the account do not follow from the known ones', {
          evidence: answer,
        })
      known = folded
    }
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
    acceptAge(checkpoint, checkpoint.statement.issuedAt, this.#transport.now())
    await believeCheckpoint(checkpoint, {
      memory: this.#memory,
      name: { kind: 'transparency', of: listed.log },
      isExtension: (earlier, later) => this.#extends(earlier, later),
      now: this.#transport.now(),
    })
  }

  /** Of the log, which mirrors have too. */
  #get<S extends Parameters<Transport['data']>[1]>(path: string, schema: S) {
    return this.#transport.data({ method: 'GET', url: `${this.#base}/${path}`, isMirrored: true }, schema)
  }

  /** Of an account, which only the directory has. */
  #ask<S extends Parameters<Transport['data']>[1]>(path: string, schema: S) {
    return this.#transport.data({ method: 'GET', url: `${this.#base}/${path}` }, schema)
  }
}

const ofLog = (log: string | undefined) => (log === undefined ? '' : `?log=${encodeURIComponent(log)}`)
