import type { Client } from '@svc/client'
import { type TextRegistered, textRegisteredSchema } from '@svc/protocol/provenance/text-assets'
import type { Planned } from '../planned.ts'
import type { Sealer } from '../sealer.ts'
import { Book, saying, sentBody } from './book.ts'

interface TextClaim {
  readonly assetId: string
  readonly text: string
}

const WORDS = 60

/** Words that do not occur in another text. */
export function newText(): string {
  return Array.from({ length: WORDS }, () => `word${crypto.randomUUID().slice(0, 8)}`).join(' ')
}

/** The texts that one identity has registered. */
export class TextBook extends Book<TextClaim> {
  readonly #sealer: Sealer
  readonly #anyone: Client

  constructor(sealer: Sealer, anyone: Client) {
    super()
    this.#sealer = sealer
    this.#anyone = anyone
  }

  async next(): Promise<Planned> {
    const text = newText()
    const request = await this.#sealer.seal('POST', ({ provenance }) => provenance.registerText(text))
    const { asset_id: assetId } = sentBody(request) as { readonly asset_id: string }
    return this.planned(request, 200, { assetId, text })
  }

  /**
   * Registering an acknowledged text again returns a duplicate with the same time, a search finds it, and every text cost
   * one unit; an unanswered text does so once it is registered now.
   */
  async faults(): Promise<string[]> {
    const found: string[] = []
    for (const { claim, answer } of this.heard) {
      const first = textRegisteredSchema.parse(answer)
      found.push(...(await this.#faultsOf(claim, first.registered_at_ms)))
    }
    found.push(...(await this.tryAgain((claim) => this.#register(claim))))
    const meters = await this.#sealer.client.quota.meters()
    const meter = meters.find(({ kind }) => kind === 'capsule')
    const texts = this.heard.length
    if (meter?.used !== texts || meter.reserved !== 0)
      found.push(`quota: ${texts} texts are registered, ${meter?.used} counted and ${meter?.reserved} reserved`)
    return found
  }

  async #register(claim: TextClaim): Promise<TextRegistered> {
    const registered = await this.#sealer.client.provenance.registerText(claim.text)
    if (registered.duplicate) this.wasTaken(claim)
    return registered
  }

  async #faultsOf({ assetId, text }: TextClaim, registeredAt: number): Promise<string[]> {
    try {
      const again = await this.#sealer.client.provenance.registerText(text)
      const isSame = again.duplicate && again.registered_at_ms === registeredAt
      if (!isSame) return [`text ${assetId}: was acknowledged and is now registered at ${again.registered_at_ms}`]
      const { matches } = await this.#anyone.provenance.searchText(text)
      return matches[0]?.asset_id === assetId ? [] : [`text ${assetId}: a search does not find it`]
    } catch (error) {
      return [saying(`text ${assetId}`, error)]
    }
  }
}
