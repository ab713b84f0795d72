import { mlDsa65, mlKem768 } from '#pqc'
import { encodeBase64url } from '#protocol/base/base64url'
import { preparedKey } from './prepared-key.ts'
import type { SigningPurpose } from './signing-key.ts'

/** The secrets of an identity: two independent random seeds. */
export interface IdentitySeeds {
  /** 32 bytes: the ML-DSA-65 signing key. */
  readonly signing: Uint8Array
  /** 64 bytes (d ‖ z of FIPS 203): the ML-KEM-768 decapsulation key. */
  readonly kem: Uint8Array
}

/** The keys of an identity or a device, wherever they are. */
export interface OwnKeys {
  readonly publicKeyB64u: string
  /** Throws a ConfigurationError if there is no key agreement. */
  readonly kemPublicKeyB64u: string
  sign(message: Uint8Array, purpose: SigningPurpose): Promise<Uint8Array>
  /** Throws a ConfigurationError if there is no key agreement. */
  decapsulate(ciphertext: Uint8Array): Promise<Uint8Array>
  /** Throws a ConfigurationError if the keys are not in this memory. */
  revealSeeds(): IdentitySeeds
}

/** Keys in memory, each prepared when it is first used and then kept. The seeds are copied. */
export async function keysOfSeeds({ signing, kem }: IdentitySeeds): Promise<OwnKeys> {
  const seeds = { signing: signing.slice(), kem: kem.slice() }
  const signer = preparedKey(() => mlDsa65.signerOf(seeds.signing))
  const decapsulator = preparedKey(() => mlKem768.decapsulatorOf(seeds.kem))
  return {
    publicKeyB64u: encodeBase64url(await mlDsa65.publicKeyOf(seeds.signing)),
    kemPublicKeyB64u: encodeBase64url(await mlKem768.publicKeyOf(seeds.kem)),
    sign: async (message) => (await signer())(message),
    decapsulate: async (ciphertext) => (await decapsulator())(ciphertext),
    revealSeeds: () => ({ signing: seeds.signing.slice(), kem: seeds.kem.slice() }),
  }
}
