import type { SignerFault } from '#protocol/devices/signer-standing'
import { packageStanding } from '#protocol/keys/package-order'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Devices } from '../devices/devices.ts'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'
import type { DeviceUpdates, ListedDevice } from './listing.ts'

interface Parts {
  readonly owner: Identity | Device
  readonly devices: () => Promise<Pick<Devices, 'verify'>>
  readonly history: KeyHistory
  readonly transport: Transport
}

/** Judges the keys of the devices that have published packages, by the inception log, which only its owner can read. */
export class PackageSigners {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Adds the state of its key to each package. Throws for a package that its device or the root key could not sign. */
  async judge(accountDid: string, listed: readonly DeviceUpdates[]): Promise<readonly ListedDevice[]> {
    const isPublished = listed.some(({ packages }) => packages.length > 0)
    const history = isPublished && this.#mayRead(accountDid) ? await this.#readHistory() : null
    return listed.map((device) => ({
      ...device,
      packages: device.packages.map((found) => {
        if (!history) return { ...found, signer: null }
        const { signer, fault } = packageStanding(history, found)
        if (fault) throw unverified('package', fault, WHY[fault], { evidence: found })
        return { ...found, signer }
      }),
    }))
  }

  #mayRead(accountDid: string): boolean {
    const { owner } = this.#parts
    if (owner.did !== accountDid) return false
    return owner instanceof Identity || (owner.membership?.capabilities.includes('account:read') ?? false)
  }

  async #readHistory() {
    const { owner, devices, history, transport } = this.#parts
    const { steps: log } = await (await devices()).verify()
    return { keys: await history.of(owner.did), log, now: transport.now() }
  }
}

const WHY: Readonly<Record<SignerFault, string>> = {
  wrong_key: 'The package is of a device that the identity never had',
  unknown_head: 'The package names an event that the inception log does not have',
  not_entitled: 'The device was not active at the event that its package names',
  unordered: 'The root key vouched for the package after its device had ended',
}
