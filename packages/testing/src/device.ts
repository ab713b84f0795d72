import { DEVICE_PURPOSE, signPayload } from '@svc/assertion'
import { Client, Device } from '@svc/client'
import type { Capability } from '@svc/protocol/base/device'
import type { InceptionHead } from '@svc/protocol/base/inception-head'
import { type CallerOptions, connectionOf, type TestCaller } from './caller.ts'
import { REALM, REALMS } from './realm.ts'
import { signerOf } from './signer.ts'

export interface TestDeviceOptions extends Omit<CallerOptions, 'address'> {
  /** The device's own origin; `origin` is the one its requests send. */
  readonly home?: string
  readonly capabilities?: readonly Capability[]
  readonly expiresAt?: number
  /** A device with standing that agrees, so that the new device gains standing after one window. */
  readonly agreedBy?: Device
  /** If false, the device claims to be the owner's, but no root key has attested it. */
  readonly attested?: boolean
}

export interface TestDevice {
  /** Keys of the device. */
  readonly device: Device
  readonly owner: TestCaller
  readonly address: string
  /** A client that acts as the device. It cannot make assertions before the device is attested. */
  readonly client: Client
  /** An Authorization value; `members` override those of a valid assertion. */
  readonly assertion: (aud: string, members?: Record<string, unknown>) => Promise<string>
}

/** The newest event of an inception log, as statements name it; the genesis block of an empty log. */
export async function inceptionHeadOf({ client }: Pick<TestCaller, 'client'>): Promise<InceptionHead> {
  const { sequence, hash } = await client.devices.head()
  return { sequence, hash }
}

/** A device of the owner, attested at core by its root key, and arbitrary assertions for tests of refusals. */
export async function deviceOf(owner: TestCaller, options: TestDeviceOptions): Promise<TestDevice> {
  const { identity, client, address } = owner
  const { capabilities = [], home = options.origin ?? 'app:testing', expiresAt, agreedBy, attested = true } = options
  const keys = await Device.create({ origin: home, capabilities })
  const acceptance = await keys.acceptance(identity.did, { realm: REALM, now: Date.now() })
  const terms = { ...(expiresAt === undefined ? {} : { expiresAt }), ...(agreedBy && { agreedBy }) }
  const attestation = attested && (await client.devices.attest(acceptance, terms))
  const device = attestation ? await keys.attested(attestation, await client.keyHistory.of(identity.did), REALMS) : keys
  return {
    device,
    owner,
    address,
    client: new Client({
      ...connectionOf(options, address),
      device,
      ...(options.resolverKey && { resolverKey: options.resolverKey }),
    }),
    assertion(aud, members = {}) {
      const now = Date.now()
      return signPayload(
        { sign: signerOf(keys) },
        {
          version: 2,
          purpose: DEVICE_PURPOSE,
          userId: identity.userId,
          scope: identity.scope,
          did: identity.did,
          deviceId: keys.deviceId,
          devicePublicKey: keys.devicePublicKeyB64u,
          origin: home,
          rootEpoch: identity.epoch,
          capabilities,
          issuedAt: now,
          expiresAt: now + 60_000,
          nonce: crypto.randomUUID(),
          aud,
          ...members,
        },
      )
    },
  }
}
