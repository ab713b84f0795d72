import type { Client, Device, Identity } from '#client'
import type { KeySet } from '#client/backup'
import type { Secret } from '#client/text'
import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import type { Result } from '../result.ts'
import { renewFile } from '../sheets/recovery-file.ts'
import { NextKey } from './next-key.ts'
import { nothingPending, summaryOf } from './record-lines.ts'

/**
 * Makes the new root key of this machine the root key. A rotation ends the attestations of devices, so those on this
 * machine are attested again. A second run finishes what the first one began.
 */
export async function activate(context: Context): Promise<Result> {
  const did = await context.did()
  const { keys, passphrase } = await context.keys.open(did)
  const next = new NextKey(context, did)
  const client = await context.clientOf(keys)
  // Needs no credential: after the activation, core refuses the previous root key.
  const record = await unlessUnlogged(client.keyHistory.rotation(did))
  if (!record) throw nothingPending()
  // The newest rotation may be that of a thief, to a key that is not here.
  const { successor, sheets } = await next.load(record.newUserId ?? '', passphrase)
  if (context.options.dryRun) return { data: summaryOf(record), text: `Would activate ${record.rotationId}.` }
  const activated = record.status === 'active' ? record : await unlessUnlogged(client.rotation.activate(record))
  const kept = await keepSuccessor(context, { did, keys: { ...keys, sheets }, passphrase }, successor)
  await next.delete()
  const { devices, ended } = await attestDevices(context, kept)
  return {
    data: { ...summaryOf(activated), devices: devices.length, ended, recovery: kept.recovery },
    text: [`${did} has a new root key.`, ...linesOfEnded(ended), afterANewKey(kept.recovery)],
  }
}

/** Says to wait if the log of the key directory does not prove a replacement yet, as in the minute after its activation. */
async function unlessUnlogged<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof Error && error.name === 'VerificationError')) throw error
    if (!('reason' in error && error.reason === 'not_in_log')) throw error
    throw new CliError({
      exitCode: EXIT.pending,
      code: 'not_in_log',
      message: 'The new root key is active, but the log of the key directory does not prove it yet',
      next: 'run svc rotate activate again in a minute',
      page: '/developer/successors#what-others-verify',
    })
  })
}

/** A new root key makes the prepared recovery void and the backup outdated. With sheets, the file was renewed already. */
export function afterANewKey(recovery: string | null): string {
  // Devices cannot write notes before the new root key has published the keys to encrypt to.
  const register = 'Next: svc did register'
  return recovery === null ? `${register}, svc recovery prepare, and svc id backup` : `${register}, and svc id backup`
}

export function linesOfEnded(ended: readonly string[]): string[] {
  if (ended.length === 0) return []
  const lead = 'These devices have ended. Pair each again with svc device pair, if you still use it:'
  return [lead, ...ended.map((deviceId) => `  ${deviceId}`)]
}

/** The keys of an identity on this machine, with what encrypts them. */
export interface OpenedKeys {
  readonly did: string
  readonly keys: KeySet
  readonly passphrase: Secret
}

/**
 * Stores the new root key in place of the previous one, which is kept to open what was encrypted to it. The recovery that
 * was prepared for the previous key is void. With sheets, writes a new recovery file.
 */
export async function keepSuccessor(
  context: Context,
  { did, keys, passphrase }: OpenedKeys,
  successor: Identity,
): Promise<OpenedKeys & { readonly recovery: string | null }> {
  const { formerAfter } = await import('#client/backup')
  const { devices, sheets } = keys
  // An earlier run may have stored the key before it stopped.
  const isKept = keys.identity?.publicKeyB64u === successor.publicKeyB64u
  const former = isKept ? keys.former : formerAfter(keys)
  const kept = { identity: successor, former, devices, recovery: null, sheets }
  // The key first, because a recovery file can be written again.
  await context.keys.write(did, kept, passphrase)
  const file = await renewFile(context, { did, keys: kept })
  const all = { ...kept, recovery: file?.kept ?? null }
  if (file) await context.keys.write(did, all, passphrase)
  // From now on the profile acts with the root key, even if this machine joined as a device or had no identity.
  await context.profiles.write(context.options.profile, { ...(await context.profile()), did, device: null })
  return { did, keys: all, passphrase, recovery: file?.file ?? null }
}

/** What a new root key leaves of the devices. */
interface Attested {
  /** Those of this machine, attested again. */
  readonly devices: readonly Device[]
  /** Ids of the others. */
  readonly ended: readonly string[]
}

/** Attests the devices of this machine again, by the root key that is kept here. */
export async function attestDevices(context: Context, { did, keys, passphrase }: OpenedKeys): Promise<Attested> {
  const { identity } = keys
  if (!identity) throw new TypeError('The root key is not here')
  const client = await context.clientOf(keys)
  const devices = await attestedAgain(client, identity, keys.devices)
  await context.keys.write(did, { ...keys, devices }, passphrase)
  const { standingDevices } = await import('#client/functions')
  const all = await standingDevices(client, did, context.environment.now())
  return { devices, ended: all.flatMap(({ deviceId, standing }) => (standing === 'ended' ? [deviceId] : [])) }
}

/** A thief may have ended a device, which is final: a new one takes its place. */
async function attestedAgain(client: Client, root: Identity, devices: readonly Device[]): Promise<Device[]> {
  const again: Device[] = []
  for (const device of devices) {
    if (device.membership?.rootEpoch === root.epoch) {
      again.push(device)
      continue
    }
    const attested = await attest(client, root, device).catch(async (error: unknown) => {
      if (!isRevoked(error)) throw error
      const { Device } = await import('#client/identity')
      return attest(client, root, await Device.create(device.options))
    })
    again.push(attested)
  }
  return again
}

async function attest(client: Client, root: Identity, device: Device): Promise<Device> {
  const { realm, realms, devices } = client
  const acceptance = await device.acceptance(root.did, { realm, inception: await devices.head() })
  const attestation = await devices.attest(acceptance)
  return device.attested(attestation, await client.keyHistory.of(root.did), realms)
}

function isRevoked(error: unknown): boolean {
  return error instanceof Error && error.name === 'ServiceError' && 'error' in error && error.error === 'device_revoked'
}
