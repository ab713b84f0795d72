import { base64urlOf, bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { toHex } from '@svc/protocol/base/hash'
import { CONTACT_REQUEST_ID_BYTES } from '@svc/protocol/inbox/inbox'
import { KeyedMacs } from '@svc/service'
import { mailboxOf } from '@svc/service/mailbox'

const DID_PREFIX = 'did:svc:'
const DID_BYTES = 24
const TAG_BYTES = 16
/** 160 random bits name the key, so no two requests share one, however many are made. */
const SALT_BYTES = CONTACT_REQUEST_ID_BYTES - DID_BYTES - TAG_BYTES
/** Every key encrypts once. */
const CIPHER = { name: 'AES-GCM', iv: new Uint8Array(12) }

const requestIdForm = base64urlOf(CONTACT_REQUEST_ID_BYTES)

/**
 * What only this deployment can compute for a contact request: its id, the hashes of its codes, names for addresses.
 */
export class ContactSecrets {
  readonly #macs: KeyedMacs

  constructor(seeds: ReadonlyMap<number, string>) {
    this.#macs = new KeyedMacs(seeds, 'contact')
  }

  /**
   * The id is the DID of the owner, encrypted under a key that only this deployment can compute. So it looks random to
   * everybody else, a forged one reaches no object, and no lookup is needed that strangers could fill.
   */
  async mint(did: string): Promise<string> {
    const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
    const [key] = await this.#keysOf(salt, 'encrypt')
    if (!key) throw noSeed()
    const encrypted = await crypto.subtle.encrypt(CIPHER, key, bytesOf(did.slice(DID_PREFIX.length)).slice())
    return encodeBase64url(new Uint8Array([...salt, ...new Uint8Array(encrypted)]))
  }

  /** The DID that an id was minted for; null if this deployment did not mint it. */
  async ownerOf(requestId: string): Promise<string | null> {
    return (await this.#opened(requestId))?.did ?? null
  }

  /**
   * There are only a million codes, so anyone who saw a plain hash could try them all. It is therefore keyed, with the
   * seed that minted the request's id, because the inbox keeps the hash for as long as the request is open.
   */
  async codeHash(requestId: string, code: string): Promise<string> {
    const macs = await this.#macsOf(`svc/contact-code/v1 ${requestId} ${code}`)
    const mac = macs[(await this.#opened(requestId))?.seed ?? 0]
    if (mac === undefined) throw noSeed()
    return toHex(mac)
  }

  /**
   * The names of a mailbox, and of the domain of an address, in their counters: one for each version of the seed, so that a
   * new one gives nobody a fresh count. Every spelling of a mailbox has the same names; a provider's domain has none.
   */
  async countedNames(address: string): Promise<{ readonly mailbox: string[]; readonly domain: string[] }> {
    const { name, domain } = mailboxOf(address)
    const mailbox = await this.#macsOf(`svc/contact-address/v1 ${name}`)
    const domains = domain === null ? [] : await this.#macsOf(`svc/contact-domain/v1 ${domain}`)
    return { mailbox: mailbox.map(toHex), domain: domains.map(toHex) }
  }

  /** The owner, and the index of the seed that minted the id. All are tried, so the time tells none apart. */
  async #opened(requestId: string): Promise<{ readonly did: string; readonly seed: number } | null> {
    if (!requestIdForm.safeParse(requestId).success) return null
    const bytes = bytesOf(requestId).slice()
    const keys = await this.#keysOf(bytes.subarray(0, SALT_BYTES), 'decrypt')
    const encrypted = bytes.subarray(SALT_BYTES)
    const dids = await Promise.all(keys.map((key) => decrypted(key, encrypted)))
    const seed = dids.findIndex((did) => did !== null)
    const did = dids[seed]
    return did ? { did: DID_PREFIX + encodeBase64url(did), seed } : null
  }

  /** Under each version of the seed, the newest first. */
  async #keysOf(salt: Uint8Array, usage: 'encrypt' | 'decrypt'): Promise<CryptoKey[]> {
    const macs = await this.#macsOf(`svc/contact-request/v1 ${encodeBase64url(salt)}`)
    return Promise.all(macs.map((mac) => crypto.subtle.importKey('raw', mac.slice(), 'AES-GCM', false, [usage])))
  }

  async #macsOf(message: string): Promise<Uint8Array[]> {
    const macs = await this.#macs.all(message)
    if (macs.length === 0) throw noSeed()
    return macs.map(({ mac }) => mac)
  }
}

/** Null unless the key made it. */
async function decrypted(key: CryptoKey, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array | null> {
  try {
    return new Uint8Array(await crypto.subtle.decrypt(CIPHER, key, bytes))
  } catch {
    return null
  }
}

function noSeed(): DependencyFault {
  return new DependencyFault('contact secrets', { cause: new Error('CODES_SEED is not configured') })
}
