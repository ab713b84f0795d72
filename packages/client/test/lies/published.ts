import type { KnownInception } from '@svc/protocol/base/inception-head'
import { statementHash } from '@svc/protocol/base/statement'
import { labels } from '@svc/protocol/keys/account-labels.fixture'
import { leafIdOf } from '@svc/protocol/keys/account-updates'
import type { DevicePackage } from '@svc/protocol/keys/directory'
import { Client } from '../../src/client.ts'
import { Device } from '../../src/identity/device.ts'
import type { Identity } from '../../src/identity/identity.ts'
import { makeKeyPackage, SUITE } from '../../src/keys/key-material.ts'
import { REALM, REALMS } from '../realm.ts'
import { alice, seeds } from '../sides.ts'
import { NOW, signedBy } from './situation.ts'

export const PROVED = labels.prove(alice.did)
export const LABEL = PROVED.label
const { userId, publicKeyB64u } = alice
const owner = new Client({ core: 'https://core.test', did: 'https://did.test', identity: alice, now: () => NOW })

/** A device of Alice. */
export async function deviceOf(byte: number): Promise<Device> {
  const device = await Device.fromSeeds(seeds(byte), { origin: 'app:test', capabilities: ['chain:read'] })
  const acceptance = await device.acceptance(alice.did, { realm: REALM, now: NOW })
  const attestation = await owner.devices.makeAttestation(acceptance, { sequence: 0, hash: 'a7'.repeat(48) })
  return device.attested(attestation, [{ epoch: 0, userId, publicKeyB64u }], REALMS)
}

export interface PublishedOptions {
  readonly by?: Identity
  readonly realm?: string
  readonly version?: number
  readonly seq?: number
  /** The event that the credential names; by default the one that the package names. */
  readonly inception?: KnownInception
}

/** What the root key vouches for and the device signs, as the directory publishes it. */
export async function published(
  device: Device,
  { by = alice, realm = REALM, version = 1, seq = 1, inception }: PublishedOptions = {},
): Promise<DevicePackage> {
  const { did, deviceId } = device
  const keyPackage = await makeKeyPackage(device, { realm: REALM, now: NOW })
  const credential = await signedBy(by, {
    type: 'svc/device-credential/v1' as const,
    realm,
    did,
    scope: alice.scope,
    rootEpoch: by.epoch,
    deviceId,
    profile: 'bound-v4' as const,
    suiteId: SUITE,
    version,
    keyPackageHash: statementHash(keyPackage.statement),
    inception: inception === undefined ? keyPackage.statement.inception : inception,
    issuedAt: NOW,
  })
  const leafId = leafIdOf(LABEL, statementHash(credential.statement))
  const kind = { profile: 'bound-v4', suiteId: SUITE } as const
  return { accountDid: did, deviceId, ...kind, version, credential, keyPackage, seq, leafId, publishedAt: NOW }
}

/** The statement that revokes a package. It names the event that the credential of the package names. */
export function revocationOf({ deviceId, version, credential }: DevicePackage) {
  return {
    type: 'svc/package-revocation/v1',
    realm: REALM,
    did: alice.did,
    scope: alice.scope,
    rootEpoch: 0,
    deviceId,
    version,
    inception: credential.statement.inception,
    issuedAt: NOW,
  } as const
}
