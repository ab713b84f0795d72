import type { Client, Device, Identity } from '@svc/client'
import type { KeySet } from '@svc/client/backup'
import type { Context } from '../context.ts'
import { standingDevices } from '../device/devices.ts'
import type { Result } from '../result.ts'
import { NextKey } from './next-key.ts'
import { summaryOf } from './rotate.ts'

/** A rotation ends the attestations of devices, so those on this machine are attested again. */
export async function activate(context: Context): Promise<Result> {
  const did = await context.did()
  const { keys, passphrase } = await context.keys.open(did)
  const next = new NextKey(context, did)
  const successor = await next.load(passphrase)
  const before = await context.clientOf(keys)
  const record = await before.rotation.newest()
  if (context.options.dryRun) return { data: summaryOf(record), text: `Would activate ${record.rotationId}.` }
  const activated = await before.rotation.activate(record)
  const kept = await keepSuccessor(context, { did, keys, passphrase }, successor)
  await next.delete()
  const devices = await attestDevices(context, kept)
  const client = await context.clientOf(kept.keys)
  const standing = await standingDevices(client, did, context.environment.now())
  const ended = standing.flatMap(({ deviceId, status }) => (status === 'ended' ? [deviceId] : []))
  return {
    data: { ...summaryOf(activated), devices: devices.length, ended },
    text: [
      `${did} has a new root key.`,
      ...(ended.length === 0
        ? []
        : ['These devices have ended. Pair each again with svc device pair, if you still use it:']),
      ...ended.map((deviceId) => `  ${deviceId}`),
      'Next: svc recovery prepare, and svc id backup',
    ],
  }
}

/** The keys of an identity on this machine, with what encrypts them. */
export interface OpenedKeys {
  readonly did: string
  readonly keys: KeySet
  readonly passphrase: string
}

/**
 * Keeps the new root key in the place of the one before, which goes on opening what was encrypted for it. The recovery that
 * was prepared for the key before is void.
 */
export async function keepSuccessor(
  context: Context,
  { did, keys, passphrase }: OpenedKeys,
  successor: Identity,
): Promise<OpenedKeys> {
  const { formerAfter } = await import('@svc/client/backup')
  const kept = { identity: successor, former: formerAfter(keys), devices: keys.devices, recovery: null }
  await context.keys.write(did, kept, passphrase)
  // From now on it acts with the root key, whatever it joined as.
  await context.profiles.write(context.options.profile, { ...(await context.profile()), device: null })
  return { did, keys: kept, passphrase }
}

/** Attests the devices of this machine again, by the root key that is kept here, and returns them. */
export async function attestDevices(
  context: Context,
  { did, keys, passphrase }: OpenedKeys,
): Promise<readonly Device[]> {
  const { identity } = keys
  if (!identity) throw new TypeError('The root key is not here')
  const devices = await attestedAgain(await context.clientOf(keys), identity, keys.devices)
  await context.keys.write(did, { ...keys, devices }, passphrase)
  return devices
}

/** A thief may have ended a device, which is final: a new one takes its place. */
async function attestedAgain(client: Client, root: Identity, devices: readonly Device[]): Promise<Device[]> {
  const again: Device[] = []
  for (const device of devices) {
    const attested = await attest(client, root, device).catch(async (error: unknown) => {
      if (!isRevoked(error)) throw error
      const { Device } = await import('@svc/client/identity')
      return attest(client, root, await Device.create(device.options))
    })
    again.push(attested)
  }
  return again
}

async function attest(client: Client, root: Identity, device: Device): Promise<Device> {
  const { realm, realms } = client
  const attestation = await client.devices.attest(await device.acceptance(root.did, { realm }))
  return device.attested(attestation, await client.keyHistory.of(root.did), realms)
}

function isRevoked(error: unknown): boolean {
  return error instanceof Error && error.name === 'ServiceError' && 'error' in error && error.error === 'device_revoked'
}
