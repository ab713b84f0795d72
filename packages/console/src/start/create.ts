import type { KeptRecovery } from '@svc/client'
import { type RecoverySheet, recoverySheet } from '@svc/client/recovery-words'
import { connectAsNobody } from '../keys/connect.ts'
import { keepDevice, newDevice } from '../keys/device-keys.ts'
import type { Lock } from '../keys/lock.ts'
import { keepRoot } from '../keys/root-keys.ts'

/** The recovery key, whose it is, and the requests that go with it. */
export interface NewSheet extends RecoverySheet {
  readonly of: string
  readonly recovery: KeptRecovery
}

/**
 * Makes an identity with this browser as its first device, and a prepared recovery. The root key is encrypted before
 * anything is sent. Returns the recovery key, to be written down: nothing else keeps it.
 */
export async function createHere(core: string, lock: Lock): Promise<NewSheet> {
  const made = await newDevice()
  const client = await connectAsNobody(core)
  const created = await client.createIdentity({
    device: made.device,
    keep: ({ identity, kept }) => keepRoot({ identity, recovery: kept }, lock),
  })
  await created.client.did.register()
  await keepDevice(made, created.device, lock)
  return { ...recoverySheet(created.successor), of: created.identity.did, recovery: created.kept }
}
