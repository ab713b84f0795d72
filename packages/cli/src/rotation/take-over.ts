import type { Device, Identity } from '#client'
import type { KeySet } from '#client/backup'
import type { Secret } from '#client/text'
import type { Context } from '../context.ts'
import { namedSheets } from '../sheets/named-sheets.ts'
import { renewFile } from '../sheets/recovery-file.ts'
import { rootNow } from '../sheets/root-now.ts'
import { attestedAgain } from './attest-again.ts'

/** The keys of an identity on this machine, with what encrypts them. */
export interface OpenedKeys {
  readonly did: string
  readonly keys: KeySet
  readonly passphrase: Secret
}

/** What follows from a new root key. */
export interface TakenOver {
  /** Number of devices of this machine, which were attested again. */
  readonly devices: number
  /** Ids of the devices elsewhere that have ended. */
  readonly ended: readonly string[]
  /** Path of the new recovery file; null without sheets, or if sheets are missing. */
  readonly recovery: string | null
  /** Number of sheets that this machine does not know. */
  readonly missing: number
}

/** A root key that has taken effect, and records of sheets that it may commit to. */
interface NewRoot {
  readonly successor: Identity
  readonly sheets: KeySet['sheets']
}

/**
 * Stores an active root key in place of the previous one, which is kept to open what was encrypted to it. Writes the
 * recovery file of the new key if all its sheets are known, and attests the devices of this machine again. Can be
 * repeated after a crash: the recovery for the previous key is void, but stays with the keys until the rest is done.
 */
export async function takeOver(
  context: Context,
  { did, keys, passphrase }: OpenedKeys,
  { successor, sheets }: NewRoot,
): Promise<TakenOver> {
  const { formerAfter } = await import('#client/backup')
  // An earlier run may have stored the key before it stopped.
  const isKept = keys.identity?.publicKeyB64u === successor.publicKeyB64u
  const own = { ...keys, identity: successor, former: isKept ? keys.former : formerAfter(keys) }
  // The key first, because everything else can be done again.
  await context.keys.write(did, own, passphrase)
  // From now on the profile acts with the root key, even if this machine joined as a device or had no identity.
  await context.profiles.write(context.options.profile, { ...(await context.profile()), did, device: null })
  const named = await namedSheets([...keys.sheets, ...sheets], await rootNow(context, did, own))
  const kept = { ...own, sheets: named.records }
  const keep = (devices: readonly Device[]) => context.keys.write(did, { ...kept, devices }, passphrase)
  await keep(keys.devices)
  const file = await renewFile(context, successor, named)
  const client = await context.clientOf(kept)
  const devices = await attestedAgain(client, { root: successor, devices: keys.devices, keep })
  await keep(devices)
  const { standingDevices } = await import('#client/functions')
  const all = await standingDevices(client, did, context.environment.now())
  const ended = all.flatMap(({ deviceId, standing }) => (standing === 'ended' ? [deviceId] : []))
  await context.keys.write(did, { ...kept, devices, recovery: file?.kept ?? null }, passphrase)
  return { devices: devices.length, ended, recovery: file?.file ?? null, missing: named.missing }
}
