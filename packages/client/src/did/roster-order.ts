import type { SignerState } from '#protocol/devices/signer-standing'
import type { OrgRoster, OrgRosterVerifier } from '#protocol/did/org-roster'
import type { OrgEventsPage } from '#protocol/did/organizations'
import { endOfRoot, type RootKeys } from '../chain/root-keys.ts'
import { unverified } from '../verification/verification-error.ts'

/** What proves that the newest event of the bindings was signed before its root key ended. */
export interface RosterOrder {
  /** State of the root key that signed the newest event; null for an empty log. */
  readonly signer: SignerState | null
  /**
   * `inception`: the key is the current one, and the event names what its signer knew. `log`: the key was replaced, and
   * the service claims to have accepted the event before. `unknown`: the log is empty, or the event names nothing.
   */
  readonly order: 'inception' | 'log' | 'unknown'
}

export interface VerifiedLog extends Pick<OrgRosterVerifier, 'epoch' | 'acceptances'> {
  readonly roster: Pick<OrgRoster, 'head' | 'inception' | 'members'>
}

/** When the service accepted each event, by sequence, epoch ms. */
export type AcceptedAt = ReadonlyMap<number, number>

/**
 * Judges the newest event and the newest acceptance of each member, which nothing in the log follows. If its root key was
 * replaced, only the time that the service claims can decide. Throws a `VerificationError` (`unordered`) if the service
 * accepted it after the replacement.
 */
export async function orderOf(
  { roster, epoch, acceptances }: VerifiedLog,
  acceptedAt: AcceptedAt,
  keysOf: { readonly own: RootKeys; readonly member: (did: string) => Promise<RootKeys> },
): Promise<RosterOrder> {
  for (const [memberDid, { sequence, epoch: signedIn }] of acceptances) {
    if (roster.members.get(memberDid)?.isRevoked) continue
    const keys = await keysOf.member(memberDid)
    refuseLate(acceptedAt, sequence, endOfRoot(keys, signedIn), 'The root key of a member was replaced before')
  }
  const { sequence } = roster.head
  if (sequence === 0) return { signer: null, order: 'unknown' }
  const end = endOfRoot(keysOf.own, epoch)
  refuseLate(acceptedAt, sequence, end, 'The root key of the newest event was replaced before')
  if (end !== null) return { signer: 'superseded', order: 'log' }
  return { signer: 'active', order: roster.inception ? 'inception' : 'unknown' }
}

function refuseLate(acceptedAt: AcceptedAt, sequence: number, end: number | null, why: string): void {
  const at = acceptedAt.get(sequence)
  if (end === null || (at !== undefined && at <= end)) return
  throw unverified('organization', 'unordered', `${why} the service accepted the event`, { where: { sequence } })
}

/** Returns the times of a page by sequence. Throws if the page does not have one for each event. */
export function timesOf({ events, acceptedAt }: OrgEventsPage): [number, number][] {
  return events.map(({ statement: { sequence } }, i) => {
    const at = acceptedAt[i]
    if (at === undefined)
      throw unverified('organization', 'left_out', 'The time of an event is missing', { where: { sequence } })
    return [sequence, at]
  })
}
