/**
 * Keys of signed notes: verifier keys as text (`name+id+key`), and what signs and verifies with a key.
 *
 * @module
 */
import { parseCheckpoint } from './checkpoint.ts'
import { ed25519Message, mlDsa44Message, parseTimestamped, timestamped } from './cosignature.ts'
import { ED25519, ed25519SignerOf, verifyEd25519 } from './ed25519.ts'
import { ML_DSA_44, mlDsa44SignerOf, verifyMlDsa44 } from './ml-dsa-44.ts'
import {
  base64Bytes,
  base64Text,
  isKeyName,
  keyIdOf,
  type NoteSigner,
  type NoteVerifier,
  SIGNATURE_TYPES,
  type SignatureType,
} from './signed-note.ts'

export interface VerifierKey {
  readonly name: string
  readonly keyId: number
  readonly type: SignatureType
  readonly publicKey: Uint8Array
}

const PUBLIC_KEY_BYTES: Readonly<Record<SignatureType, number>> = {
  [SIGNATURE_TYPES.ed25519]: ED25519.publicKeyBytes,
  [SIGNATURE_TYPES.ed25519Cosignature]: ED25519.publicKeyBytes,
  [SIGNATURE_TYPES.mlDsa44Cosignature]: ML_DSA_44.publicKeyBytes,
}

const isSignatureType = (type: number): type is SignatureType => Object.hasOwn(PUBLIC_KEY_BYTES, type)
const secondsOf = (now: number) => Math.floor(now / 1000)

export function formatVerifierKey({ name, keyId, type, publicKey }: VerifierKey): string {
  const id = keyId.toString(16).padStart(8, '0')
  return `${name}+${id}+${base64Text(new Uint8Array([type, ...publicKey]))}`
}

/** Null if it is not a verifier key, if the id is not that of the key, or if its type is not known here. */
export function parseVerifierKey(text: string): VerifierKey | null {
  const [, name = '', id = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(text) ?? []
  const [type = 0, ...key] = base64Bytes(encoded) ?? []
  const publicKey = Uint8Array.from(key)
  if (!isKeyName(name) || !isSignatureType(type) || publicKey.length !== PUBLIC_KEY_BYTES[type]) return null
  const keyId = keyIdOf(name, type, publicKey)
  return keyId === Number.parseInt(id, 16) ? { name, keyId, type, publicKey } : null
}

export interface TimestampedVerifier extends NoteVerifier {
  readonly type: SignatureType
  /** Seconds since 1970 when a signature of this key was made; null for one without a time. Verifies nothing. */
  timestampOf(signature: Uint8Array): number | null
}

export function verifierOf({ name, keyId, type, publicKey }: VerifierKey): TimestampedVerifier {
  const bytes = type === SIGNATURE_TYPES.mlDsa44Cosignature ? ML_DSA_44.signatureBytes : ED25519.signatureBytes
  const isTimed = type !== SIGNATURE_TYPES.ed25519
  const timestampOf = (signature: Uint8Array) => (isTimed && parseTimestamped(signature, bytes)?.timestamp) || null
  return { name, keyId, type, timestampOf, verify }

  async function verify(text: string, signature: Uint8Array): Promise<boolean> {
    if (!isTimed) return verifyEd25519(publicKey, new TextEncoder().encode(text), signature)
    const timed = parseTimestamped(signature, bytes)
    if (!timed || !parseCheckpoint(text)) return false
    if (type === SIGNATURE_TYPES.ed25519Cosignature)
      return verifyEd25519(publicKey, ed25519Message(text, timed.timestamp), timed.signature)
    const message = mlDsa44Message(name, text, timed.timestamp)
    return message !== null && verifyMlDsa44(publicKey, message, timed.signature)
  }
}

/** A key that signs, with its verifier key. */
export interface SigningKey extends NoteSigner {
  readonly verifierKey: string
}

/** Throws for a name that no key can have. A seed serves one type of signature only. */
export async function signingKeyOf(name: string, type: SignatureType, seed: Uint8Array): Promise<SigningKey> {
  if (!isKeyName(name)) throw new TypeError(`not a name of a key: ${name}`)
  const { publicKey, sign } =
    type === SIGNATURE_TYPES.mlDsa44Cosignature ? mlDsa44SignerOf(seed) : await ed25519SignerOf(seed)
  const keyId = keyIdOf(name, type, publicKey)
  return {
    name,
    keyId,
    verifierKey: formatVerifierKey({ name, keyId, type, publicKey }),
    async sign(text, now) {
      if (type === SIGNATURE_TYPES.ed25519) return sign(new TextEncoder().encode(text))
      const timestamp = secondsOf(now)
      const message =
        type === SIGNATURE_TYPES.ed25519Cosignature
          ? ed25519Message(text, timestamp)
          : mlDsa44Message(name, text, timestamp)
      if (!message || !parseCheckpoint(text)) throw new TypeError('not the text of a checkpoint')
      return timestamped({ timestamp, signature: await sign(message) })
    },
  }
}
