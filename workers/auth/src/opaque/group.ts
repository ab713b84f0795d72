import { hexToBytes } from '@noble/hashes/utils.js'

/** Bytes of an element of ristretto255, and of a scalar. */
const BYTES = 32
/** The encoding of the generator (RFC 9496 appendix A.1). */
const GENERATOR = hexToBytes('e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76')

interface Kernel {
  readonly memory: WebAssembly.Memory
  readonly multiply: () => number
  readonly isElement: () => number
}

/**
 * ristretto255 (RFC 9496) in WebAssembly: its time does not depend on the scalar, and it is some ten times as fast as the
 * same in JavaScript. `scripts/platform/ristretto` writes the module.
 */
export class RistrettoGroup {
  readonly #kernel: Kernel
  readonly #memory: Uint8Array

  constructor(module: WebAssembly.Module) {
    this.#kernel = new WebAssembly.Instance(module).exports as unknown as Kernel
    this.#memory = new Uint8Array(this.#kernel.memory.buffer)
  }

  /** Whether these 32 bytes encode an element other than the identity, in the one way that there is. */
  isElement(bytes: Uint8Array): boolean {
    this.#memory.set(bytes.subarray(0, BYTES))
    return bytes.length === BYTES && this.#kernel.isElement() === 1
  }

  /** The element times the scalar, a number below the order of the group; null if it is not an element. */
  multiply(element: Uint8Array, scalar: Uint8Array): Uint8Array | null {
    if (element.length !== BYTES || scalar.length !== BYTES) throw new RangeError('32 bytes are needed')
    this.#memory.set(element)
    this.#memory.set(scalar, BYTES)
    return this.#kernel.multiply() === 1 ? this.#memory.slice(0, BYTES) : null
  }

  multiplyGenerator(scalar: Uint8Array): Uint8Array {
    const product = this.multiply(GENERATOR, scalar)
    if (!product) throw new Error('the generator is an element')
    return product
  }
}
