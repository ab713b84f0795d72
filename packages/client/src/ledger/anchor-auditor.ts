import * as z from 'zod'
import { pure } from '#protocol/base/pure'
import { consistencySchema } from '#protocol/ledger/anchor-log'
import { type SignedCheckpoint, signedCheckpointSchema } from '#protocol/merkle/checkpoint'
import { verifyExtension, verifyListedCheckpoint } from '#protocol/merkle/in-log'
import {
  type ListedLog,
  type ListKeys,
  listedLog,
  type SignedLogList,
  signedLogListSchema,
} from '#protocol/merkle/log-list'
import { checkCall } from '../arguments/check.ts'
import { TrustedLogs } from '../logs/trusted-logs.ts'
import type { Transport } from '../transport/transport.ts'
import type { VerificationReason } from '../verification/reasons.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified, type VerificationError, type Where } from '../verification/verification-error.ts'

/** What an auditor of anchors stores between visits: the list, and of each log the newest checkpoint that it verified. */
export const anchorAuditStateSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ list: signedLogListSchema, checkpoints: z.array(signedCheckpointSchema) }),
)
export type AnchorAuditState = z.infer<typeof anchorAuditStateSchema>

/**
 * Follows the logs of anchors without trusting them: each log that is listed must extend what it was at the last visit.
 * It reads checkpoints and consistency proofs, no entries. A fault is permanent: the `evidence` of the error has both
 * signed checkpoints.
 */
export class AnchorAuditor {
  // As a result: see `safely`.
  readonly safeFollow = safeTwin(this, 'follow')

  readonly #transport: Transport
  readonly #core: string
  readonly #listKeys: ListKeys | undefined

  /** `listKeys` are the keys of the log list, from another source. A later visit goes on from the list of its state. */
  constructor(transport: Transport, core: string, listKeys?: ListKeys) {
    checkCall('new AnchorAuditor', [transport, core, listKeys], ['transport', 'core', 'listKeys?'])
    this.#transport = transport
    this.#core = core
    this.#listKeys = listKeys
  }

  /**
   * From an earlier visit, or from nothing, to the newest checkpoint of every log. Throws a `VerificationError` if a log
   * was shortened or rewritten since, or is not on the list any more.
   */
  async follow(from: AnchorAuditState | null): Promise<AnchorAuditState> {
    checkCall('anchorAuditor.follow', [from], ['from'])
    const trust = from ? { list: from.list } : { listKeys: this.#listKeys }
    const list = await new TrustedLogs(this.#transport, `${this.#core}/api/logs`, trust).newest()
    const known = from?.checkpoints ?? []
    for (const { statement } of known)
      if (!listedLog(list.statement, statement.log)) throw fault('unlisted_log', { log: statement.log }, list)
    const checkpoints: SignedCheckpoint[] = []
    for (const listed of list.statement.logs) {
      // An announced log has no checkpoint until it is opened.
      if (listed.series !== 'anchors' || listed.state === 'announced') continue
      const before = known.find(({ statement }) => statement.log === listed.log)
      checkpoints.push(await this.#newest(listed, list, before))
    }
    return { list, checkpoints }
  }

  async #newest(
    listed: ListedLog,
    list: SignedLogList,
    before: SignedCheckpoint | undefined,
  ): Promise<SignedCheckpoint> {
    const { log } = listed
    const newest = await this.#checkpointOf(listed)
    if (newest.statement.log !== log) throw fault('wrong_log', { log }, newest)
    const verified = await verifyListedCheckpoint(newest, list.statement, this.#transport.realms)
    if (!verified.ok) throw fault(verified.error.reason, { log }, newest)
    if (!before) return newest
    const { size } = newest.statement
    const evidence = { known: before, checkpoint: newest }
    if (size < before.statement.size) throw fault('shrunk', { log, position: size }, evidence)
    if (!(await this.#extends(before, newest))) throw fault('fork', { log, position: size }, evidence)
    return newest
  }

  /** A closed log ends with the checkpoint of the list; the service is asked for that of an open one. */
  async #checkpointOf({ log, final }: ListedLog): Promise<SignedCheckpoint> {
    if (final) return signedCheckpointSchema.parse(final)
    return this.#get(`checkpoint?${new URLSearchParams({ log }).toString()}`, signedCheckpointSchema)
  }

  async #extends(before: SignedCheckpoint, newest: SignedCheckpoint): Promise<boolean> {
    const { log, size: first } = before.statement
    const { size: second } = newest.statement
    const key = newest.publicKeyB64u
    if (first === 0 || first === second) return verifyExtension(before, newest, [], key)
    const query = new URLSearchParams({ log, first: String(first), second: String(second) })
    const { proof } = await this.#get(`consistency?${query.toString()}`, consistencySchema)
    return verifyExtension(before, newest, proof, key)
  }

  #get<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
    return this.#transport.json({ method: 'GET', url: `${this.#core}/api/anchors/${path}` }, schema)
  }
}

function fault(reason: VerificationReason, where: Where, evidence: object): VerificationError {
  return unverified('anchors', reason, `The log of anchors is not sound: ${reason}`, { where, evidence })
}
