import type { Device } from '#protocol/devices/inception'

/** What a device may do now. `ended`: attested by a root key that was replaced since. */
export type DeviceStanding = Device['status'] | 'ended' | 'expired'

/** Whether a device of a verified log acts at a time, epoch ms, while the root key is that of `epoch`; and if not, why. */
export function deviceStandingOf(
  { status, rootEpoch, expiresAt }: Pick<Device, 'status' | 'rootEpoch' | 'expiresAt'>,
  { epoch, now }: { readonly epoch: number; readonly now: number },
): DeviceStanding {
  if (status === 'revoked') return status
  if (rootEpoch !== epoch) return 'ended'
  return expiresAt !== null && expiresAt <= now ? 'expired' : status
}
