import type { Client, Device, Identity } from '@svc/client'
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
  // The recovery that was prepared for the key before is void.
  await context.keys.write(did, { identity: successor, devices: keys.devices }, passphrase)
  await next.delete()
  const client = await context.clientOf({ identity: successor, devices: [] })
  const devices = await attestedAgain(client, successor, keys.devices)
  await context.keys.write(did, { identity: successor, devices }, passphrase)
  return {
    data: { ...summaryOf(activated), devices: devices.length },
    text: [`${did} has a new root key.`, 'Next: svc recovery prepare, and svc id backup'],
  }
}

export async function attestedAgain(client: Client, root: Identity, devices: readonly Device[]): Promise<Device[]> {
  const { realm, realms } = client
  const again: Device[] = []
  for (const device of devices) {
    const attestation = await client.devices.attest(await device.acceptance(root.did, { realm }))
    again.push(await device.attested(attestation, await client.keyHistory.of(root.did), realms))
  }
  return again
}
