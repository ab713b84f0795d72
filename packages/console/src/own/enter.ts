import type { Device } from '@svc/client'
import { connectAs } from '../keys/connect.ts'
import { rootLockedBy } from '../keys/root-keys.ts'
import type { Own } from './own.ts'

export { findDevice, unlockDevice } from '../keys/device-keys.ts'

/** Connects as the device of this browser. */
export async function enterAs(core: string, device: Device): Promise<Own> {
  const [client, rootLock] = await Promise.all([connectAs(core, device), rootLockedBy()])
  return { core, device, client, rootLock }
}
