import type { Client, ConnectOptions } from '#client'
import { transportBeside } from '../transport.ts'

/** The keys of the beacon in the signed list; without a list, those that the service shows. */
export async function beaconKeys(client: Client, options: ConnectOptions): Promise<readonly string[]> {
  const listed = client.discovery?.pin.list?.statement.beacon
  if (listed) return listed.map(({ verifierKey }) => verifierKey)
  const keys = client.discovery?.document.services.keys.url
  if (keys === undefined) return []
  const { shownBeaconKeys } = await import('#client/beacon')
  return shownBeaconKeys(await transportBeside(client, options), keys)
}
