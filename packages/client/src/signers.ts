/**
 * Signers: keys that are not in the memory of the program, for `Identity.fromSigner` and `Device.fromSigner`.
 *
 * @module
 */
export type { KeyPurpose } from '#protocol/base/key-agreement'
export { classify, type SigningPurpose } from './identity/signing-key.ts'
export { type KmsSignerOptions, kmsSigner } from './signers/kms-signer.ts'
export { memoryKeyAgreement, memorySigner } from './signers/memory-signer.ts'
export type { KeyAgreement, Signer } from './signers/signer.ts'
export { SignerError, type SignerReason } from './signers/signer-error.ts'
export {
  generateWebCryptoKeys,
  supportsWebCryptoKeys,
  type WebCryptoKemKeys,
  type WebCryptoKeys,
  webCryptoKeyAgreement,
  webCryptoSigner,
} from './signers/web-crypto-signer.ts'
