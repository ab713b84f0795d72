import { Identity, type KeptRecovery, WatchToken } from '@svc/client'
import { connectAsNobody } from '../keys/connect.ts'
import { keepDevice, type NewDevice, newDevice } from '../keys/device-keys.ts'
import type { Lock } from '../keys/lock.ts'
import { keepRoot } from '../keys/root-keys.ts'
import { keepSheets } from '../sheets/kept-sheets.ts'
import type { MadeSheet } from '../sheets/made-sheet.ts'

/** The keys of an identity that commits to these sheets. A second try with them continues the first. */
export interface Begun {
  readonly made: readonly MadeSheet[]
  readonly identity: Identity
  readonly device: NewDevice
  readonly watchToken: WatchToken
}

/** Returns what was begun, if it is for these sheets; otherwise new keys. */
export async function begin(made: readonly MadeSheet[], begun: Begun | null): Promise<Begun> {
  const isSame = begun?.made.length === made.length && begun.made.every(({ sheet }, at) => sheet === made[at]?.sheet)
  if (isSame) return { ...begun, made }
  return { made, identity: await Identity.create(), device: await newDevice(), watchToken: WatchToken.create() }
}

/**
 * Creates an identity that commits to the keys of the sheets, with this browser as its first device. The root key is
 * encrypted before anything is sent. Returns the recovery file.
 */
export async function createHere(core: string, lock: Lock, begun: Begun): Promise<KeptRecovery> {
  const { made, identity, device, watchToken } = begun
  const client = await connectAsNobody(core)
  const confirmed = <T extends object>(records: readonly T[]) =>
    records.map((record, at) => ({ ...record, confirmedAt: made[at]?.confirmedAt ?? null }))
  const created = await client.createIdentity({
    identity,
    device: device.device,
    watchToken,
    sheets: made.map(({ sheet }) => sheet),
    keep: ({ kept, sheets }) => keepRoot({ identity, recovery: kept, sheets: confirmed(sheets) }, lock),
  })
  await created.client.did.register()
  await keepDevice(device, created.device, lock)
  await keepSheets({ did: created.identity.did, sheets: confirmed(created.sheets), recovery: created.kept })
  return created.kept
}
