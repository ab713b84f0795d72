import type { Client, Device, Identity } from '@svc/client'
import type { KeySet } from '@svc/client/backup'
import type { Context } from '../context.ts'
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
  const devices = await useSuccessor(context, { did, keys, passphrase, successor }, () => next.delete())
  return {
    data: { ...summaryOf(activated), devices: devices.length },
    text: [`${did} has a new root key.`, 'Next: svc recovery prepare, and svc id backup'],
  }
}

interface Succeeding {
  readonly did: string
  readonly keys: KeySet
  readonly passphrase: string
  readonly successor: Identity
}

/**
 * Keeps the new root key in the place of the one before, which goes on opening what was encrypted for it, and attests the
 * devices of this machine again. The recovery that was prepared for the key before is void.
 */
export async function useSuccessor(
  context: Context,
  { did, keys, passphrase, successor }: Succeeding,
  onKept: () => Promise<void> = async () => {},
): Promise<readonly Device[]> {
  const { formerAfter } = await import('@svc/client/backup')
  const former = formerAfter(keys)
  await context.keys.write(did, { identity: successor, former, devices: keys.devices }, passphrase)
  await onKept()
  const client = await context.clientOf({ identity: successor, former, devices: [] })
  const devices = await attestedAgain(client, successor, keys.devices)
  await context.keys.write(did, { identity: successor, former, devices }, passphrase)
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
