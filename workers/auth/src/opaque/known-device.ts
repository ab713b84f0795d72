/**
 * Counts password attempts by device. A device that signed in with an identifier has proof of it and is counted
 * separately. Pure, except for randomness.
 *
 * @module
 */
import { isMintedId, mintId } from '../minted-id.ts'

export interface Guesser {
  readonly kind: 'known' | 'unknown'
  /** The key that attempts are counted by. */
  readonly name: string
}

const purposeOf = (identifierName: string) => `svc/known-device/v1 ${identifierName}`

/** For a device that just signed in. It proves only that, and does not sign in to anything. */
export function mintKnownDevice(key: Uint8Array, identifierName: string): string {
  return mintId(key, purposeOf(identifierName))
}

/** Without proof, or with proof that is made up or for another identifier, an attempt counts with everyone else's. */
export function guesserOf(key: Uint8Array, identifierName: string, shown: string | undefined): Guesser {
  return shown !== undefined && isMintedId(key, purposeOf(identifierName), shown)
    ? { kind: 'known', name: shown }
    : { kind: 'unknown', name: identifierName }
}
