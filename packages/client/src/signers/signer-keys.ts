import { isXWingPublicKey, mlDsa65 } from '#pqc'
import { encodeBase64url } from '#protocol/base/base64url'
import { hybridKeyOf, type KeyPurpose } from '#protocol/base/key-agreement'
import type { OwnKeys } from '../identity/own-keys.ts'
import type { SigningPurpose } from '../identity/signing-key.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'
import type { KeyAgreement, Signer } from './signer.ts'
import { SignerError } from './signer-error.ts'

const PUBLIC_KEY_BYTES = 1952
const KEY_BYTES = 32

/** Keys that are somewhere else. Each signature is verified before it is used. */
export function keysOfSigner(signer: Signer, keyAgreement?: KeyAgreement): OwnKeys {
  const publicKey = publicKeyOf(signer)
  const agreement = keyAgreement && checked(keyAgreement)
  return {
    publicKeyB64u: encodeBase64url(publicKey),
    get kemPublicKeyB64u() {
      return hybridKeyOf(needed(agreement).publicKey).kemPublicKeyB64u
    },
    get x25519B64u() {
      return hybridKeyOf(needed(agreement).publicKey).x25519B64u
    },
    sign: (message, purpose) => signed(signer, publicKey, message, purpose),
    unwrap: async (ciphertext, purpose) => unwrapped(needed(agreement), ciphertext, purpose),
    areInMemory: false,
    revealSeeds() {
      throw new ConfigurationError(
        'signer',
        'These keys have no seeds here: the signer keeps them. Back them up where they are',
      )
    },
  }
}

function publicKeyOf({ publicKey }: Signer): Uint8Array {
  if (!(publicKey instanceof Uint8Array) || publicKey.length !== PUBLIC_KEY_BYTES)
    throw new ConfigurationError('signer', 'signer.publicKey must be an ML-DSA-65 public key, 1952 bytes')
  return publicKey.slice()
}

function checked(keyAgreement: KeyAgreement): KeyAgreement {
  if (!isXWingPublicKey(keyAgreement.publicKey))
    throw new ConfigurationError('keyAgreement', 'keyAgreement.publicKey must be an X-Wing public key, 1216 bytes')
  return keyAgreement
}

function needed(keyAgreement: KeyAgreement | undefined): KeyAgreement {
  if (!keyAgreement)
    throw new ConfigurationError(
      'keyAgreement',
      'The signer can only sign. Encryption needs an X-Wing key as well: pass `keyAgreement` to `fromSigner`',
    )
  return keyAgreement
}

async function signed(
  signer: Signer,
  publicKey: Uint8Array,
  message: Uint8Array,
  purpose: SigningPurpose,
): Promise<Uint8Array> {
  // A copy, so that a signer that writes to its input cannot change what is sent.
  const signature = await asked(purpose, () => signer.sign(message.slice(), purpose))
  if (!(await mlDsa65.verify(publicKey, message, signature)))
    throw new SignerError(
      'wrong_signature',
      purpose,
      'The signer answered something that is not a signature by its key over what it was given',
    )
  return signature
}

async function unwrapped(
  keyAgreement: KeyAgreement,
  ciphertext: Uint8Array,
  { label, info }: KeyPurpose,
): Promise<Uint8Array> {
  const key = await asked(null, () => keyAgreement.unwrap(ciphertext.slice(), { label, info: info.slice() }))
  if (!(key instanceof Uint8Array) || key.length !== KEY_BYTES)
    throw new SignerError('unavailable', null, 'The key agreement answered something that is not a key of 32 bytes')
  return key
}

async function asked(purpose: SigningPurpose | null, ask: () => Uint8Array | Promise<Uint8Array>) {
  try {
    return await ask()
  } catch (cause) {
    if (cause instanceof SignerError) throw cause
    throw new SignerError('unavailable', purpose, 'The signer failed: see `cause`', { cause })
  }
}
