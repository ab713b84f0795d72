import { isOlderHead, type KnownInception } from '#protocol/base/inception-head'
import { signStatement, statementHash } from '#protocol/base/statement'
import type { SignedDeviceCredential, SignedKeyPackage, SignedPackageRevocation } from '#protocol/keys/packages'
import type { Devices } from '../devices/devices.ts'
import type { Identity } from '../identity/identity.ts'
import { placed, type Signing } from '../identity/signing.ts'
import { signerOf } from '../identity/signing-key.ts'
import { ServiceError } from '../transport/service-error.ts'
import type { Transport } from '../transport/transport.ts'
import { unverified } from '../verification/verification-error.ts'

/**
 * Sends signed updates of an account to the directory, which refuses an update that names an older event than the last
 * one. Reads the newest event from core only if the events that this client knows are too old.
 */
export class SignedUpdates {
  readonly #transport: Transport
  readonly #devices: () => Promise<Pick<Devices, 'head'>>

  constructor(transport: Transport, devices: () => Promise<Pick<Devices, 'head'>>) {
    this.#transport = transport
    this.#devices = devices
  }

  /**
   * Calls `send` with the newest event that this client knows, which must not be older than `atLeast`. If the directory
   * has an update that names a newer one, reads the head from core and calls `send` again.
   */
  async send<T>(send: (signing: Signing) => Promise<T>, atLeast: KnownInception = null): Promise<T> {
    const known = await this.#transport.signing()
    const signing = isOlderHead(known.inception, atLeast) ? await this.#newest() : known
    if (isOlderHead(signing.inception, atLeast))
      throw unverified('package', 'unknown_head', 'The package names an event that the inception log does not have')
    try {
      return await send(signing)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.error !== 'stale_package') throw error
      const newest = await this.#newest()
      if (!isOlderHead(signing.inception, newest.inception)) throw error
      return send(newest)
    }
  }

  async #newest() {
    await (await this.#devices()).head()
    return this.#transport.signing()
  }
}

export function credentialOf(
  root: Identity,
  signing: Signing,
  keyPackage: SignedKeyPackage,
  version: number,
): Promise<SignedDeviceCredential> {
  const { deviceId, profile, suiteId } = keyPackage.statement
  return signStatement(
    {
      type: 'svc/device-credential/v1',
      ...placed(signing),
      did: root.did,
      scope: root.scope,
      rootEpoch: root.epoch,
      deviceId,
      profile,
      suiteId,
      version,
      keyPackageHash: statementHash(keyPackage.statement),
    },
    signerOf(root),
  )
}

export function revocationOf(
  root: Identity,
  signing: Signing,
  deviceId: string,
  version: number,
): Promise<SignedPackageRevocation> {
  const { did, scope, epoch: rootEpoch } = root
  return signStatement(
    { type: 'svc/package-revocation/v1', ...placed(signing), did, scope, rootEpoch, deviceId, version },
    signerOf(root),
  )
}
