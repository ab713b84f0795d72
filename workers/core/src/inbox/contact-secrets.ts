import { base64urlOf, bytesOf, encodeBase64url } from '@svc/protocol/base64url'
import { DependencyFault } from '@svc/protocol/dependency-fault'
import { toHex } from '@svc/protocol/hash'
import { CONTACT_REQUEST_ID_BYTES } from '@svc/protocol/inbox'
import { equalSecrets } from '@svc/service'

const DID_PREFIX = 'did:svc:'
const DID_BYTES = 24
const RANDOM_BYTES = 16
const BODY_BYTES = DID_BYTES + RANDOM_BYTES
const CODES = 1_000_000
/** The largest multiple of a million below 2^32: what is above it would make small codes likelier. */
const UNBIASED = Math.floor(2 ** 32 / CODES) * CODES

const requestIdForm = base64urlOf(CONTACT_REQUEST_ID_BYTES)

/** What only this deployment can make of a contact request: its id, its codes as they are kept, a name for an address. */
export class ContactSecrets {
  readonly #secret: string | undefined
  #key: Promise<CryptoKey> | undefined

  constructor(secret: string | undefined) {
    this.#secret = secret
  }

  /** The id says whose inbox the request is for, so that a made-up one reaches no object and none needs looking up. */
  async mint(did: string): Promise<string> {
    const body = new Uint8Array(BODY_BYTES)
    body.set(bytesOf(did.slice(DID_PREFIX.length)))
    crypto.getRandomValues(body.subarray(DID_BYTES))
    return encodeBase64url(new Uint8Array([...body, ...(await this.#tagOf(body))]))
  }

  /** The DID that an id was minted for, or null when this deployment minted none such. */
  async ownerOf(requestId: string): Promise<string | null> {
    if (!requestIdForm.safeParse(requestId).success) return null
    const bytes = bytesOf(requestId)
    const body = bytes.subarray(0, BODY_BYTES)
    const expected = toHex(await this.#tagOf(body))
    if (!equalSecrets(toHex(bytes.subarray(BODY_BYTES)), expected)) return null
    return DID_PREFIX + encodeBase64url(body.subarray(0, DID_BYTES))
  }

  /** A million codes: whoever saw a plain hash could try them all, so it is keyed. */
  async codeHash(requestId: string, code: string): Promise<string> {
    return toHex(await this.#mac(`svc/contact-code/v1 ${requestId} ${code}`))
  }

  /** Names a mail address to its counter. A tag after `+` reaches the same mailbox, so it counts as the same address. */
  async addressName(address: string): Promise<string> {
    const [local = '', domain = ''] = address.toLowerCase().split('@')
    return toHex(await this.#mac(`svc/contact-address/v1 ${local.replace(/\+.*$/, '')}@${domain}`))
  }

  async #tagOf(body: Uint8Array): Promise<Uint8Array> {
    const mac = await this.#mac(`svc/contact-request/v1 ${encodeBase64url(body)}`)
    return mac.subarray(0, CONTACT_REQUEST_ID_BYTES - BODY_BYTES)
  }

  async #mac(message: string): Promise<Uint8Array> {
    if (!this.#secret) throw new DependencyFault('contact secrets', { cause: new Error('no secret') })
    this.#key ??= crypto.subtle.importKey(
      'raw',
      new TextEncoder().encode(this.#secret),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['sign'],
    )
    return new Uint8Array(await crypto.subtle.sign('HMAC', await this.#key, new TextEncoder().encode(message)))
  }
}

/** Six digits, each code as likely as any other. */
export function drawCode(): string {
  for (;;) {
    const [drawn = UNBIASED] = crypto.getRandomValues(new Uint32Array(1))
    if (drawn < UNBIASED) return String(drawn % CODES).padStart(6, '0')
  }
}
