import { crockford, grouped } from '@svc/protocol/devices/crockford'
import { equalSecrets, KeyedMacs } from '@svc/service'

export type Flow = 'pairing' | 'authorization'

/** 35 random bits for the few offers open at once, then 25 bits that only this deployment can compute. */
const RANDOM_CHARS = 7
const MAC_CHARS = 5

/**
 * Codes of offers. A code carries a MAC over its random part and its flow, so an invented code reaches no object:
 * guessing never touches storage.
 */
export class OfferCodes {
  readonly #macs: KeyedMacs

  constructor(seeds: ReadonlyMap<number, string>) {
    this.#macs = new KeyedMacs(seeds, 'offer-code')
  }

  /** Null without a seed: better no offers than codes that anyone can forge. */
  async mint(flow: Flow): Promise<string | null> {
    const random = crockford(crypto.getRandomValues(new Uint8Array(5))).slice(0, RANDOM_CHARS)
    const made = await this.#macs.newest(messageOf(flow, random))
    return made && grouped(random + charsOf(made.mac))
  }

  async isOurs(flow: Flow, code: string): Promise<boolean> {
    const text = code.replaceAll('-', '')
    const macs = await this.#macs.all(messageOf(flow, text.slice(0, RANDOM_CHARS)))
    return macs.some(({ mac }) => equalSecrets(text.slice(RANDOM_CHARS), charsOf(mac)))
  }
}

function messageOf(flow: Flow, random: string): string {
  return `svc/offer-code/v1 ${flow} ${random}`
}

function charsOf(mac: Uint8Array): string {
  return crockford(mac).slice(0, MAC_CHARS)
}
