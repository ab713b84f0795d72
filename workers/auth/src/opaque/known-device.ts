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

/** Whether it was minted for a device that signed in with this identifier, however long ago. */
export function isKnownDevice(key: Uint8Array, identifierName: string, shown: string): boolean {
  return isMintedId(key, purposeOf(identifierName), shown)
}
