import { base64urlLength, bytesOf, bytesWithin } from '@svc/protocol/base64url'
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from '@svc/protocol/labels'
import type { CheckRequest } from '@svc/protocol/signature-check'

export interface CheckBytes {
  readonly publicKey: Uint8Array
  readonly message: Uint8Array
  readonly signature: Uint8Array
}

/** Longer ones are decoded to an array of their own. */
const MESSAGE_BYTES = 4096

/** Where one request after another is decoded to: to make an array takes several times as long as to fill it. */
export class CheckRoom {
  readonly #publicKey = new Uint8Array(PUBLIC_KEY_BYTES)
  readonly #message = new Uint8Array(MESSAGE_BYTES)
  readonly #signature = new Uint8Array(SIGNATURE_BYTES)

  /** They are there until those of another request are asked for. */
  bytesOf({ publicKeyB64u, messageB64u, signatureB64u }: CheckRequest): CheckBytes {
    const isLong = messageB64u.length > base64urlLength(MESSAGE_BYTES)
    return {
      publicKey: bytesWithin(this.#publicKey, publicKeyB64u),
      message: isLong ? bytesOf(messageB64u) : bytesWithin(this.#message, messageB64u),
      signature: bytesWithin(this.#signature, signatureB64u),
    }
  }
}
