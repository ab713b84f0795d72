import { connectAsRoot } from '../keys/connect.ts'
import { keepDevice, newDevice } from '../keys/device-keys.ts'
import type { Lock } from '../keys/lock.ts'
import { keepRoot, type RootKeys } from '../keys/root-keys.ts'
import { keepSheets } from '../sheets/kept-sheets.ts'

/**
 * Makes this browser a device of an identity by its root key, which is encrypted before anything is sent. Can be called
 * again if sending fails.
 */
export async function joinHere(core: string, keys: RootKeys, lock: Lock): Promise<void> {
  await keepRoot(keys, lock)
  const client = await connectAsRoot(core, keys)
  const { did } = keys.identity
  // Its devices write notes for the key that is stated here.
  await client.did.register()
  const made = await newDevice()
  const attestation = await client.devices.attest(await made.device.acceptance(did, client))
  const history = await client.keyHistory.of(did)
  if (keys.recovery && keys.sheets.length > 0) await keepSheets({ did, sheets: keys.sheets, recovery: keys.recovery })
  await keepDevice(made, await made.device.attested(attestation, history, client.realms), lock)
}
