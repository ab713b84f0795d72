import { base64urlLength, bytesOf, bytesWithin } from '@svc/protocol/base/base64url'
import { PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from '@svc/protocol/base/labels'
import {
  type CheckRequest,
  checkRequestSchema,
  MAX_VERIFIED_MESSAGE_BYTES,
} from '@svc/protocol/provenance/signature-check'
import * as z from 'zod'

export interface ReadRequest extends Pick<CheckRequest, 'publicKeyB64u' | 'nonce'> {
  readonly publicKey: Uint8Array
  readonly message: Uint8Array
  readonly signature: Uint8Array
}

/** The schema without the checks that decoding performs. */
const shapeSchema = checkRequestSchema.safeExtend({
  publicKeyB64u: z.string(),
  messageB64u: z.string().max(base64urlLength(MAX_VERIFIED_MESSAGE_BYTES)),
  signatureB64u: z.string(),
})

/** Longer messages are decoded into a new array. */
const MESSAGE_BYTES = 4096

/** A buffer that one request after another decodes into: allocating an array takes several times as long as filling it. */
export class CheckRoom {
  readonly #publicKey = new Uint8Array(PUBLIC_KEY_BYTES)
  readonly #message = new Uint8Array(MESSAGE_BYTES)
  readonly #signature = new Uint8Array(SIGNATURE_BYTES)

  /**
   * Validates against `checkRequestSchema` and decodes in one pass; null if invalid. The bytes are valid until the next
   * request is read.
   */
  read(item: unknown): ReadRequest | null {
    const parsed = shapeSchema.safeParse(item)
    if (!parsed.success) return null
    const { publicKeyB64u, messageB64u, signatureB64u, nonce } = parsed.data
    try {
      const publicKey = bytesWithin(this.#publicKey, publicKeyB64u)
      const signature = bytesWithin(this.#signature, signatureB64u)
      if (publicKey.length !== PUBLIC_KEY_BYTES || signature.length !== SIGNATURE_BYTES) return null
      return { publicKeyB64u, nonce, publicKey, message: this.#messageOf(messageB64u), signature }
    } catch {
      return null
    }
  }

  #messageOf(text: string): Uint8Array {
    return text.length > base64urlLength(MESSAGE_BYTES) ? bytesOf(text) : bytesWithin(this.#message, text)
  }
}
