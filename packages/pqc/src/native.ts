/**
 * The runtime's own ML-DSA-65 and ML-KEM-768. Keys are imported raw, never as JWK and never extractable. They are
 * imported per call, except that signers and verifiers keep theirs.
 *
 * WebCrypto reads its arguments when called, but `importKey` is awaited first. Everything used after that await is
 * copied before it, so that a caller who changes the array in the meantime gets the same result as with noble.
 *
 * @module
 */
import { checkBytes, checkMlKem768PublicKey, isVerifiable } from './checks.ts'
import type { MlDsa65, MlKem768 } from './interface.ts'
import { nobleMlDsa65, nobleMlKem768 } from './noble.ts'
import { ML_DSA_65, ML_KEM_768 } from './sizes.ts'
import { type ModernSubtle, modernSubtle, type NativeKey, rawPublicKey } from './subtle.ts'

export { nativeSupports } from './subtle.ts'

const DSA = 'ML-DSA-65'
const KEM = 'ML-KEM-768'

/** Copies of a message and a signature in reused buffers: allocating takes longer than copying. */
class Copies {
  static readonly #free: Copies[] = []
  readonly signature = new Uint8Array(ML_DSA_65.signatureBytes)
  readonly #room = new Uint8Array(4096)
  message = this.#room

  static of(message: Uint8Array, signature: Uint8Array): Copies {
    const copies = Copies.#free.pop() ?? new Copies()
    copies.signature.set(signature)
    copies.message = copies.#copyOf(message)
    return copies
  }

  #copyOf(message: Uint8Array): Uint8Array<ArrayBuffer> {
    if (message.length > this.#room.length) return new Uint8Array(message)
    this.#room.set(message)
    return this.#room.subarray(0, message.length)
  }

  /** Returns the buffers to the pool. Call only when nothing reads them any more. */
  release(): void {
    this.message = this.#room
    if (Copies.#free.length < MAX_FREE) Copies.#free.push(this)
  }
}

/** Enough for typical concurrency. */
const MAX_FREE = 16

/** `fallback` derives public keys if the runtime has no `getPublicKey`, and verifies if the runtime's verify throws. */
export function createNativeMlDsa65(subtle: ModernSubtle, fallback: MlDsa65 = nobleMlDsa65): MlDsa65 {
  async function signerOf(seed: Uint8Array): Promise<(message: Uint8Array) => Promise<Uint8Array>> {
    checkBytes('ml-dsa-65 seed', seed, ML_DSA_65.seedBytes)
    const key = await subtle.importKey('raw-seed', seed, DSA, false, ['sign'])
    return async (message) => {
      checkBytes('ml-dsa-65 message', message)
      return new Uint8Array(await subtle.sign(DSA, key, message))
    }
  }

  /** Null if the runtime throws. */
  async function importOf(publicKey: Uint8Array): Promise<NativeKey | null> {
    try {
      return await subtle.importKey('raw-public', publicKey, DSA, false, ['verify'])
    } catch {
      return null
    }
  }

  /**
   * FIPS 204 algorithm 3 returns a verdict for every input of these lengths. An exception is therefore a fault of the
   * runtime and says nothing about the signature, so the fallback verifies it.
   */
  async function verdictBy(
    key: NativeKey | null,
    publicKey: Uint8Array,
    { message, signature }: Copies,
  ): Promise<boolean> {
    try {
      if (key) return (await subtle.verify(DSA, key, signature, message)) === true
    } catch {}
    return fallback.verify(publicKey, message, signature)
  }

  async function verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
    if (!isVerifiable(publicKey, message, signature)) return false
    const own = new Uint8Array(publicKey)
    const copies = Copies.of(message, signature)
    try {
      return await verdictBy(await importOf(own), own, copies)
    } finally {
      copies.release()
    }
  }

  return {
    backend: 'native',

    async publicKeyOf(seed) {
      checkBytes('ml-dsa-65 seed', seed, ML_DSA_65.seedBytes)
      const own = new Uint8Array(seed)
      const key = await subtle.importKey('raw-seed', own, DSA, false, ['sign'])
      return (await rawPublicKey(subtle, key, 'verify')) ?? fallback.publicKeyOf(own)
    },

    async sign(seed, message) {
      checkBytes('ml-dsa-65 message', message)
      const own = new Uint8Array(message)
      const sign = await signerOf(seed)
      return sign(own)
    },

    signerOf,

    verify,

    async verifierOf(publicKey) {
      checkBytes('ml-dsa-65 publicKey', publicKey, ML_DSA_65.publicKeyBytes)
      const own = new Uint8Array(publicKey)
      const key = await importOf(own)
      // A runtime that fails now may succeed next time, and a verifier lives long: retry the import on each call.
      if (!key) return (message, signature) => verify(own, message, signature)
      return async (message, signature) => {
        if (!isVerifiable(own, message, signature)) return false
        const copies = Copies.of(message, signature)
        try {
          return await verdictBy(key, own, copies)
        } finally {
          copies.release()
        }
      }
    },
  }
}

/** An exception of the runtime after the checks is a fault and is rethrown; there is no verdict for noble to revise. */
export function createNativeMlKem768(subtle: ModernSubtle, fallback: MlKem768 = nobleMlKem768): MlKem768 {
  async function decapsulatorOf(seed: Uint8Array): Promise<(ciphertext: Uint8Array) => Promise<Uint8Array>> {
    checkBytes('ml-kem-768 seed', seed, ML_KEM_768.seedBytes)
    const key = await subtle.importKey('raw-seed', seed, KEM, false, ['decapsulateBits'])
    return async (ciphertext) => {
      checkBytes('ml-kem-768 ciphertext', ciphertext, ML_KEM_768.ciphertextBytes)
      return new Uint8Array(await subtle.decapsulateBits(KEM, key, ciphertext))
    }
  }

  return {
    backend: 'native',

    async publicKeyOf(seed) {
      checkBytes('ml-kem-768 seed', seed, ML_KEM_768.seedBytes)
      const own = new Uint8Array(seed)
      const key = await subtle.importKey('raw-seed', own, KEM, false, ['decapsulateBits'])
      return (await rawPublicKey(subtle, key, 'encapsulateBits')) ?? fallback.publicKeyOf(own)
    },

    async encapsulate(publicKey) {
      checkMlKem768PublicKey(publicKey)
      const key = await subtle.importKey('raw-public', publicKey, KEM, false, ['encapsulateBits'])
      const { ciphertext, sharedKey } = await subtle.encapsulateBits(KEM, key)
      return { ciphertext: new Uint8Array(ciphertext), sharedSecret: new Uint8Array(sharedKey) }
    },

    async decapsulate(seed, ciphertext) {
      checkBytes('ml-kem-768 seed', seed, ML_KEM_768.seedBytes)
      checkBytes('ml-kem-768 ciphertext', ciphertext, ML_KEM_768.ciphertextBytes)
      const own = new Uint8Array(ciphertext)
      const decapsulate = await decapsulatorOf(seed)
      return decapsulate(own)
    },

    decapsulatorOf,
  }
}

export const nativeMlDsa65 = /* @__PURE__ */ createNativeMlDsa65(modernSubtle)
export const nativeMlKem768 = /* @__PURE__ */ createNativeMlKem768(modernSubtle)
