/**
 * What an owner holds, as far as it decides a theft.
 *
 * @module
 */
import { type Commitment, isCommitted } from '@svc/protocol/chain/commitment'
import type { CountedDevices, Kept, Prospect } from '@svc/protocol/chain/prospects'
import type { RequestedRotation } from '../request-rules.ts'

/** What decides a theft, apart from what is stolen. */
export interface Holdings {
  readonly devices: Pick<CountedDevices, 'cosign' | 'veto'>
  readonly kept: Kept
  readonly operator: boolean
  readonly acceptsV2: boolean
  /** Null if the identity has committed to no keys. */
  readonly commitment: { readonly isReplaceable: boolean } | null
}

/** A device by what it can do in a dispute. */
export type Strength = 'none' | 'veto' | 'cosign'

/** What a theft comes to. */
export type Decided = Pick<Prospect, 'row' | 'outcome' | 'within' | 'notBefore'>

export const strongest = ({ cosign, veto }: Holdings['devices']): Strength =>
  cosign > 0 ? 'cosign' : veto > 0 ? 'veto' : 'none'

/** What a thief of one device takes, at worst, and what is left. */
export function robbed(devices: Holdings['devices']): { readonly stolen: Strength; readonly left: Strength } {
  const stolen = strongest(devices)
  const left = { ...devices, ...(stolen === 'none' ? {} : { [stolen]: devices[stolen] - 1 }) }
  return { stolen, left: strongest(left) }
}

/** What the owner says that they keep, beside what is known of the identity. By default, what they rehearse. */
export function keptBeside(
  { version, newPublicKeyB64u }: Pick<RequestedRotation, 'version' | 'newPublicKeyB64u'>,
  commitment: Commitment,
  kept: Kept | null,
): Pick<Holdings, 'kept' | 'commitment'> {
  const { rootCopy, requests, sheets } = kept ?? { rootCopy: false, requests: [version] }
  const rehearsed = isCommitted(commitment, newPublicKeyB64u) ? 1 : 0
  const isCommitting = commitment.next.length > 0
  return {
    kept: { rootCopy, requests, sheets: sheets ?? rehearsed },
    commitment: isCommitting ? { isReplaceable: commitment.replaceable } : null,
  }
}
