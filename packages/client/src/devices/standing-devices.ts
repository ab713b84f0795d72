import type { Device } from '#protocol/devices/inception'
import { checkCall } from '../arguments/check.ts'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Devices } from './devices.ts'
import { type DeviceStanding, deviceStandingOf } from './standing.ts'

/** The devices of the verified log, each with what it may do now, epoch ms. Throws like `devices.verify`. */
export async function standingDevices(
  client: { readonly devices: Pick<Devices, 'verify'>; readonly keyHistory: Pick<KeyHistory, 'of'> },
  did: string,
  now: number,
): Promise<readonly (Device & { readonly standing: DeviceStanding })[]> {
  checkCall('standingDevices', [client, did, now], ['client', 'did', 'now'])
  const [{ devices }, rootKeys] = await Promise.all([client.devices.verify(), client.keyHistory.of(did)])
  const at = { epoch: rootKeys.at(-1)?.epoch ?? 0, now }
  return devices.map((device) => ({ ...device, standing: deviceStandingOf(device, at) }))
}
