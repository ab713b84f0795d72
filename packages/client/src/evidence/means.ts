import type { Client } from '../client.ts'

/** What a verification can draw on. */
export interface Means {
  /** Asks for public keys, log entries and registrations; null to ask nobody. */
  readonly client: Client | null
  /** The deployments that it may be for; empty if nobody said. */
  readonly realms: readonly string[]
  /** Whose it must be; null to take the word of the evidence for it. */
  readonly expectedDid: string | null
  /** The content that it must be about. */
  readonly file: Uint8Array | null
  /** The key of the log of an anchor or a checkpoint, from another source, base64url; of a beacon, a verifier key. */
  readonly logKeyB64u: string | null
  /** Asks for the verifier keys of the beacon, which `shownBeaconKeys` reads; without it, nobody is asked. */
  readonly beaconKeys?: () => Promise<readonly string[]>
  /** Asks for the passphrase of an export. */
  readonly passphrase: () => Promise<string>
}

/** The realms as verifiers take them; null without one. */
export function expectedRealms({ realms }: Means): readonly [string, ...string[]] | null {
  const [first, ...more] = realms
  return first === undefined ? null : [first, ...more]
}

/** A 404 as null, and a 400 for what cannot be an id. */
export async function absentAsNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch (error) {
    const isService = error instanceof Error && error.name === 'ServiceError' && 'status' in error
    if (isService && [400, 404].includes(Number(error.status))) return null
    throw error
  }
}
