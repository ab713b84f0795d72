interface Cost {
  readonly N: number
  readonly r: number
  readonly p: number
}

/** `node:crypto`, as far as it is used. */
interface NodeCrypto {
  scrypt(
    password: Uint8Array,
    salt: Uint8Array,
    bytes: number,
    options: Cost & { readonly maxmem: number },
    done: (error: Error | null, key: Uint8Array) => void,
  ): void
}

/** Of what scrypt is defined to need: an implementation adds some. */
const MEMORY_FACTOR = 2

/**
 * 32 bytes by the runtime's own scrypt, beside the main thread: in Node.js, and where its modules are available. Null
 * elsewhere, as in browsers.
 */
export function nativeScrypt(password: Uint8Array, salt: Uint8Array, cost: Cost): Promise<Uint8Array> | null {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }
  const crypto = process?.getBuiltinModule?.('node:crypto') as NodeCrypto | undefined
  if (crypto === undefined) return null
  const maxmem = MEMORY_FACTOR * 128 * cost.N * cost.r * cost.p
  return new Promise((resolve, reject) =>
    crypto.scrypt(password, salt, 32, { ...cost, maxmem }, (error, key) =>
      error ? reject(error) : resolve(new Uint8Array(key)),
    ),
  )
}
