/**
 * The secret that a login unlocks: the seeds of an identity. Loaded when somebody has one or makes one, because it is most
 * of the SDK.
 *
 * @module
 */
import { Client, Device, Identity } from '@svc/client'

const SIGNING_BYTES = 32
const KEM_BYTES = 32

const identityOf = (secret: Uint8Array): Promise<Identity> =>
  Identity.fromSeeds({ signing: secret.slice(0, SIGNING_BYTES), kem: secret.slice(SIGNING_BYTES) })

export async function didOf(secret: Uint8Array): Promise<string> {
  return (await identityOf(secret)).did
}

/** Makes an identity and opens its chain, so that it can pair devices. */
export async function createIdentity(core: string): Promise<Uint8Array> {
  const secret = crypto.getRandomValues(new Uint8Array(SIGNING_BYTES + KEM_BYTES))
  const client = await Client.connect({ core, identity: await identityOf(secret) })
  await client.chain.genesis()
  return secret
}

/** An offer to another device, and what completes it. */
export interface Handover {
  /** To be typed or pasted on the other device. */
  readonly text: string
  /** `shown` is the code on the other device. Fails if it is another one: then somebody else has joined. */
  approve(shown: string): Promise<void>
  cancel(): Promise<void>
}

export async function offerSecret(core: string, secret: Uint8Array): Promise<Handover> {
  const client = await Client.connect({ core, identity: await identityOf(secret) })
  const { invitation } = await client.pairing.offer()
  return {
    text: invitation,
    async approve(shown) {
      const attestation = await client.pairing.approve(invitation, shown)
      await client.pairing.seal(invitation, attestation, secret)
    },
    cancel: () => client.pairing.cancel(invitation),
  }
}

/** The new device's side. */
export interface Arrival {
  /** To be compared on the old device. */
  readonly confirmationCode: string
  /** Waits until the old device has approved. */
  secret(signal: AbortSignal): Promise<Uint8Array>
}

export async function joinOffer(core: string, invitation: string): Promise<Arrival> {
  const client = await Client.connect({ core })
  const device = await Device.create({ origin: location.origin, capabilities: ['chain:read'] })
  const { did, confirmationCode } = await client.pairing.join(invitation, device)
  return {
    confirmationCode,
    async secret(signal) {
      const { payload } = await client.with({ signal }).pairing.waitToTake(invitation, device)
      if (payload?.length !== SIGNING_BYTES + KEM_BYTES || (await didOf(payload)) !== did)
        throw new Error('The delivery is not the identity of the offer')
      return payload
    },
  }
}
