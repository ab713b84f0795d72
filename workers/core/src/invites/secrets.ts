import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { fromHex, toHex } from '@svc/protocol/base/hash'
import { mailboxOf } from '@svc/service/mailbox'

const IV_BYTES = 12
const KEY_ID_BITS = 64
const SEALED = /^([0-9a-f]{16})\.([A-Za-z0-9_-]{38,})$/

export interface InviteSeeds {
  readonly current: string | undefined
  /** The one before, until the sweep has encrypted everything anew. */
  readonly previous?: string | undefined
}

/** What is derived from one seed. */
interface Keys {
  /** Names the seed in what it encrypted, and tells nothing about it. */
  readonly id: string
  readonly data: CryptoKey
  readonly addresses: CryptoKey
}

/** What a text is about. It is authenticated, so that a row's text cannot be put into another row. */
export interface About {
  readonly kind: 'person' | 'code'
  readonly inviteId: string
}

/**
 * Encrypts what the rows of requests for an invitation say of a person, by AES-256-GCM under keys that are derived from
 * INVITE_SEED. IVs are random: with the hundreds of millions of texts that a seed may encrypt, none repeats.
 */
export class InviteSecrets {
  readonly #seeds: readonly string[]
  #derived: Promise<readonly Keys[]> | undefined

  /** A previous seed without a current one does nothing. */
  constructor({ current, previous }: InviteSeeds) {
    this.#seeds = current ? [current, ...(previous ? [previous] : [])] : []
  }

  /** Throws without a seed, where nothing could be opened and that would not be for a lost seed. */
  async requireSeed(): Promise<void> {
    await this.#current()
  }

  async seal(text: string, about: About): Promise<string> {
    const { id, data } = await this.#current()
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
    const plain = new TextEncoder().encode(text)
    const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: labelOf(about) }, data, plain)
    return `${id}.${encodeBase64url(new Uint8Array([...iv, ...new Uint8Array(sealed)]))}`
  }

  /** Null if no accepted seed encrypted this, or if it is about something else. */
  async open(sealed: string, about: About): Promise<string | null> {
    const [, id, text = ''] = SEALED.exec(sealed) ?? []
    const keys = (await this.#keys()).find((one) => one.id === id)
    if (!keys) return null
    const bytes = bytesOf(text)
    const parameters = { name: 'AES-GCM', iv: bytes.subarray(0, IV_BYTES), additionalData: labelOf(about) }
    try {
      const plain = await crypto.subtle.decrypt(parameters, keys.data, bytes.subarray(IV_BYTES))
      return new TextDecoder().decode(plain)
    } catch {
      return null
    }
  }

  /** How everything starts that the current seed encrypted. */
  async currentPrefix(): Promise<string> {
    return `${(await this.#current()).id}.`
  }

  /**
   * Names of the mailbox that an address reaches, in any spelling: one for each accepted seed, the current one first, so that
   * changing the seed lets nobody ask twice.
   */
  async addressHashes(address: string): Promise<readonly [string, ...string[]]> {
    const message = new TextEncoder().encode(`svc/invite-address/v1 ${mailboxOf(address).name}`)
    const hashOf = async ({ addresses }: Keys) =>
      toHex(new Uint8Array(await crypto.subtle.sign('HMAC', addresses, message)))
    const [first, ...others] = await Promise.all((await this.#keys()).map(hashOf))
    if (first === undefined) throw noSeed()
    return [first, ...others]
  }

  async #current(): Promise<Keys> {
    const [keys] = await this.#keys()
    if (!keys) throw noSeed()
    return keys
  }

  #keys(): Promise<readonly Keys[]> {
    this.#derived ??= Promise.all(this.#seeds.map(keysOf))
    return this.#derived
  }
}

async function keysOf(seed: string): Promise<Keys> {
  const base = await crypto.subtle.importKey('raw', fromHex(seed), 'HKDF', false, ['deriveBits', 'deriveKey'])
  const by = (use: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: new TextEncoder().encode(`svc/invite-${use}/v1`),
  })
  const hmac = { name: 'HMAC', hash: 'SHA-256', length: 256 }
  const aes = { name: 'AES-GCM', length: 256 }
  const [id, data, addresses] = await Promise.all([
    crypto.subtle.deriveBits(by('key-id'), base, KEY_ID_BITS),
    crypto.subtle.deriveKey(by('data'), base, aes, false, ['encrypt', 'decrypt']),
    crypto.subtle.deriveKey(by('addresses'), base, hmac, false, ['sign']),
  ])
  return { id: toHex(new Uint8Array(id)), data, addresses }
}

function labelOf({ kind, inviteId }: About): Uint8Array {
  return new TextEncoder().encode(`svc/invite-${kind}/v1 ${inviteId}`)
}

function noSeed(): DependencyFault {
  return new DependencyFault('invite secrets', { cause: new Error('INVITE_SEED is not configured') })
}
