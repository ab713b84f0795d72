/** The platform's only algorithm labels. Historical labels are not accepted as aliases. */
export const SIGNATURE_ALG = 'ml-dsa-65'
export const KEM_ALG = 'ml-kem-768'
export const HASH_ALG = 'sha3-384'

export const PUBLIC_KEY_BYTES = 1952
export const SIGNATURE_BYTES = 3309
export const KEM_PUBLIC_KEY_BYTES = 1184
export const KEM_CIPHERTEXT_BYTES = 1088
export const X25519_BYTES = 32
export const HASH_BYTES = 48
