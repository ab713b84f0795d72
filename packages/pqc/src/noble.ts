import { ml_dsa65 } from '@noble/post-quantum/ml-dsa.js'
import { ml_kem768 } from '@noble/post-quantum/ml-kem.js'
import { checkBytes, checkMlKem768PublicKey, isVerifiable } from './checks.ts'
import type { MlDsa65, MlKem768 } from './interface.ts'
import { ML_DSA_65, ML_KEM_768 } from './sizes.ts'

export const nobleMlDsa65: MlDsa65 = {
  backend: 'noble',

  async publicKeyOf(seed) {
    checkBytes('ml-dsa-65 seed', seed, ML_DSA_65.seedBytes)
    const { publicKey, secretKey } = ml_dsa65.keygen(seed)
    secretKey.fill(0)
    return publicKey
  },

  async sign(seed, message) {
    checkBytes('ml-dsa-65 seed', seed, ML_DSA_65.seedBytes)
    checkBytes('ml-dsa-65 message', message)
    const { secretKey } = ml_dsa65.keygen(seed)
    const signature = ml_dsa65.sign(message, secretKey)
    secretKey.fill(0)
    return signature
  },

  async signerOf(seed) {
    checkBytes('ml-dsa-65 seed', seed, ML_DSA_65.seedBytes)
    const { secretKey } = ml_dsa65.keygen(seed)
    return async (message) => {
      checkBytes('ml-dsa-65 message', message)
      return ml_dsa65.sign(message, secretKey)
    }
  },

  async verify(publicKey, message, signature) {
    return isVerifiable(publicKey, message, signature) && ml_dsa65.verify(signature, message, publicKey)
  },

  async verifierOf(publicKey) {
    checkBytes('ml-dsa-65 publicKey', publicKey, ML_DSA_65.publicKeyBytes)
    const own = new Uint8Array(publicKey)
    return (message, signature) => nobleMlDsa65.verify(own, message, signature)
  },
}

export const nobleMlKem768: MlKem768 = {
  backend: 'noble',

  async publicKeyOf(seed) {
    checkBytes('ml-kem-768 seed', seed, ML_KEM_768.seedBytes)
    const { publicKey, secretKey } = ml_kem768.keygen(seed)
    secretKey.fill(0)
    return publicKey
  },

  async encapsulate(publicKey) {
    checkMlKem768PublicKey(publicKey)
    const { cipherText, sharedSecret } = ml_kem768.encapsulate(publicKey)
    // noble's secret is a view into a longer buffer.
    return { ciphertext: cipherText, sharedSecret: new Uint8Array(sharedSecret) }
  },

  async decapsulate(seed, ciphertext) {
    checkBytes('ml-kem-768 seed', seed, ML_KEM_768.seedBytes)
    checkBytes('ml-kem-768 ciphertext', ciphertext, ML_KEM_768.ciphertextBytes)
    const { secretKey } = ml_kem768.keygen(seed)
    const sharedSecret = new Uint8Array(ml_kem768.decapsulate(ciphertext, secretKey))
    secretKey.fill(0)
    return sharedSecret
  },

  async decapsulatorOf(seed) {
    checkBytes('ml-kem-768 seed', seed, ML_KEM_768.seedBytes)
    const { secretKey } = ml_kem768.keygen(seed)
    return async (ciphertext) => {
      checkBytes('ml-kem-768 ciphertext', ciphertext, ML_KEM_768.ciphertextBytes)
      return new Uint8Array(ml_kem768.decapsulate(ciphertext, secretKey))
    }
  },
}
