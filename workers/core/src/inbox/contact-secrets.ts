import { base64urlOf, bytesOf, encodeBase64url } from '@svc/protocol/base64url'
import { DependencyFault } from '@svc/protocol/dependency-fault'
import { toHex } from '@svc/protocol/hash'
import { CONTACT_REQUEST_ID_BYTES } from '@svc/protocol/inbox'
import { equalSecrets, InternalMacs, type InternalSecrets } from '@svc/service'

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
  readonly #macs: InternalMacs

  constructor(secrets: InternalSecrets) {
    this.#macs = new InternalMacs(secrets)
  }

  /** The id says whose inbox the request is for, so that a made-up one reaches no object and none needs looking up. */
  async mint(did: string): Promise<string> {
    const body = new Uint8Array(BODY_BYTES)
    body.set(bytesOf(did.slice(DID_PREFIX.length)))
    crypto.getRandomValues(body.subarray(DID_BYTES))
    const [tag = new Uint8Array()] = await this.#tagsOf(body)
    return encodeBase64url(new Uint8Array([...body, ...tag]))
  }

  /** The DID that an id was minted for, or null when this deployment minted none such. */
  async ownerOf(requestId: string): Promise<string | null> {
    if ((await this.#mintedUnder(requestId)) < 0) return null
    return DID_PREFIX + encodeBase64url(bytesOf(requestId).subarray(0, DID_BYTES))
  }

  /**
   * A million codes: whoever saw a plain hash could try them all, so it is keyed, and by the secret that the request's
   * id was minted under: the inbox keeps the hash for as long as the request is open.
   */
  async codeHash(requestId: string, code: string): Promise<string> {
    const macs = await this.#macsOf(`svc/contact-code/v1 ${requestId} ${code}`)
    const mac = macs[Math.max(0, await this.#mintedUnder(requestId))]
    if (mac === undefined) throw noSecret()
    return toHex(mac)
  }

  /**
   * Names a mail address to its counters: one for each accepted secret, so that a change of the secret gives nobody a
   * fresh count. A tag after `+` reaches the same mailbox, so it counts as the same address.
   */
  async addressNames(address: string): Promise<string[]> {
    const [local = '', domain = ''] = address.toLowerCase().split('@')
    const macs = await this.#macsOf(`svc/contact-address/v1 ${local.replace(/\+.*$/, '')}@${domain}`)
    return macs.map(toHex)
  }

  /** Which of the accepted secrets minted an id, or -1. */
  async #mintedUnder(requestId: string): Promise<number> {
    if (!requestIdForm.safeParse(requestId).success) return -1
    const bytes = bytesOf(requestId)
    const presented = toHex(bytes.subarray(BODY_BYTES))
    const tags = await this.#tagsOf(bytes.subarray(0, BODY_BYTES))
    return tags.findIndex((tag) => equalSecrets(presented, toHex(tag)))
  }

  async #tagsOf(body: Uint8Array): Promise<Uint8Array[]> {
    const macs = await this.#macsOf(`svc/contact-request/v1 ${encodeBase64url(body)}`)
    return macs.map((mac) => mac.subarray(0, CONTACT_REQUEST_ID_BYTES - BODY_BYTES))
  }

  async #macsOf(message: string): Promise<Uint8Array[]> {
    const macs = await this.#macs.all(message)
    if (macs.length === 0) throw noSecret()
    return macs
  }
}

function noSecret(): DependencyFault {
  return new DependencyFault('contact secrets', { cause: new Error('no secret') })
}

/** Six digits, each code as likely as any other. */
export function drawCode(): string {
  for (;;) {
    const [drawn = UNBIASED] = crypto.getRandomValues(new Uint32Array(1))
    if (drawn < UNBIASED) return String(drawn % CODES).padStart(6, '0')
  }
}
