/** FIPS 204, table 2. Private keys are stored only as the 32-byte seed ξ. */
export const ML_DSA_65 = { seedBytes: 32, publicKeyBytes: 1952, signatureBytes: 3309 } as const

/** FIPS 203, table 3. Private keys are stored only as the 64-byte seed d ‖ z. */
export const ML_KEM_768 = { seedBytes: 64, publicKeyBytes: 1184, ciphertextBytes: 1088, sharedSecretBytes: 32 } as const

/** RFC 7748, section 5. */
export const X25519_BYTES = 32

/** X-Wing: ML-KEM-768 and X25519, one after the other. Private keys are stored only as the 32-byte seed of both. */
export const X_WING = {
  seedBytes: 32,
  publicKeyBytes: ML_KEM_768.publicKeyBytes + X25519_BYTES,
  ciphertextBytes: ML_KEM_768.ciphertextBytes + X25519_BYTES,
} as const

export const SHA3_384_BYTES = 48
