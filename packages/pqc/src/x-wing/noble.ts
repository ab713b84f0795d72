import type { XWing } from '../interface.ts'
import { checkXWingCiphertext, checkXWingPublicKey, checkXWingSeed } from './checks.ts'

/**
 * Loaded at the first use, since most runtimes have their own. What is used after that is copied before it, so that a
 * caller who changes the array in the meantime gets the same result as with the runtime's.
 */
async function noble() {
  const { hybrid } = await import('./noble-hybrid.ts')
  return hybrid
}

export const nobleXWing: XWing = {
  backend: 'noble',

  async publicKeyOf(seed) {
    checkXWingSeed(seed)
    const own = new Uint8Array(seed)
    return (await noble()).getPublicKey(own)
  },

  async encapsulate(publicKey) {
    checkXWingPublicKey(publicKey)
    const own = new Uint8Array(publicKey)
    const { cipherText, sharedSecret } = (await noble()).encapsulate(own)
    return { ciphertext: cipherText, sharedSecret }
  },

  async decapsulate(seed, ciphertext) {
    checkXWingSeed(seed)
    checkXWingCiphertext(ciphertext)
    const own = { seed: new Uint8Array(seed), ciphertext: new Uint8Array(ciphertext) }
    return (await noble()).decapsulate(own.ciphertext, own.seed)
  },

  async decapsulatorOf(seed) {
    checkXWingSeed(seed)
    const own = new Uint8Array(seed)
    return (ciphertext) => nobleXWing.decapsulate(own, ciphertext)
  },
}
