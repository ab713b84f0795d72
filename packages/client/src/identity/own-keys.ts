import { mlDsa65, xWing } from '#pqc'
import { encodeBase64url } from '#protocol/base/base64url'
import { hybridKeyOf } from '#protocol/base/key-agreement'
import { preparedKey } from './prepared-key.ts'
import type { SigningPurpose } from './signing-key.ts'
import { type Unwrap, unwrapperOf } from './unwrapper.ts'

/** The secrets of an identity: two independent random seeds. */
export interface IdentitySeeds {
  /** 32 bytes: the ML-DSA-65 signing key. */
  readonly signing: Uint8Array
  /** 32 bytes: the X-Wing key, which is an ML-KEM-768 and an X25519 key. */
  readonly kem: Uint8Array
}

/** The keys of an identity or a device, wherever they are. */
export interface OwnKeys {
  readonly publicKeyB64u: string
  /** Throws a ConfigurationError if there is no key agreement. */
  readonly kemPublicKeyB64u: string
  /** Throws a ConfigurationError if there is no key agreement. */
  readonly x25519B64u: string
  sign(message: Uint8Array, purpose: SigningPurpose): Promise<Uint8Array>
  /** Throws a ConfigurationError if there is no key agreement. */
  readonly unwrap: Unwrap
  readonly areInMemory: boolean
  /** Throws a ConfigurationError if the keys are not in this memory. */
  revealSeeds(): IdentitySeeds
}

/** Keys in memory, each prepared when it is first used and then kept. The seeds are copied. */
export async function keysOfSeeds({ signing, kem }: IdentitySeeds): Promise<OwnKeys> {
  const seeds = { signing: signing.slice(), kem: kem.slice() }
  const signer = preparedKey(() => mlDsa65.signerOf(seeds.signing))
  const { kemPublicKeyB64u, x25519B64u } = hybridKeyOf(await xWing.publicKeyOf(seeds.kem))
  return {
    publicKeyB64u: encodeBase64url(await mlDsa65.publicKeyOf(seeds.signing)),
    kemPublicKeyB64u,
    x25519B64u,
    sign: async (message) => (await signer())(message),
    unwrap: unwrapperOf(seeds.kem),
    areInMemory: true,
    revealSeeds: () => ({ signing: seeds.signing.slice(), kem: seeds.kem.slice() }),
  }
}
