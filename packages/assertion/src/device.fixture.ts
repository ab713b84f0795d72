/** A device of Alice, a valid payload of it, and its current state. Literal values except the keys. */
import { deviceIdOf } from '@svc/protocol/base/device'
import { didOf } from '@svc/protocol/base/identity'
import { alice, type Circumstances, NOW, signerOf, type Verdict, verdictOn } from './assertion.fixture.ts'
import type { DeviceStanding } from './device.ts'
import { type DeviceSigner, signPayload } from './make.ts'

const key = await signerOf(3)

export const laptop: DeviceSigner = {
  userId: alice.userId,
  scope: alice.userId,
  did: didOf(alice.userId),
  deviceId: deviceIdOf(key.publicKeyB64u),
  devicePublicKeyB64u: key.publicKeyB64u,
  origin: 'https://app.example',
  rootEpoch: 0,
  capabilities: ['chain:append', 'chain:read'],
  sign: (message) => key.sign(message),
}

/** Without bindings, which have tests of their own. */
export const devicePayload = {
  version: 2,
  purpose: 'auth/device-session',
  userId: laptop.userId,
  scope: laptop.scope,
  did: laptop.did,
  deviceId: laptop.deviceId,
  devicePublicKey: laptop.devicePublicKeyB64u,
  origin: 'https://app.example',
  rootEpoch: 0,
  capabilities: ['chain:append', 'chain:read'],
  issuedAt: NOW,
  expiresAt: NOW + 60_000,
  nonce: 'nonce-0001',
  aud: 'chain',
}

/** The laptop's state at core. */
export const standing: DeviceStanding = {
  scope: laptop.scope,
  userId: laptop.userId,
  currentEpoch: 0,
  publicKeyB64u: laptop.devicePublicKeyB64u,
  rootEpoch: 0,
  origin: 'https://app.example',
  capabilities: ['chain:append', 'chain:read'],
  expiresAt: null,
  status: 'active',
}

/** The verdict of a verifier that accepts devices. */
export function deviceVerdictOn(authorization: string, { policy, ...rest }: Circumstances = {}): Promise<Verdict> {
  return verdictOn(authorization, {
    ...rest,
    policy: { acceptsDevices: true, requiredCapability: 'chain:read', ...policy },
  })
}

/** The verdict on a payload signed by the laptop; `undefined` omits a member. */
export async function deviceVerdict(members: object, circumstances?: Circumstances): Promise<Verdict> {
  return deviceVerdictOn(await signPayload(laptop, { ...devicePayload, ...members }), circumstances)
}
