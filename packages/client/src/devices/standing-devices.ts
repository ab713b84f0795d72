import type { Device } from '#protocol/devices/inception'
import { checkCall } from '../arguments/check.ts'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Devices } from './devices.ts'
import { type DeviceStanding, deviceStandingOf } from './standing.ts'

/** A device of a verified log, with its current standing. */
export interface StandingDevice extends Device {
  readonly standing: DeviceStanding
  /** When it gains standing in a rotation, epoch ms; null if it has standing or is not active. Claimed by core. */
  readonly countsAt: number | null
}

/** The devices of the verified log, each with what it may do now, epoch ms. Throws like `devices.verify`. */
export async function standingDevices(
  client: { readonly devices: Pick<Devices, 'verify'>; readonly keyHistory: Pick<KeyHistory, 'of'> },
  did: string,
  now: number,
): Promise<readonly StandingDevice[]> {
  checkCall('standingDevices', [client, did, now], ['client', 'did', 'now'])
  const [{ devices, waiting }, rootKeys] = await Promise.all([client.devices.verify(), client.keyHistory.of(did)])
  const at = { epoch: rootKeys.at(-1)?.epoch ?? 0, now }
  return devices.map((device) => {
    const standing = deviceStandingOf(device, at)
    return { ...device, standing, countsAt: standing === 'active' ? (waiting.get(device.deviceId) ?? null) : null }
  })
}
