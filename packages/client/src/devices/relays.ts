/** The two flows over one rendezvous: what each delivers to the device. */
import type { AttestDevice } from '#protocol/devices/inception'
import { deliveredSchema, deviceGrantSchema, sealedSchema } from '#protocol/devices/rendezvous'
import type { Device } from '../identity/device.ts'
import { safeTwin } from '../verification/safe.ts'
import { Rendezvous, type RendezvousParts, type Welcome } from './rendezvous.ts'

/** Pairing: everything the new device gets is encrypted to its key. */
export class Pairing extends Rendezvous {
  // As results: see `safely`.
  readonly safeTake = safeTwin(this, 'take')

  constructor(parts: RendezvousParts) {
    super({ path: '/api/pair', audience: 'core', tokenHeader: 'X-Pairing-Token' }, parts)
  }

  /** Delivers the attestation, and at most 16 KiB more, to the joined device. */
  async seal(invitation: string, attestation: AttestDevice, payload?: Uint8Array): Promise<void> {
    await this.post('/seal', await this.sealFor(invitation, attestation, payload), deliveredSchema)
  }

  /** As the new device: collects the delivery, once, and becomes a member of the identity. */
  async take(invitation: string, device: Device): Promise<Welcome> {
    return this.welcome(invitation, device, ({ code, keys }) =>
      this.withToken('GET', `/seal/${code}`, keys.token, sealedSchema),
    )
  }

  /**
   * As the new device: waits for the delivery and takes it. Asks at the interval that the service names. Throws
   * `not_found` (404) when the offer has expired or was cancelled; end it earlier with `client.with({ signal })`.
   */
  waitToTake(invitation: string, device: Device): Promise<Welcome> {
    return this.answered(() => this.take(invitation, device))
  }
}

/** The authorization relay: an attestation in plaintext and a key wrapped for the device. */
export class Authorization extends Rendezvous {
  // As results: see `safely`.
  readonly safeTake = safeTwin(this, 'take')

  constructor(parts: RendezvousParts) {
    super({ path: '/api/authorize', audience: 'chain', tokenHeader: 'X-Offer-Token' }, parts)
  }

  /** Delivers to the joined device its current attestation and a key of at most 16 KiB. */
  async grant(invitation: string, attestation: AttestDevice, key: Uint8Array): Promise<void> {
    const { code, sealed: wrappedKey } = await this.sealFor(invitation, attestation, key)
    await this.post('/grant', { code, grant: { attestation, wrappedKey } }, deliveredSchema)
  }

  /** As the new device: collects the grant, once, and becomes a member of the identity. */
  async take(invitation: string, device: Device): Promise<Welcome> {
    return this.welcome(invitation, device, async ({ code, keys }) => {
      const { wrappedKey } = await this.withToken('GET', `/grant/${code}`, keys.token, deviceGrantSchema)
      return wrappedKey
    })
  }

  /**
   * As the new device: waits for the delivery and takes it. Asks at the interval that the service names. Throws
   * `not_found` (404) when the offer has expired or was cancelled; end it earlier with `client.with({ signal })`.
   */
  waitToTake(invitation: string, device: Device): Promise<Welcome> {
    return this.answered(() => this.take(invitation, device))
  }
}
