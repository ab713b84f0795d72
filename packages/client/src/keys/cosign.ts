import { mlDsa65 } from '#pqc'
import { encodeBase64url } from '#protocol/base/base64url'
import { userIdOf } from '#protocol/base/identity'
import { signStatement } from '#protocol/base/statement'
import type { LogCheckpoint, SignedCheckpoint } from '#protocol/merkle/checkpoint'
import { checkCall } from '../arguments/check.ts'
import type { Transport } from '../transport/transport.ts'
import type { AuditReport, Verifies } from './log-auditor.ts'

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
  const { checkpoint } = report.state
  return cosigned(transport, `${keys}/api/transparency/cosignatures`, checkpoint, report.verifies, options)
}

/**
 * The same for one log of anchors, with a checkpoint that `AnchorAuditor.follow` has verified. Core keeps the first
 * cosignature of each witness and size for good, so cosign a state once.
 */
export async function cosignAnchors(
  transport: Transport,
  core: string,
  checkpoint: SignedCheckpoint,
  options: CosignOptions,
): Promise<string> {
  checkCall(
    'cosignAnchors',
    [transport, core, checkpoint, options],
    ['transport', 'core', 'checkpoint', ['options', { seed: 1, now: 0 }]],
  )
  return cosigned(transport, `${core}/api/anchors/cosignatures`, checkpoint, 'log', options)
}

async function cosigned(
  transport: Transport,
  url: string,
  { statement: { log, size, root } }: LogCheckpoint,
  verifies: Verifies,
  { seed, now = transport.now() }: CosignOptions,
): Promise<string> {
  const publicKey = await mlDsa65.publicKeyOf(seed)
  const witness = userIdOf(publicKey)
  const type = 'svc/transparency-cosignature/v1'
  const { realm } = transport
  const statement = { type, realm, log, size, root, witness, verifies, issuedAt: now } as const
  const signed = await signStatement(statement, (message) => mlDsa65.sign(seed, message))
  await transport.send({ method: 'POST', url, body: { ...signed, publicKeyB64u: encodeBase64url(publicKey) } })
  return witness
}
