/** Ed25519 (RFC 8032) by WebCrypto, which workerd and Node have. Private keys are seeds of 32 bytes. */

export const ED25519 = { publicKeyBytes: 32, signatureBytes: 64, seedBytes: 32 } as const
const ALGORITHM = 'Ed25519'
/** PKCS #8 of RFC 8410 around a seed. */
const PKCS8 = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20]

export interface Ed25519Signer {
  readonly publicKey: Uint8Array
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>
}

export async function ed25519SignerOf(seed: Uint8Array): Promise<Ed25519Signer> {
  if (seed.length !== ED25519.seedBytes) throw new RangeError('an Ed25519 seed has 32 bytes')
  const pkcs8 = new Uint8Array([...PKCS8, ...seed])
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, ALGORITHM, true, ['sign'])
  pkcs8.fill(0)
  const { x = '' } = (await crypto.subtle.exportKey('jwk', key)) as JsonWebKey
  return {
    publicKey: Uint8Array.from(atob(x.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0)),
    sign: async (message) => new Uint8Array(await crypto.subtle.sign(ALGORITHM, key, owned(message))),
  }
}

/** False for everything that is not a valid signature; never throws. */
export async function verifyEd25519(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  if (publicKey.length !== ED25519.publicKeyBytes || signature.length !== ED25519.signatureBytes) return false
  try {
    const key = await crypto.subtle.importKey('raw', owned(publicKey), ALGORITHM, false, ['verify'])
    return await crypto.subtle.verify(ALGORITHM, key, owned(signature), owned(message))
  } catch {
    return false
  }
}

/** WebCrypto takes no memory that others may write. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
