import { err, ok, type Result } from '@svc/protocol/base/result'
import { stateAt } from '../intents/rules.ts'
import type { IntentStore } from '../intents/store.ts'
import type { LocalProvider } from '../payments/local-provider.ts'
import { checkoutPage, concludedPage } from './page.ts'

type NoPage = { readonly reason: 'not_found' }

/** The page of the embedded provider, if the deployment has one. */
export class CheckoutService {
  readonly #intents: IntentStore
  readonly #provider: LocalProvider | null

  constructor(intents: IntentStore, provider: LocalProvider | null) {
    this.#intents = intents
    this.#provider = provider
  }

  async page(id: string, now: number): Promise<Result<string, NoPage>> {
    const intent = this.#provider && (await this.#intents.find(id))
    if (intent?.provider !== 'local') return err({ reason: 'not_found' })
    const state = stateAt(intent.state, intent.expiresAt, now)
    return ok(state === 'open' ? checkoutPage(intent) : concludedPage(intent, state))
  }

  async conclude(id: string, outcome: 'pay' | 'decline' | 'refund', now: number): Promise<Result<string, NoPage>> {
    const intent = this.#provider && (await this.#intents.find(id))
    if (!this.#provider || intent?.provider !== 'local') return err({ reason: 'not_found' })
    const state = stateAt(intent.state, intent.expiresAt, now)
    if (outcome === 'refund') {
      if (state === 'paid') await this.#provider.refund(intent, now)
    } else if (state === 'open') {
      await this.#provider.conclude(intent, outcome, now)
    }
    return this.page(id, now)
  }
}
