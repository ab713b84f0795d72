import { hashTextHex } from '@svc/protocol/hash'
import { crockford } from '@svc/protocol/rendezvous'
import { equalSecrets } from '@svc/service'

export type Flow = 'pairing' | 'authorization'

/** 35 random bits for the few offers that are open at once, then 25 bits that only this deployment can make. */
const RANDOM_CHARS = 7
const MAC_CHARS = 5

/**
 * Codes of offers. A code carries a MAC over its random part and its flow, so that one which was made up reaches no
 * object: nobody can make the service touch storage by guessing.
 */
export class OfferCodes {
  readonly #secret: string | undefined
  #key: Promise<CryptoKey> | undefined

  constructor(secret: string | undefined) {
    this.#secret = secret
  }

  /** Null without a secret: no offers, rather than codes that anybody can make. */
  async mint(flow: Flow): Promise<string | null> {
    const random = crockford(crypto.getRandomValues(new Uint8Array(5))).slice(0, RANDOM_CHARS)
    const mac = await this.#mac(flow, random)
    if (mac === null) return null
    const text = random + mac
    return `${text.slice(0, 4)}-${text.slice(4, 8)}-${text.slice(8)}`
  }

  async isOurs(flow: Flow, code: string): Promise<boolean> {
    const text = code.replaceAll('-', '')
    const mac = await this.#mac(flow, text.slice(0, RANDOM_CHARS))
    return mac !== null && equalSecrets(text.slice(RANDOM_CHARS), mac)
  }

  async #mac(flow: Flow, random: string): Promise<string | null> {
    if (!this.#secret) return null
    this.#key ??= crypto.subtle.importKey(
      'raw',
      new TextEncoder().encode(this.#secret),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['sign'],
    )
    const message = new TextEncoder().encode(`svc/offer-code/v1 ${flow} ${random}`)
    const mac = await crypto.subtle.sign('HMAC', await this.#key, message)
    return crockford(new Uint8Array(mac)).slice(0, MAC_CHARS)
  }
}

/** A token has 256 random bits; the service keeps its SHA3-384 alone. */
export function hashOfToken(token: string): string {
  return hashTextHex(token)
}
