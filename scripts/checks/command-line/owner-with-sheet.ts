import { Client, Device, Identity } from '@svc/client'
import { exportKeys } from '@svc/client/backup'
import { commitmentOf, SuccessorSheet } from '@svc/client/recovery-words'
import { PASSPHRASE } from '../../../packages/cli/test/svc.ts'
import { freshAddress } from '../running-platform/fresh-address.ts'
import { fetchFrom } from './machine.ts'

/** What an owner has, as `svc id import` takes it. */
export interface OwnerWithSheet {
  readonly root: string
  readonly device: string
}

/** Registers an identity with a sheet and a device that may co-sign. */
export async function ownerWithSheet(core: string): Promise<OwnerWithSheet> {
  const [identity, sheet] = [await Identity.create(), SuccessorSheet.create()]
  const { did, scope } = identity
  const client = await Client.connect({ core, identity, fetch: fetchFrom(freshAddress()) })
  await client.chain.genesis({ commitment: await commitmentOf([sheet], { scope, epoch: 1 }) })
  const { realm, realms } = client
  const device = await Device.create({ origin: 'app:svc', capabilities: ['rotation:cosign', 'account:read'] })
  const acceptance = await device.acceptance(did, { realm })
  const attestation = await client.devices.attest(acceptance)
  const member = await device.attested(attestation, await client.keyHistory.of(did), realms)
  return {
    root: JSON.stringify(await exportKeys({ identity }, PASSPHRASE)),
    device: JSON.stringify(await exportKeys({ devices: [member] }, PASSPHRASE)),
  }
}
