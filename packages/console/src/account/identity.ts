/**
 * The secret that a login unlocks: the seeds of an identity. Loaded when somebody has one or makes one, because it is most
 * of the SDK.
 *
 * @module
 */
import { Client, Device, Identity } from '@svc/client'

const SIGNING_BYTES = 32
const KEM_BYTES = 64

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
  const { code, token, did } = await client.pairing.offer()
  return {
    text: [code, token, did].join('.'),
    async approve(shown) {
      const attestation = await client.pairing.approve(code, shown)
      await client.pairing.seal(code, attestation, secret)
    },
    cancel: () => client.pairing.cancel(code),
  }
}

/** The new device's side. */
export interface Arrival {
  /** To be compared on the old device. */
  readonly confirmationCode: string
  /** Waits until the old device has approved. */
  secret(signal: AbortSignal): Promise<Uint8Array>
}

/** Null if the text is not what the other device shows. */
export async function joinOffer(core: string, text: string): Promise<Arrival | null> {
  const [code = '', token = '', did = '', ...more] = text.trim().split('.')
  if (!did.startsWith('did:svc:') || more.length > 0) return null
  const client = await Client.connect({ core })
  const device = await Device.create({ origin: location.origin, capabilities: ['chain:read'] })
  const link = { code, token, did }
  const { confirmationCode } = await client.pairing.join(link, device)
  return {
    confirmationCode,
    async secret(signal) {
      const { payload } = await client.with({ signal }).pairing.waitToTake(link, device)
      if (payload?.length !== SIGNING_BYTES + KEM_BYTES || (await didOf(payload)) !== did)
        throw new Error('The delivery is not the identity of the offer')
      return payload
    },
  }
}
