import type { Client, ConnectOptions } from '#client'
import { transportBeside } from '../transport.ts'

/** The keys that the service shows for its beacon; none if the deployment has no key directory. */
export async function beaconKeys(client: Client, options: ConnectOptions): Promise<readonly string[]> {
  const keys = client.discovery?.document.services.keys.url
  if (keys === undefined) return []
  const { shownBeaconKeys } = await import('#client/beacon')
  return shownBeaconKeys(await transportBeside(client, options), keys)
}
