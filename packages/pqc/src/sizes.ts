/** FIPS 204, table 2. Private keys are stored only as the 32-byte seed ξ. */
export const ML_DSA_65 = { seedBytes: 32, publicKeyBytes: 1952, signatureBytes: 3309 } as const

/** FIPS 203, table 3. Private keys are stored only as the 64-byte seed d ‖ z. */
export const ML_KEM_768 = { seedBytes: 64, publicKeyBytes: 1184, ciphertextBytes: 1088, sharedSecretBytes: 32 } as const

export const SHA3_384_BYTES = 48
