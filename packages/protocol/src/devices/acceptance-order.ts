/**
 * The place of a device's acceptance in the inception log (workers/docs/pages/developer/statements.md, “Order”).
 *
 * Without this rule, the holder of the root key could use an acceptance twice: after a rotation or an expiry, they could
 * bring back a device that has signed nothing since.
 *
 * @module
 */
import type { InceptionHead, KnownInception } from '../base/inception-head.ts'

/** The log as it was before the attestation. */
export interface AcceptanceLog {
  /** Returns whether the log has the event with this hash at this sequence number, or this genesis block at 0. */
  has(head: InceptionHead): boolean
  /** Returns the sequence number of the newest event about a device; null for a device that was never attested. */
  newestEventOf(deviceId: string): number | null
}

export type AcceptanceFault = {
  readonly reason: /** The log does not have the event that the acceptance names. */
    | 'unknown_head'
    /** The acceptance names an older event than the newest one about its device. */
    | 'older_head'
}

/** Returns why an acceptance cannot be part of the next event, or null. */
export function acceptanceFault(
  { deviceId, inception }: { readonly deviceId: string; readonly inception: KnownInception },
  log: AcceptanceLog,
): AcceptanceFault | null {
  if (inception !== null && !log.has(inception)) return { reason: 'unknown_head' }
  const newest = log.newestEventOf(deviceId)
  const isOlder = newest !== null && (inception === null || inception.sequence < newest)
  return isOlder ? { reason: 'older_head' } : null
}
