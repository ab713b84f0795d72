import type { MadePrekeys } from '@svc/client'
import { makeKeyPackage, makePrekeys } from '@svc/client/functions'
import { signStatement, statementHash } from '@svc/protocol/base/statement'
import type { DevicePackage, ReservePrekey } from '@svc/protocol/keys/directory'
import type {
  PrekeyUpload,
  Profile,
  SignedDeviceCredential,
  SignedKeyPackage,
  SignedPackageRevocation,
} from '@svc/protocol/keys/packages'
import type { TestCaller, TestDevice } from '@svc/testing'
import { REALM, signerOf } from '@svc/testing'
import { type CallOptions, call, deviceFor } from '../harness.ts'

export const SUITE = 'mlkem768-mldsa65-sha3384'

/** A device that has published one package, with prekeys. */
export interface PublishedDevice extends TestDevice {
  readonly package: DevicePackage
  readonly made: MadePrekeys
}

export interface PublishedOptions {
  readonly profile?: Profile
  readonly count?: number
  readonly lastResort?: boolean
}

/** A device of an owner that has published a package with so many one-time prekeys. */
export async function publishedDevice(owner: TestCaller, options: PublishedOptions = {}): Promise<PublishedDevice> {
  const { profile = 'bound-v4', count = 3, lastResort = false } = options
  const device = await deviceFor(owner, { capabilities: ['prekeys:write', 'directory:read', 'prekeys:reserve'] })
  const made = await makePrekeys(device.device, { realm: REALM, now: Date.now() }, { profile, count })
  const prekeys = [made.upload]
  if (lastResort)
    prekeys.push(
      (await makePrekeys(device.device, { realm: REALM, now: Date.now() }, { profile, kind: 'last-resort' })).upload,
    )
  const keyPackage = await makeKeyPackage(device.device, { realm: REALM, now: Date.now() }, { profile })
  const published = await owner.client.keyDirectory.publish(keyPackage, { prekeys, version: 1 })
  return { ...device, package: published.package, made }
}

/** Signs a credential as the owner's root key would; members as told. */
export function credentialOf(
  { identity }: TestCaller,
  keyPackage: SignedKeyPackage,
  members: Partial<SignedDeviceCredential['statement']> = {},
): Promise<SignedDeviceCredential> {
  const { deviceId, profile, suiteId } = keyPackage.statement
  return signStatement(
    {
      type: 'svc/device-credential/v1',
      realm: REALM,
      did: identity.did,
      scope: identity.scope,
      rootEpoch: identity.epoch,
      deviceId,
      profile,
      suiteId,
      version: 1,
      keyPackageHash: statementHash(keyPackage.statement),
      inception: keyPackage.statement.inception,
      issuedAt: Date.now(),
      ...members,
    },
    signerOf(identity),
  )
}

export interface Publication {
  readonly credential: SignedDeviceCredential
  readonly keyPackage: SignedKeyPackage
  readonly prekeys?: readonly PrekeyUpload[]
}

export const pathOf = (accountDid: string, deviceId: string, rest = '') =>
  `/api/key-directory/${accountDid}/devices/${deviceId}${rest}`

export function publish(owner: TestCaller, body: Publication, options: CallOptions & { readonly at?: string } = {}) {
  const { at = pathOf(owner.identity.did, body.keyPackage.statement.deviceId), ...rest } = options
  return call(owner, 'PUT', at, { body, ...rest })
}

export async function revocationOf(
  { identity, client }: TestCaller,
  deviceId: string,
  members: Partial<SignedPackageRevocation['statement']> = {},
): Promise<SignedPackageRevocation> {
  const { did, scope, epoch: rootEpoch } = identity
  const type = 'svc/package-revocation/v1'
  return signStatement(
    {
      type,
      realm: REALM,
      did,
      scope,
      rootEpoch,
      deviceId,
      version: 1,
      inception: await client.devices.known(),
      issuedAt: Date.now(),
      ...members,
    },
    signerOf(identity),
  )
}

export function revoke(owner: TestCaller, deviceId: string, body: unknown, options: CallOptions = {}) {
  return call(owner, 'POST', pathOf(owner.identity.did, deviceId, '/revoke'), { body, ...options })
}

export function reserve(
  by: Pick<TestCaller, 'assertion'>,
  { owner, device }: Pick<TestDevice, 'owner' | 'device'>,
  key: string,
  asked: Partial<ReservePrekey> = {},
  options: CallOptions = {},
) {
  const body = { profile: 'bound-v4', suiteId: SUITE, fallbackPolicy: 'one-time-required', ...asked }
  return call(by, 'POST', pathOf(owner.identity.did, device.deviceId, '/prekeys/reserve'), { body, key, ...options })
}
