import { createHash } from 'node:crypto'
import { Identity } from '@svc/client'

/**
 * The signer of the policy of a local platform that several programs share. The first policy is set once: whichever of them
 * sets it makes this one a signer, so that the others can replace it.
 */
export function governorOf(operatorSeed: Uint8Array): Promise<Identity> {
  const signing = createHash('sha256').update(operatorSeed).digest()
  return Identity.fromSeeds({ signing, kem: createHash('sha256').update(signing).digest() })
}
