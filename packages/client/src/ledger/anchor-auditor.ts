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

/** What an auditor of anchors stores between visits: the log list, and the newest verified checkpoint of each log. */
export const anchorAuditStateSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ list: signedLogListSchema, checkpoints: z.array(signedCheckpointSchema) }),
)
export type AnchorAuditState = z.infer<typeof anchorAuditStateSchema>

/**
 * Audits the logs of anchors: each listed log must extend its state at the last visit. Reads checkpoints and consistency
 * proofs, but no entries. The `evidence` of an error has both signed checkpoints and proves the fault to anyone.
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
   * Verifies every log from the state of an earlier visit, or null, to its newest checkpoint, and returns the new state.
   * Throws a `VerificationError` if a log was shortened or rewritten, or is no longer listed.
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
