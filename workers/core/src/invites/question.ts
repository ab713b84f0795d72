/**
 * The bot challenge for browsers without scripts: a small sum in words, signed, valid for a quarter of an hour. It
 * stops only bots that fill in every form; the limits do the rest.
 *
 * @module
 */
import { toHex } from '@svc/protocol/base/hash'
import { equalSecrets, InternalMacs, type InternalSecrets } from '@svc/service'

const WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const LIFETIME_MS = 15 * 60_000

export interface Question {
  readonly text: string
  /** Sent with the form, and returned with the answer. */
  readonly ticket: string
}

export class Questions {
  readonly #macs: InternalMacs

  constructor(secrets: InternalSecrets) {
    this.#macs = new InternalMacs(secrets)
  }

  /** Null without a secret: anyone could forge the ticket. */
  async ask(now: number): Promise<Question | null> {
    const [first = 0, second = 0] = crypto.getRandomValues(new Uint8Array(2))
    const [a, b] = [first % WORDS.length, second % WORDS.length]
    const body = `${a}.${b}.${now + LIFETIME_MS}`
    const mac = await this.#macs.current(messageOf(body))
    return mac === null ? null : { text: `What is ${WORDS[a]} plus ${WORDS[b]}?`, ticket: `${body}.${toHex(mac)}` }
  }

  async isAnswered(ticket: string, answer: string, now: number): Promise<boolean> {
    const [, a = '', b = '', expires = '', mac = ''] = /^(\d)\.(\d)\.(\d{1,15})\.([0-9a-f]{64})$/.exec(ticket) ?? []
    const expected = await this.#macs.all(messageOf(`${a}.${b}.${expires}`))
    if (!expected.some((made) => equalSecrets(mac, toHex(made))) || Number(expires) <= now) return false
    return answer.trim() === String(Number(a) + Number(b) + 2)
  }
}

function messageOf(body: string): string {
  return `svc/invite-question/v1 ${body}`
}
