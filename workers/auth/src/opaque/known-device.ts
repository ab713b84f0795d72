/**
 * Who tries a password. A device that has signed in under an identifier holds proof of it, and is counted by itself.
 * Pure but for chance.
 *
 * @module
 */
import { isMintedId, mintId } from '../minted-id.ts'

export interface Guesser {
  readonly kind: 'known' | 'unknown'
  /** What attempts are counted by. */
  readonly name: string
}

const purposeOf = (identifierName: string) => `svc/known-device/v1 ${identifierName}`

/** For a device that has just signed in. It proves nothing but that, and signs in to nothing. */
export function mintKnownDevice(key: Uint8Array, identifierName: string): string {
  return mintId(key, purposeOf(identifierName))
}

/** Whoever shows nothing, something made up, or something of another identifier is counted with everybody. */
export function guesserOf(key: Uint8Array, identifierName: string, shown: string | undefined): Guesser {
  return shown !== undefined && isMintedId(key, purposeOf(identifierName), shown)
    ? { kind: 'known', name: shown }
    : { kind: 'unknown', name: identifierName }
}
