import type { ServiceKey } from '#protocol/http/service-keys'
import type { ListedBeaconKey } from '#protocol/merkle/listed-keys'
import type { ListedLogs } from '#protocol/merkle/log-list'
import type { Client } from '../client.ts'
import { listedServices } from '../discovery/trusted-keys.ts'
import type { WitnessPolicy } from '../keys/witness-policy.ts'

/** What was verified of a deployment earlier, for a verification that asks nobody. */
export interface KnownKeys {
  /** `services` of the signed list that a client has verified. */
  readonly services: readonly ServiceKey[]
  /** `beacon` of the same list. */
  readonly beacon?: readonly ListedBeaconKey[]
  /** The list of logs, as `TrustedLogs` verified it; null if there was none. */
  readonly logs: ListedLogs | null
}

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
  /** The witnesses that date an anchor, and how many must agree. Without them, the log’s own time counts. */
  readonly witnesses?: WitnessPolicy | null
  /** Instead of a client. */
  readonly known?: KnownKeys
  /** Asks for the passphrase of an export. */
  readonly passphrase: () => Promise<string>
}

/** The realms as verifiers take them; null without one. */
export function expectedRealms({ realms }: Means): readonly [string, ...string[]] | null {
  const [first, ...more] = realms
  return first === undefined ? null : [first, ...more]
}

/** The keys of the services: of the list that the client has verified, or as they were known earlier. */
export function serviceKeysOf({ client, known }: Means): readonly ServiceKey[] | undefined {
  return client ? listedServices(client.discovery) : known?.services
}

/** The same for the beacon. */
export function beaconKeysOf({ client, known }: Means): readonly ListedBeaconKey[] | undefined {
  return client ? client.discovery?.pin.list?.statement.beacon : known?.beacon
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
