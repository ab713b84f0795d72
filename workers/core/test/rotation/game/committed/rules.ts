/** The rules of core for identities that commit to their successors, in the terms of the game. */
import { type Commitment, successorHash } from '@svc/protocol/chain/commitment'
import type { RotationBasis } from '@svc/protocol/chain/rotation'
import * as succession from '@svc/protocol/chain/succession'

/** Who signed a request. */
export interface Factors {
  readonly root: boolean
  readonly successor: boolean
  /** A device with standing that may co-sign. */
  readonly device: boolean
}

const [COMMITTED_KEY, OTHER_KEY] = ['AA', 'AQ']
const NEXT = [successorHash(COMMITTED_KEY)]
const commitmentOf = (replaceable: boolean): Commitment => ({ next: NEXT, replaceable })

/** Hashing the key costs more than all other moves of a state. */
const known = new Map<string, RotationBasis | null>()

/** R12, R13, R16, R19: what the signatures on a request come to; null: it is refused. */
export function basisOf({ root, successor, device }: Factors, isReplaceable: boolean): RotationBasis | null {
  const key = `${root}${successor}${device}${isReplaceable}`
  const found = known.get(key)
  if (found !== undefined) return found
  const basis = succession.basisOf(commitmentOf(isReplaceable), {
    newPublicKeyB64u: successor ? COMMITTED_KEY : OTHER_KEY,
    version: 2,
    isSignedByRoot: root,
    isCosigned: device,
  })
  known.set(key, basis)
  return basis
}
