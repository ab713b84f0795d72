import type { KeptRecovery } from '@svc/client'
import { connectAsNobody } from '../keys/connect.ts'
import { keepDevice, newDevice } from '../keys/device-keys.ts'
import type { Lock } from '../keys/lock.ts'
import { keepRoot } from '../keys/root-keys.ts'
import { keepSheets } from '../sheets/kept-sheets.ts'
import type { MadeSheet } from '../sheets/made-sheet.ts'

/**
 * Creates an identity that commits to the keys of the sheets, with this browser as its first device. The root key is
 * encrypted before anything is sent. Returns the recovery file.
 */
export async function createHere(core: string, lock: Lock, made: readonly MadeSheet[]): Promise<KeptRecovery> {
  const device = await newDevice()
  const client = await connectAsNobody(core)
  const confirmed = <T extends object>(records: readonly T[]) =>
    records.map((record, at) => ({ ...record, confirmedAt: made[at]?.confirmedAt ?? null }))
  const created = await client.createIdentity({
    device: device.device,
    sheets: made.map(({ sheet }) => sheet),
    keep: ({ identity, kept, sheets }) => keepRoot({ identity, recovery: kept, sheets: confirmed(sheets) }, lock),
  })
  await created.client.did.register()
  await keepDevice(device, created.device, lock)
  await keepSheets({ did: created.identity.did, sheets: confirmed(created.sheets), recovery: created.kept })
  return created.kept
}
