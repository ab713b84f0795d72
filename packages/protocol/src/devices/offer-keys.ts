/**
 * What both devices derive from the secret of an invitation: the token of the offer, and a key to authenticate each other
 * with. The service relays what they say and has neither secret nor key, so it cannot change a word.
 *
 * @module
 */
import { hkdfSha3_384, hmacSha3_384 } from '#pqc/sha3'
import { base64urlOf, bytesOf, encodeBase64url } from '../base/base64url.ts'
import { equalMacs } from '../base/bytes.ts'
import type { SignedDeviceAcceptance } from '../base/device.ts'
import { hashTextHex } from '../base/hash.ts'
import { type Json, jcsBytes } from '../base/jcs.ts'
import { pure } from '../base/pure.ts'
import { crockford, grouped } from './crockford.ts'

const TOKEN_BYTES = 32
const MAC_BYTES = 48
const SEAL_BYTES = 32
const CONFIRMATION_CHARS = 12

export const offerTokenSchema = /* @__PURE__ */ base64urlOf(TOKEN_BYTES)
export const offerProofSchema = /* @__PURE__ */ pure(() =>
  base64urlOf(MAC_BYTES).meta({ description: 'HMAC-SHA3-384 under the key of the invitation' }),
)

/** Who opened an offer, and where. */
export interface OfferOrigin {
  readonly realm: string
  readonly did: string
  readonly rootPublicKeyB64u: string
}

/** Which device joined which offer: all that it accepted, with its signature. */
export interface Joining {
  readonly code: string
  /** The root key that the device verified. */
  readonly rootPublicKeyB64u: string
  readonly acceptance: SignedDeviceAcceptance
}

/** Derived from one secret. */
export class OfferKeys {
  /** The credential of the joining device, which the service learns when it is used. */
  readonly token: string
  readonly #macKey: Uint8Array
  readonly #sealKey: Uint8Array

  constructor(secret: string) {
    const derived = (label: string, bytes: number) => hkdfSha3_384(ascii(secret), new Uint8Array(), ascii(label), bytes)
    this.token = encodeBase64url(derived('svc/offer-token/v1', TOKEN_BYTES))
    this.#macKey = derived('svc/offer-mac/v1', MAC_BYTES)
    this.#sealKey = derived('svc/offer-seal/v1', SEAL_BYTES)
  }

  /**
   * 32 bytes that the key of a delivery is derived from beside the KEM's shared secret: who has recorded the delivery and
   * can break the KEM some day still cannot open it.
   */
  get sealKey(): Uint8Array {
    return this.#sealKey.slice()
  }

  /** What the service stores of the token. */
  get tokenHash(): string {
    return hashOfToken(this.token)
  }

  /** By the offering side: this identity opened the offer. */
  offerProof({ realm, did, rootPublicKeyB64u }: OfferOrigin): string {
    return encodeBase64url(this.#mac({ type: 'svc/offer-proof/v1', realm, did, rootPublicKeyB64u }))
  }

  /** By the joining device: it is the one that accepted. */
  joinProof({ code, rootPublicKeyB64u, acceptance }: Joining): string {
    return encodeBase64url(this.#mac({ type: 'svc/join-proof/v1', code, rootPublicKeyB64u, acceptance }))
  }

  isOfferProof(proofB64u: string, origin: OfferOrigin): boolean {
    return equalMacs(bytesOf(proofB64u), bytesOf(this.offerProof(origin)))
  }

  isJoinProof(proofB64u: string, joining: Joining): boolean {
    return equalMacs(bytesOf(proofB64u), bytesOf(this.joinProof(joining)))
  }

  /**
   * Twelve characters, 60 bits, for people to compare. It tells whether another device that saw the invitation has joined.
   * Nobody without the secret can compute or precompute it. Without time and signature, in which repeated requests of one
   * device differ.
   */
  confirmationCode({ code, rootPublicKeyB64u, acceptance }: Joining): string {
    const { issuedAt: _, ...accepted } = acceptance.statement
    const mac = this.#mac({ type: 'svc/pairing-confirmation/v1', code, rootPublicKeyB64u, accepted })
    return grouped(crockford(mac).slice(0, CONFIRMATION_CHARS))
  }

  #mac(message: Json): Uint8Array {
    return hmacSha3_384(this.#macKey, jcsBytes(message))
  }
}

/** A token has 256 bits; the service keeps only its SHA3-384. */
export function hashOfToken(token: string): string {
  return hashTextHex(token)
}

const ascii = (text: string) => new TextEncoder().encode(text)
