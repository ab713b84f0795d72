/**
 * ML-DSA-65 and ML-KEM-768 in JavaScript. Each is loaded on first use, because most runtimes have their own. Arguments are
 * copied before that, so that a caller who changes an array in the meantime gets the same result as with the runtime's.
 *
 * @module
 */
import { checkBytes, checkMlKem768PublicKey, isVerifiable } from './checks.ts'
import type { MlDsa65, MlKem768 } from './interface.ts'
import { ML_DSA_65, ML_KEM_768 } from './sizes.ts'

async function mlDsa() {
  const { ml_dsa65 } = await import('./noble-ml-dsa.ts')
  return ml_dsa65
}

async function mlKem() {
  const { ml_kem768 } = await import('./noble-ml-kem.ts')
  return ml_kem768
}

export const nobleMlDsa65: MlDsa65 = {
  backend: 'noble',

  async publicKeyOf(seed) {
    checkBytes('ml-dsa-65 seed', seed, ML_DSA_65.seedBytes)
    const own = new Uint8Array(seed)
    const { publicKey, secretKey } = (await mlDsa()).keygen(own)
    secretKey.fill(0)
    return publicKey
  },

  async sign(seed, message) {
    checkBytes('ml-dsa-65 seed', seed, ML_DSA_65.seedBytes)
    checkBytes('ml-dsa-65 message', message)
    const own = { seed: new Uint8Array(seed), message: new Uint8Array(message) }
    const dsa = await mlDsa()
    const { secretKey } = dsa.keygen(own.seed)
    const signature = dsa.sign(own.message, secretKey)
    secretKey.fill(0)
    return signature
  },

  async signerOf(seed) {
    checkBytes('ml-dsa-65 seed', seed, ML_DSA_65.seedBytes)
    const own = new Uint8Array(seed)
    const dsa = await mlDsa()
    const { secretKey } = dsa.keygen(own)
    return async (message) => {
      checkBytes('ml-dsa-65 message', message)
      return dsa.sign(message, secretKey)
    }
  },

  async verify(publicKey, message, signature) {
    if (!isVerifiable(publicKey, message, signature)) return false
    const own = [new Uint8Array(signature), new Uint8Array(message), new Uint8Array(publicKey)] as const
    return (await mlDsa()).verify(...own)
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
    const own = new Uint8Array(seed)
    const { publicKey, secretKey } = (await mlKem()).keygen(own)
    secretKey.fill(0)
    return publicKey
  },

  async encapsulate(publicKey) {
    checkMlKem768PublicKey(publicKey)
    const own = new Uint8Array(publicKey)
    const { cipherText, sharedSecret } = (await mlKem()).encapsulate(own)
    // noble's secret is a view into a longer buffer.
    return { ciphertext: cipherText, sharedSecret: new Uint8Array(sharedSecret) }
  },

  async decapsulate(seed, ciphertext) {
    checkBytes('ml-kem-768 seed', seed, ML_KEM_768.seedBytes)
    checkBytes('ml-kem-768 ciphertext', ciphertext, ML_KEM_768.ciphertextBytes)
    const own = { seed: new Uint8Array(seed), ciphertext: new Uint8Array(ciphertext) }
    const kem = await mlKem()
    const { secretKey } = kem.keygen(own.seed)
    const sharedSecret = new Uint8Array(kem.decapsulate(own.ciphertext, secretKey))
    secretKey.fill(0)
    return sharedSecret
  },

  async decapsulatorOf(seed) {
    checkBytes('ml-kem-768 seed', seed, ML_KEM_768.seedBytes)
    const own = new Uint8Array(seed)
    const kem = await mlKem()
    const { secretKey } = kem.keygen(own)
    return async (ciphertext) => {
      checkBytes('ml-kem-768 ciphertext', ciphertext, ML_KEM_768.ciphertextBytes)
      return new Uint8Array(kem.decapsulate(ciphertext, secretKey))
    }
  },
}
