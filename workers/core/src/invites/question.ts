/**
 * The bot challenge for a browser without scripts: a small sum in words, signed, for a quarter of an hour. It stops what
 * fills in every form, and no more; the limits do the rest.
 *
 * @module
 */
import { toHex } from '@svc/protocol/hash'
import { equalSecrets } from '@svc/service'

const WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const LIFETIME_MS = 15 * 60_000

export interface Question {
  readonly text: string
  /** Goes with the form, and comes back with the answer. */
  readonly ticket: string
}

export class Questions {
  readonly #secret: string | undefined

  constructor(secret: string | undefined) {
    this.#secret = secret
  }

  /** Null without a secret: a question that anybody can sign is none. */
  async ask(now: number): Promise<Question | null> {
    const [first = 0, second = 0] = crypto.getRandomValues(new Uint8Array(2))
    const [a, b] = [first % WORDS.length, second % WORDS.length]
    const body = `${a}.${b}.${now + LIFETIME_MS}`
    const mac = await this.#mac(body)
    return mac === null ? null : { text: `What is ${WORDS[a]} plus ${WORDS[b]}?`, ticket: `${body}.${mac}` }
  }

  async isAnswered(ticket: string, answer: string, now: number): Promise<boolean> {
    const [, a = '', b = '', expires = '', mac = ''] = /^(\d)\.(\d)\.(\d{1,15})\.([0-9a-f]{64})$/.exec(ticket) ?? []
    const expected = await this.#mac(`${a}.${b}.${expires}`)
    if (expected === null || !equalSecrets(mac, expected) || Number(expires) <= now) return false
    return answer.trim() === String(Number(a) + Number(b) + 2)
  }

  async #mac(body: string): Promise<string | null> {
    if (!this.#secret) return null
    const material = new TextEncoder().encode(this.#secret)
    const key = await crypto.subtle.importKey('raw', material, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    const signed = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(`svc/invite-question/v1 ${body}`))
    return toHex(new Uint8Array(signed))
  }
}
