import type { XWing } from '../interface.ts'
import { type ModernSubtle, modernSubtle, rawPublicKey } from '../subtle.ts'
import { checkXWingCiphertext, checkXWingPublicKey, checkXWingSeed } from './checks.ts'
import { nobleXWing } from './noble.ts'

/** The name that WebCrypto gives X-Wing. */
export const X_WING_ALGORITHM = 'MLKEM768-X25519'

/** As in `native.ts`; `fallback` derives public keys if the runtime has no `getPublicKey`. */
export function createNativeXWing(subtle: ModernSubtle, fallback: XWing = nobleXWing): XWing {
  async function decapsulatorOf(seed: Uint8Array): Promise<(ciphertext: Uint8Array) => Promise<Uint8Array>> {
    checkXWingSeed(seed)
    const key = await subtle.importKey('raw-seed', seed, X_WING_ALGORITHM, false, ['decapsulateBits'])
    return async (ciphertext) => {
      checkXWingCiphertext(ciphertext)
      return new Uint8Array(await subtle.decapsulateBits(X_WING_ALGORITHM, key, ciphertext))
    }
  }

  return {
    backend: 'native',

    async publicKeyOf(seed) {
      checkXWingSeed(seed)
      const own = new Uint8Array(seed)
      const key = await subtle.importKey('raw-seed', own, X_WING_ALGORITHM, false, ['decapsulateBits'])
      return (await rawPublicKey(subtle, key, 'encapsulateBits')) ?? fallback.publicKeyOf(own)
    },

    async encapsulate(publicKey) {
      checkXWingPublicKey(publicKey)
      const key = await subtle.importKey('raw-public', publicKey, X_WING_ALGORITHM, false, ['encapsulateBits'])
      const { ciphertext, sharedKey } = await subtle.encapsulateBits(X_WING_ALGORITHM, key)
      return { ciphertext: new Uint8Array(ciphertext), sharedSecret: new Uint8Array(sharedKey) }
    },

    async decapsulate(seed, ciphertext) {
      checkXWingSeed(seed)
      checkXWingCiphertext(ciphertext)
      const own = new Uint8Array(ciphertext)
      const decapsulate = await decapsulatorOf(seed)
      return decapsulate(own)
    },

    decapsulatorOf,
  }
}

export const nativeXWing = /* @__PURE__ */ createNativeXWing(modernSubtle)
