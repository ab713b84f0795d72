/**
 * The order of the acceptances in an inception log (workers/docs/pages/developer/statements.md, “Order”).
 *
 * A device names an event of this log. Without the rule about it, the holder of the root key could use an acceptance
 * twice: after a rotation or an expiry, they could bring back a device that has signed nothing since.
 *
 * An officer names an event of its own log, which readers of this one cannot see. They compare its acceptances only with
 * each other.
 *
 * @module
 */
import { type InceptionHead, isOlderHead, type KnownInception, newerHead } from '../base/inception-head.ts'

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
    /** It names an older event than the newest one about its device, or than an earlier acceptance of its officer. */
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

/** What the rules need of an officer's acceptance. */
interface OfficerAcceptance {
  readonly statement: { readonly officerDid: string; readonly inception: KnownInception }
}

export interface OfficerLog {
  /** Returns the event of its own log that the newest acceptance of an officer names; null for no acceptance. */
  acceptedBefore(officerDid: string): KnownInception
}

/** Returns why the acceptances of a roster cannot follow the earlier ones, or null. */
export function officersFault(acceptances: readonly OfficerAcceptance[], log: OfficerLog): AcceptanceFault | null {
  const isOlder = ({ statement: { officerDid, inception } }: OfficerAcceptance) =>
    isOlderHead(inception, log.acceptedBefore(officerDid))
  return acceptances.some(isOlder) ? { reason: 'older_head' } : null
}

/** What the acceptances of the officers of one organization name, event by event. */
export class AcceptedOfficers implements OfficerLog {
  readonly #named = new Map<string, KnownInception>()

  acceptedBefore(officerDid: string): KnownInception {
    return this.#named.get(officerDid) ?? null
  }

  add(acceptances: readonly OfficerAcceptance[]): void {
    for (const { statement } of acceptances) {
      const { officerDid, inception } = statement
      this.#named.set(officerDid, newerHead(this.acceptedBefore(officerDid), inception))
    }
  }
}
