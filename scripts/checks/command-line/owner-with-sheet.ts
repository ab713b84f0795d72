import { Client, Device, Identity } from '@svc/client'
import { exportKeys } from '@svc/client/backup'
import { commitmentOf, SuccessorSheet } from '@svc/client/recovery-words'
import { PASSPHRASE } from '../../../packages/cli/test/svc.ts'
import { freshAddress } from '../running-platform/fresh-address.ts'
import { fetchFrom } from './machine.ts'

const DAY_MS = 86_400_000

/** What an owner has, as `svc id import` takes it. */
export interface OwnerWithSheet {
  /** The words of the sheet that the identity has committed to. */
  readonly words: string
  readonly root: string
  readonly device: string
}

/**
 * Registers an identity with a sheet and a device. The device can replace lost sheets as soon as it was active for a
 * window: readers go by the clock of the root key, which was two days behind when it attested the device.
 */
export async function ownerWithSheet(core: string): Promise<OwnerWithSheet> {
  const [identity, sheet] = [await Identity.create(), SuccessorSheet.create()]
  const { did, scope } = identity
  const places = { core, identity, fetch: fetchFrom(freshAddress()) }
  const client = await Client.connect(places)
  await client.chain.genesis({ commitment: await commitmentOf([sheet], { scope, epoch: 1 }) })
  const { realm, realms } = client
  const device = await Device.create({ origin: 'app:svc', capabilities: ['rotation:cosign', 'account:read'] })
  const acceptance = await device.acceptance(did, { realm })
  const behind = await Client.connect({ ...places, now: () => Date.now() - 2 * DAY_MS })
  const attestation = await behind.devices.attest(acceptance)
  const member = await device.attested(attestation, await client.keyHistory.of(did), realms)
  return {
    words: sheet.revealWords(),
    root: JSON.stringify(await exportKeys({ identity }, PASSPHRASE)),
    device: JSON.stringify(await exportKeys({ devices: [member] }, PASSPHRASE)),
  }
}
