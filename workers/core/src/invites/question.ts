/**
 * The bot challenge for browsers without scripts: a small sum in words, in a signed ticket that is answered once, not
 * sooner than Turnstile would take and within a quarter of an hour. It stops only bots that fill in every form; exact
 * limits, of a network and of all of them together, bound what the others can leave.
 *
 * @module
 */
import { toHex } from '@svc/protocol/base/hash'
import { type CounterService, equalSecrets, KeyedMacs, networkKey } from '@svc/service'
import { ANSWERS, MAX_AGE_SECONDS, MIN_AGE_SECONDS, ONCE, UNSCRIPTED } from './limits.ts'

const WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const ID_BYTES = 16

export interface Question {
  readonly text: string
  /** Sent with the form, and returned with the answer. */
  readonly ticket: string
  /** What was answered, if the form is shown again with the same question. */
  readonly answer: string
}

export type Answered = 'right' | 'wrong' | 'too_soon' | 'too_many' | 'none_left'

export class Questions {
  readonly #macs: KeyedMacs
  readonly #counters: CounterService

  constructor(seeds: ReadonlyMap<number, string>, counters: CounterService) {
    this.#macs = new KeyedMacs(seeds, 'invite-question')
    this.#counters = counters
  }

  /** Null without a seed: anyone could forge the ticket. */
  async ask(now: number): Promise<Question | null> {
    const body = `${toHex(crypto.getRandomValues(new Uint8Array(ID_BYTES)))}.${now}`
    const [made, sum] = await Promise.all([this.#macs.newest(messageOf(body)), this.#macs.newest(sumOf(body))])
    return made && sum && { text: textOf(numbersOf(sum)), ticket: `${body}.${toHex(made.mac)}`, answer: '' }
  }

  /** The same question, so that its time runs on; another one if its ticket is not ours or has expired. */
  async again(ticket: string, answer: string, now: number): Promise<Question | null> {
    const opened = await this.#open(ticket, now)
    return opened ? { text: textOf(opened), ticket, answer } : this.ask(now)
  }

  async answer(ticket: string, answer: string, address: string, now: number): Promise<Answered> {
    const opened = await this.#open(ticket, now)
    if (opened === null) return 'wrong'
    if (now < opened.askedAt + MIN_AGE_SECONDS * 1000) return 'too_soon'
    if ((await this.#counters.take(ANSWERS, networkKey(address))) > 0) return 'too_many'
    if ((await this.#counters.take(ONCE, ticket)) > 0) return 'wrong'
    if (answer.trim() !== String(opened.a + opened.b + 2)) return 'wrong'
    return (await this.#counters.take(UNSCRIPTED, 'all')) > 0 ? 'none_left' : 'right'
  }

  /** Null unless the ticket is one of ours and has not expired. */
  async #open(ticket: string, now: number): Promise<{ a: number; b: number; askedAt: number } | null> {
    const [, body = '', askedAt = '', mac = ''] = /^([0-9a-f]{32}\.(\d{1,15}))\.([0-9a-f]{64})$/.exec(ticket) ?? []
    const expected = await this.#macs.all(messageOf(body))
    const made = expected.find((one) => equalSecrets(mac, toHex(one.mac)))
    if (made === undefined || Number(askedAt) + MAX_AGE_SECONDS * 1000 <= now) return null
    const sum = (await this.#macs.all(sumOf(body))).find(({ version }) => version === made.version)
    return sum ? { ...numbersOf(sum), askedAt: Number(askedAt) } : null
  }
}

/** Only this deployment can compute them: the page has them in words alone. */
function numbersOf({ mac: [first = 0, second = 0] }: { readonly mac: Uint8Array }): { a: number; b: number } {
  return { a: first % WORDS.length, b: second % WORDS.length }
}

function sumOf(body: string): string {
  return `svc/invite-question/v1 sum ${body}`
}

function textOf({ a, b }: { readonly a: number; readonly b: number }): string {
  return `What is ${WORDS[a]} plus ${WORDS[b]}?`
}

function messageOf(body: string): string {
  return `svc/invite-question/v1 ${body}`
}
