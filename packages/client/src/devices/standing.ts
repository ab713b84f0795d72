import type { Device } from '#protocol/devices/inception'
import { checkCall } from '../arguments/check.ts'

/** What a device may do now. `ended`: attested by a root key that was replaced since. */
export type DeviceStanding = Device['status'] | 'ended' | 'expired'

/** Whether a device of a verified log acts at a time, epoch ms, while the root key is that of `epoch`; and if not, why. */
export function deviceStandingOf(
  device: Pick<Device, 'status' | 'rootEpoch' | 'expiresAt'>,
  at: { readonly epoch: number; readonly now: number },
): DeviceStanding {
  checkCall('deviceStandingOf', [device, at], ['device', ['at', { epoch: 1, now: 1 }]])
  const { status, rootEpoch, expiresAt } = device
  const { epoch, now } = at
  if (status === 'revoked') return status
  if (rootEpoch !== epoch) return 'ended'
  return expiresAt !== null && expiresAt <= now ? 'expired' : status
}
