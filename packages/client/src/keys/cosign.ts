import { mlDsa65 } from '#pqc'
import { encodeBase64url } from '#protocol/base/base64url'
import { userIdOf } from '#protocol/base/identity'
import { signStatement } from '#protocol/base/statement'
import { checkCall } from '../arguments/check.ts'
import type { Transport } from '../transport/transport.ts'
import type { AuditReport } from './log-auditor.ts'

export interface CosignOptions {
  /** Of the witness's ML-DSA-65 key, 32 bytes. Secret. */
  readonly seed: Uint8Array
  /** Epoch milliseconds; defaults to the clock of the transport. */
  readonly now?: number
}

/**
 * As a witness: signs the state of a log that `LogAuditor.follow` has verified, and submits the cosignature to the
 * directory. Store the state before: a witness must never sign an earlier one. Returns the userId of the witness.
 */
export async function cosign(
  transport: Transport,
  keys: string,
  report: Pick<AuditReport, 'state' | 'verifies'>,
  options: CosignOptions,
): Promise<string> {
  checkCall(
    'cosign',
    [transport, keys, report, options],
    ['transport', 'keys', 'report', ['options', { seed: 1, now: 0 }]],
  )
  const { state, verifies } = report
  const { seed, now = transport.now() } = options
  const publicKey = await mlDsa65.publicKeyOf(seed)
  const { log, size, root } = state.checkpoint.statement
  const witness = userIdOf(publicKey)
  const type = 'svc/transparency-cosignature/v1'
  const { realm } = transport
  const statement = { type, realm, log, size, root, witness, verifies, issuedAt: now } as const
  const signed = await signStatement(statement, (message) => mlDsa65.sign(seed, message))
  const body = { ...signed, publicKeyB64u: encodeBase64url(publicKey) }
  await transport.send({ method: 'POST', url: `${keys}/api/transparency/cosignatures`, body })
  return witness
}
