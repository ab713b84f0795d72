import { mlKem768, randomSeed } from '#pqc'
import { encodeBase64url } from '#protocol/base/base64url'
import { kemKeyId } from '#protocol/base/key-agreement'
import { signStatement } from '#protocol/base/statement'
import {
  MAX_BATCH,
  type PrekeyKind,
  type PrekeyUpload,
  type Profile,
  prekeyTree,
  type SignedKeyPackage,
  type SuiteId,
} from '#protocol/keys/packages'
import { checkCall } from '../arguments/check.ts'
import type { Device } from '../identity/device.ts'
import { placed, SIGNING, type Signing } from '../identity/signing.ts'
import { signerOf } from '../identity/signing-key.ts'

const KEM_SEED_BYTES = 64
export const SUITE: SuiteId = 'mlkem768-mldsa65-sha3384'

/** A batch of prekeys: what the device publishes, and the secrets it keeps to decrypt. */
export interface MadePrekeys {
  readonly upload: PrekeyUpload
  /** The 64-byte seed of each prekey, by `prekeyId`. Secret; delete the seed of a one-time prekey after use. */
  readonly seeds: ReadonlyMap<string, Uint8Array>
}

export interface KeyPackageOptions {
  /** Defaults to `bound-v4`: one-time prekeys only. */
  readonly profile?: Profile
  /** The device's ML-KEM-768 key in this package; defaults to the one the device was created with. */
  readonly kemPublicKeyB64u?: string
}

/**
 * Signs a device's key package for one profile, without sending it; the root key then publishes it
 * (`keyDirectory.publish`).
 */
export async function makeKeyPackage(
  device: Device,
  signing: Signing,
  options: KeyPackageOptions = {},
): Promise<SignedKeyPackage> {
  checkCall(
    'makeKeyPackage',
    [device, signing, options],
    ['device', ['signing', SIGNING], ['options?', { profile: 0, kemPublicKeyB64u: 0 }]],
  )
  const { profile = 'bound-v4', kemPublicKeyB64u = device.kemPublicKeyB64u } = options
  const { did, deviceId, devicePublicKeyB64u } = device
  return signStatement(
    {
      type: 'svc/key-package/v1',
      ...placed(signing, device.membership?.inception),
      did,
      deviceId,
      devicePublicKeyB64u,
      profile,
      suiteId: SUITE,
      kemPublicKeyB64u,
    },
    signerOf(device),
  )
}

/**
 * Creates and signs one batch of prekeys, 1 to 100 one-time ones or one last resort, without sending it. The directory
 * accepts the batch for 30 days after `now`.
 */
export async function makePrekeys(
  device: Device,
  signing: Signing,
  options: { readonly count?: number; readonly kind?: PrekeyKind; readonly profile?: Profile } = {},
): Promise<MadePrekeys> {
  checkCall(
    'makePrekeys',
    [device, signing, options],
    ['device', ['signing', SIGNING], ['options?', { count: 0, kind: 0, profile: 0 }]],
  )
  const { kind = 'one-time', profile = 'bound-v4', count = kind === 'one-time' ? MAX_BATCH : 1 } = options
  if (!Number.isInteger(count) || count < 1 || count > (kind === 'one-time' ? MAX_BATCH : 1)) {
    throw new RangeError('A batch has 1 to 100 one-time prekeys, or one last-resort prekey')
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
      ...placed(signing, device.membership?.inception),
      did,
      deviceId,
      profile,
      suiteId: SUITE,
      kind,
      size: count,
      root,
    },
    signerOf(device),
  )
  return { upload: { batch, publicKeysB64u }, seeds }
}
