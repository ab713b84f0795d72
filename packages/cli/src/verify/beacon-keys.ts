import type { Client, ConnectOptions } from '@svc/client'

/** The keys that the service shows for its beacon: nothing else in the SDK reads them. */
export async function beaconKeys(client: Client, options: ConnectOptions): Promise<readonly string[]> {
  const [{ shownBeaconKeys }, { Transport }] = await Promise.all([import('@svc/client/beacon'), import('@svc/client')])
  const { core: _, trustStore: __, ...connection } = options
  const keys = client.discovery?.document.services.keys.url
  if (keys === undefined) return []
  return shownBeaconKeys(new Transport({ ...connection, realm: client.realm }), keys)
}
