import { mlKem768, randomSeed } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base64url'
import { kemKeyId } from '@svc/protocol/key-agreement'
import {
  MAX_BATCH,
  type PrekeyKind,
  type PrekeyUpload,
  type Profile,
  prekeyTree,
  type SignedKeyPackage,
  type SuiteId,
} from '@svc/protocol/key-packages'
import { signStatement } from '@svc/protocol/statement'
import type { Device } from './device.ts'

const KEM_SEED_BYTES = 64
export const SUITE: SuiteId = 'mlkem768-mldsa65-sha3384'

/** Prekeys as a device makes them: what it publishes, and what it must keep to open what others send. */
export interface MadePrekeys {
  readonly upload: PrekeyUpload
  /** The 64-byte seed of each prekey, by its `prekeyId`. Secret; forget a one-time prekey once it was used. */
  readonly seeds: ReadonlyMap<string, Uint8Array>
}

export interface KeyPackageOptions {
  /** `bound-v4` unless given: one-time prekeys alone. */
  readonly profile?: Profile
  /** The device's ML-KEM-768 key in this package; the one that it was made with unless given. */
  readonly kemPublicKeyB64u?: string
}

/**
 * A device states its keys for one profile; the root key then publishes it (`keyDirectory.publish`). Sends nothing.
 * `now` in epoch milliseconds. (Document 2 section 4.4.)
 */
export function makeKeyPackage(
  device: Device,
  now: number,
  { profile = 'bound-v4', kemPublicKeyB64u = device.kemPublicKeyB64u }: KeyPackageOptions = {},
): Promise<SignedKeyPackage> {
  const { did, deviceId, devicePublicKeyB64u } = device
  return signStatement(
    {
      type: 'svc/key-package/v1',
      did,
      deviceId,
      devicePublicKeyB64u,
      profile,
      suiteId: SUITE,
      kemPublicKeyB64u,
      issuedAt: now,
    },
    (message) => device.sign(message),
  )
}

/**
 * Makes and signs one batch of prekeys, 1 to 100 one-time ones or one last resort. Sends nothing. `now` in epoch
 * milliseconds: the directory takes a batch for 30 days after it.
 */
export async function makePrekeys(
  device: Device,
  now: number,
  options: { readonly count?: number; readonly kind?: PrekeyKind; readonly profile?: Profile } = {},
): Promise<MadePrekeys> {
  const { kind = 'one-time', profile = 'bound-v4', count = kind === 'one-time' ? MAX_BATCH : 1 } = options
  if (!Number.isInteger(count) || count < 1 || count > (kind === 'one-time' ? MAX_BATCH : 1)) {
    throw new RangeError('a batch has 1 to 100 one-time prekeys, or one last resort')
  }
  const seeds = new Map<string, Uint8Array>()
  const publicKeysB64u: string[] = []
  for (let i = 0; i < count; i++) {
    const seed = randomSeed(KEM_SEED_BYTES)
    const publicKeyB64u = encodeBase64url(await mlKem768.publicKeyOf(seed))
    publicKeysB64u.push(publicKeyB64u)
    seeds.set(kemKeyId(publicKeyB64u), seed)
  }
  const { did, deviceId } = device
  const { root } = prekeyTree(publicKeysB64u)
  const batch = await signStatement(
    {
      type: 'svc/prekey-batch/v1',
      did,
      deviceId,
      profile,
      suiteId: SUITE,
      kind,
      size: count,
      root,
      issuedAt: now,
    },
    (message) => device.sign(message),
  )
  return { upload: { batch, publicKeysB64u }, seeds }
}
