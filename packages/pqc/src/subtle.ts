/** Opaque. Declared here so that the package compiles with the types of Workers, Node and browsers. */
export interface NativeKey {
  readonly type: string
}

/** WebCrypto additions of the modern algorithms that the installed types do not declare yet. */
export interface ModernSubtle {
  importKey(
    format: 'raw-public' | 'raw-seed',
    bytes: Uint8Array,
    algorithm: string,
    extractable: boolean,
    usages: readonly string[],
  ): Promise<NativeKey>
  exportKey(format: 'raw-public', key: NativeKey): Promise<ArrayBuffer>
  getPublicKey?(key: NativeKey, usages: readonly string[]): Promise<NativeKey>
  sign(algorithm: string, key: NativeKey, message: Uint8Array): Promise<ArrayBuffer>
  verify(algorithm: string, key: NativeKey, signature: Uint8Array, message: Uint8Array): Promise<unknown>
  encapsulateBits(algorithm: string, key: NativeKey): Promise<{ ciphertext: ArrayBuffer; sharedKey: ArrayBuffer }>
  decapsulateBits(algorithm: string, key: NativeKey, ciphertext: Uint8Array): Promise<ArrayBuffer>
  digest(algorithm: string, bytes: Uint8Array): Promise<ArrayBuffer>
}

/** Undefined if the page is not a secure context; `nativeSupports` then returns false for every algorithm. */
export const modernSubtle = crypto.subtle as unknown as ModernSubtle

const OPERATIONS = {
  'ML-DSA-65': ['importKey', 'sign', 'verify'],
  'ML-KEM-768': ['importKey', 'encapsulateBits', 'decapsulateBits'],
  'MLKEM768-X25519': ['importKey', 'encapsulateBits', 'decapsulateBits'],
  'SHA3-384': ['digest'],
} as const

export interface SubtleRuntime {
  readonly SubtleCrypto?: { supports?(operation: string, algorithm: string): boolean }
}

/** Whether the runtime reports support for every operation of the algorithm that this package uses. */
export function nativeSupports(
  algorithm: keyof typeof OPERATIONS,
  runtime: SubtleRuntime = globalThis as unknown as SubtleRuntime,
): boolean {
  const { SubtleCrypto } = runtime
  if (typeof SubtleCrypto?.supports !== 'function') return false
  return OPERATIONS[algorithm].every((operation) => SubtleCrypto.supports?.(operation, algorithm) === true)
}

/** `getPublicKey` returns an extractable key even if the private key is not. */
export async function rawPublicKey(
  subtle: ModernSubtle,
  privateKey: NativeKey,
  usage: string,
): Promise<Uint8Array | undefined> {
  if (typeof subtle.getPublicKey !== 'function') return undefined
  return new Uint8Array(await subtle.exportKey('raw-public', await subtle.getPublicKey(privateKey, [usage])))
}
