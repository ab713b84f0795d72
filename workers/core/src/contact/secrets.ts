import { base64urlOf, bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { toHex } from '@svc/protocol/base/hash'
import { CONTACT_REQUEST_ID_BYTES } from '@svc/protocol/inbox/inbox'
import { equalSecrets, InternalMacs, type InternalSecrets } from '@svc/service'
import { mailboxOf } from '@svc/service/mailbox'

const DID_PREFIX = 'did:svc:'
const DID_BYTES = 24
const RANDOM_BYTES = 16
const BODY_BYTES = DID_BYTES + RANDOM_BYTES

const requestIdForm = base64urlOf(CONTACT_REQUEST_ID_BYTES)

/**
 * What only this deployment can compute for a contact request: its id, the hashes of its codes, names for addresses.
 */
export class ContactSecrets {
  readonly #macs: InternalMacs

  constructor(secrets: InternalSecrets) {
    this.#macs = new InternalMacs(secrets)
  }

  /** The id authenticates the inbox of the request, so that a forged one reaches no object and no lookup is needed. */
  async mint(did: string): Promise<string> {
    const body = new Uint8Array(BODY_BYTES)
    body.set(bytesOf(did.slice(DID_PREFIX.length)))
    crypto.getRandomValues(body.subarray(DID_BYTES))
    const [tag = new Uint8Array()] = await this.#tagsOf(body)
    return encodeBase64url(new Uint8Array([...body, ...tag]))
  }

  /** The DID that an id was minted for; null if this deployment did not mint it. */
  async ownerOf(requestId: string): Promise<string | null> {
    if ((await this.#mintedUnder(requestId)) < 0) return null
    return DID_PREFIX + encodeBase64url(bytesOf(requestId).subarray(0, DID_BYTES))
  }

  /**
   * There are only a million codes, so anyone who saw a plain hash could try them all. It is therefore keyed, with the
   * secret that minted the request's id, because the inbox keeps the hash for as long as the request is open.
   */
  async codeHash(requestId: string, code: string): Promise<string> {
    const macs = await this.#macsOf(`svc/contact-code/v1 ${requestId} ${code}`)
    const mac = macs[Math.max(0, await this.#mintedUnder(requestId))]
    if (mac === undefined) throw noSecret()
    return toHex(mac)
  }

  /**
   * The names of a mailbox, and of the domain of an address, in their counters: one per accepted secret, so that changing
   * the secret gives nobody a fresh count. Every spelling of a mailbox has the same names; a provider's domain has none.
   */
  async countedNames(address: string): Promise<{ readonly mailbox: string[]; readonly domain: string[] }> {
    const { name, domain } = mailboxOf(address)
    const mailbox = await this.#macsOf(`svc/contact-address/v1 ${name}`)
    const domains = domain === null ? [] : await this.#macsOf(`svc/contact-domain/v1 ${domain}`)
    return { mailbox: mailbox.map(toHex), domain: domains.map(toHex) }
  }

  /** The index of the accepted secret that minted an id, or -1. */
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
  return new DependencyFault('contact secrets', { cause: new Error('Secret not configured') })
}
