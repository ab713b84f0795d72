/**
 * The bot challenge for browsers without scripts: a small sum in words, signed, valid once for a quarter of an hour. It
 * stops only bots that fill in every form; a small exact limit per address does the rest.
 *
 * @module
 */
import { toHex } from '@svc/protocol/base/hash'
import {
  addressKey,
  type CounterService,
  equalSecrets,
  InternalMacs,
  type InternalSecrets,
  type Window,
} from '@svc/service'

const WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const LIFETIME_SECONDS = 900
const ID_BYTES = 16
/** A wrong answer spends the ticket too, or every sum could be tried. */
export const ONCE: Window = { counter: 'invite-ticket', limit: 1, seconds: LIFETIME_SECONDS, protects: 'guess' }
/** Answers per address and day, wrong ones included: a bot solves a sum at no cost. */
export const ANSWERS: Window = { counter: 'invite-answer', limit: 10, seconds: 86_400, protects: 'guess' }

export interface Question {
  readonly text: string
  /** Sent with the form, and returned with the answer. */
  readonly ticket: string
}

export type Answered = 'right' | 'wrong' | 'too_many'

export class Questions {
  readonly #macs: InternalMacs
  readonly #counters: CounterService

  constructor(secrets: InternalSecrets, counters: CounterService) {
    this.#macs = new InternalMacs(secrets)
    this.#counters = counters
  }

  /** Null without a secret: anyone could forge the ticket. */
  async ask(now: number): Promise<Question | null> {
    const [first = 0, second = 0] = crypto.getRandomValues(new Uint8Array(2))
    const [a, b] = [first % WORDS.length, second % WORDS.length]
    const id = toHex(crypto.getRandomValues(new Uint8Array(ID_BYTES)))
    const body = `${a}.${b}.${id}.${now + LIFETIME_SECONDS * 1000}`
    const mac = await this.#macs.current(messageOf(body))
    return mac === null ? null : { text: `What is ${WORDS[a]} plus ${WORDS[b]}?`, ticket: `${body}.${toHex(mac)}` }
  }

  async answer(ticket: string, answer: string, address: string, now: number): Promise<Answered> {
    const sum = await this.#sumOf(ticket, now)
    if (sum === null) return 'wrong'
    if ((await this.#counters.take(ANSWERS, addressKey(address))) > 0) return 'too_many'
    if ((await this.#counters.take(ONCE, ticket)) > 0) return 'wrong'
    return answer.trim() === String(sum) ? 'right' : 'wrong'
  }

  /** Null unless the ticket is one of ours and has not expired. */
  async #sumOf(ticket: string, now: number): Promise<number | null> {
    const [, body = '', a = '', b = '', expires = '', mac = ''] =
      /^((\d)\.(\d)\.[0-9a-f]{32}\.(\d{1,15}))\.([0-9a-f]{64})$/.exec(ticket) ?? []
    const expected = await this.#macs.all(messageOf(body))
    if (!expected.some((made) => equalSecrets(mac, toHex(made))) || Number(expires) <= now) return null
    return Number(a) + Number(b) + 2
  }
}

function messageOf(body: string): string {
  return `svc/invite-question/v1 ${body}`
}
