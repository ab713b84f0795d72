import { DEVICE_PURPOSE, signPayload } from '@svc/assertion'
import { Client, Device } from '@svc/client'
import type { Capability } from '@svc/protocol/device'
import { type CallerOptions, connectionOf, type TestCaller } from './caller.ts'

export interface TestDeviceOptions extends Omit<CallerOptions, 'address'> {
  /** Where the device signs; `origin` is what its requests say. */
  readonly home?: string
  readonly capabilities?: readonly Capability[]
  readonly expiresAt?: number
  /** A device that no root key ever heard of, and that claims to be the owner's all the same. */
  readonly attested?: boolean
}

export interface TestDevice {
  /** The keys of the device. */
  readonly device: Device
  readonly owner: TestCaller
  readonly address: string
  /** A client that acts as the device; it can make no assertion before the device is attested. */
  readonly client: Client
  /** An Authorization value; members override what a good assertion would say. */
  readonly assertion: (aud: string, members?: Record<string, unknown>) => Promise<string>
}

/** A device of the owner, attested at core by its root key, with loose assertions for what must fail. */
export async function deviceOf(owner: TestCaller, options: TestDeviceOptions): Promise<TestDevice> {
  const { identity, client, address } = owner
  const { capabilities = [], home = options.origin ?? 'app:testing', expiresAt, attested = true } = options
  const keys = await Device.create({ origin: home, capabilities })
  const acceptance = await keys.acceptance(identity.did, Date.now())
  const attestation =
    attested && (await client.devices.attest(acceptance, expiresAt === undefined ? {} : { expiresAt }))
  const device = attestation ? await keys.attested(attestation, await client.keyHistory.of(identity.did)) : keys
  return {
    device,
    owner,
    address,
    client: new Client({ ...connectionOf(options, address), device }),
    assertion(aud, members = {}) {
      const now = Date.now()
      return signPayload(keys, {
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
      })
    },
  }
}
