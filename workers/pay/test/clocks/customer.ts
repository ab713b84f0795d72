/** A customer of Stripe on a test clock: subscribes, pays or fails to, changes, disputes, and is refunded. */
import type { Tier } from '@svc/protocol/pay/tiers'
import { eventOf, type StripeAccount, subscriptionOf } from '../payments/stripe.fixture.ts'
import { invoiceOf } from '../payments/stripe-ledger.fixture.ts'
import type { ChargeState, History, Period } from './history.ts'
import type { Random } from './random.ts'

const DAY = 86_400_000
const MONTH = 30 * DAY
const TRIAL = 14 * DAY
/** Stripe tries a card again after these days, then gives up. */
const RETRIES = [1, 3, 5, 9]
const AMOUNT = 900

export type StripeEvent = ReturnType<typeof eventOf>
const PLANS = ['provenance', 'atelier'] as const

interface Current {
  readonly history: History
  tier: Tier
  status: string
  cancels: boolean
  failures: number
}

interface Later {
  readonly at: number
  readonly act: (now: number) => void
}

export class Customer {
  readonly histories: History[] = []
  readonly charges = new Map<string, ChargeState>()
  /** What each kind of day did, so that a run can be seen to have met everything. */
  readonly seen = new Map<string, number>()
  readonly #stripe: StripeAccount
  readonly #did: string
  readonly #random: Random
  #current: Current | null = null
  #later: Later[] = []
  #busy = 0
  #made: StripeEvent[] = []

  constructor(stripe: StripeAccount, did: string, random: Random) {
    this.#stripe = stripe
    this.#did = did
    this.#random = random
  }

  /** Lives until a time, and returns the events of it. */
  liveUntil(now: number): StripeEvent[] {
    this.#made = []
    const due = this.#later.filter(({ at }) => at <= now)
    this.#later = this.#later.filter(({ at }) => at > now)
    for (const { act } of due) act(now)
    if (this.#current) this.#continue(this.#current, now)
    else if (this.#random.chance(0.2)) this.#subscribe(now)
    return this.#made
  }

  #subscribe(now: number): void {
    const tier = PLANS[this.#random.below(2)] ?? 'provenance'
    const isTrial = this.#random.chance(0.5)
    const history: History = { id: `sub_${crypto.randomUUID()}`, periods: [], cancels: false, endedAt: null }
    this.histories.push(history)
    this.#current = { history, tier, status: isTrial ? 'trialing' : 'active', cancels: false, failures: 0 }
    const period = this.#begin(this.#current, now, isTrial ? TRIAL : MONTH)
    period.paidAt = now
    this.#count(isTrial ? 'trial' : 'subscribed')
    this.#tell('created', now)
    if (!isTrial) this.#charge(this.#current, period, 'subscription_create', now)
  }

  #continue(current: Current, now: number): void {
    const period = current.history.periods.at(-1)
    if (!period) return
    if (now >= period.end) this.#turn(current, period.end)
    else if (period.paidAt === null) this.#retry(current, period, now)
    else this.#act(current, period, now)
  }

  /** The period ends: it is renewed, unless it was cancelled. */
  #turn(current: Current, at: number): void {
    if (current.cancels) {
      this.#end(current, at, 'ended with its period')
      return
    }
    const period = this.#begin(current, at, MONTH)
    if (this.#random.chance(0.6)) this.#pay(current, period, at, 'renewed')
    else this.#fail(current, period, at)
  }

  #retry(current: Current, period: Period, now: number): void {
    const day = Math.floor((now - period.start) / DAY)
    if (day > (RETRIES.at(-1) ?? 0)) this.#end(current, now, 'ended for want of money')
    else if (!RETRIES.includes(day)) return
    else if (this.#random.chance(0.1)) this.#pay(current, period, now, 'paid at last')
    else this.#fail(current, period, now)
  }

  #act(current: Current, period: Period, now: number): void {
    const acts = [
      () => this.#setCancels(current, !current.cancels, now),
      () => this.#changePlan(current, period, now),
      () => this.#partialRefund(period, now),
      () => this.#refund(period, now),
      () => this.#dispute(period, now),
    ]
    // Several changes within hours, now and then: their events come in any order.
    if (this.#busy === 0 && this.#random.chance(0.06)) this.#busy = 4
    if (this.#busy > 0) this.#busy -= 1
    if (this.#random.chance(this.#busy > 0 ? 0.9 : 0.06)) acts[this.#random.below(acts.length)]?.()
  }

  #setCancels(current: Current, cancels: boolean, now: number): void {
    current.cancels = cancels
    current.history.cancels = cancels
    this.#count(cancels ? 'cancelled' : 'resumed')
    this.#tell('updated', now)
  }

  #changePlan(current: Current, period: Period, now: number): void {
    const isHigher = current.tier === 'provenance'
    current.tier = isHigher ? 'atelier' : 'provenance'
    period.plans.push({ from: now, tier: current.tier })
    this.#count(isHigher ? 'upgraded' : 'downgraded')
    this.#tell('updated', now)
    if (!isHigher) return
    const { start, end } = period
    const invoice = { subscription: current.history.id, did: this.#did, start, end }
    const by = { invoice, reason: 'subscription_update', amount: AMOUNT }
    const { id } = this.#stripe.ledger.pay(by)
    this.#made.push(eventOf('invoice.paid', invoiceOf(`in_of_${id}`, by), { created: now }))
    // The difference given back, as a courtesy, takes nothing.
    if (this.#random.chance(0.3))
      this.#event('refund.created', this.#stripe.ledger.refund(id), now, 'proration refunded')
  }

  #partialRefund({ charge }: Period, now: number): void {
    if (charge === null || this.charges.get(charge) !== 'stands') return
    this.#event('refund.created', this.#stripe.ledger.refund(charge, 1), now, 'refunded in part')
  }

  #refund({ charge }: Period, now: number): void {
    if (charge === null || this.charges.get(charge) !== 'stands') return
    const refund = this.#stripe.ledger.refund(charge)
    this.charges.set(charge, 'refunded')
    this.#event('refund.created', refund, now, 'refunded')
    const object = this.#stripe.ledger.charges.get(charge)
    if (object) this.#made.push(eventOf('charge.refunded', object, { created: now }))
    if (this.#random.chance(0.4)) {
      this.#after(1 + this.#random.below(4), now, (then) => {
        this.charges.set(charge, 'stands')
        this.#event('refund.failed', this.#stripe.ledger.failRefund(charge, refund.amount), then, 'refund failed')
      })
    }
  }

  #dispute({ charge }: Period, now: number): void {
    if (charge === null || this.charges.get(charge) !== 'stands') return
    this.charges.set(charge, 'disputed')
    this.#event('charge.dispute.created', this.#stripe.ledger.dispute(charge), now, 'disputed')
    const isWon = this.#random.chance(0.5)
    this.#after(2 + this.#random.below(20), now, (then) => {
      if (isWon) this.charges.set(charge, 'stands')
      const closed = this.#stripe.ledger.dispute(charge, isWon ? 'won' : 'lost')
      this.#event('charge.dispute.closed', closed, then, isWon ? 'dispute won' : 'dispute lost')
      if (isWon) this.#made.push(eventOf('charge.dispute.funds_reinstated', closed, { created: then }))
    })
  }

  #pay(current: Current, period: Period, at: number, what: string): void {
    period.paidAt = at
    Object.assign(current, { status: 'active', failures: 0 })
    this.#count(what)
    this.#tell('updated', at)
    this.#charge(current, period, 'subscription_cycle', at)
  }

  #fail(current: Current, period: Period, at: number): void {
    Object.assign(current, { status: 'past_due', failures: current.failures + 1 })
    this.#count('card failed')
    this.#tell('updated', at)
    const { start, end } = period
    const invoice = { subscription: current.history.id, did: this.#did, start, end }
    const failed = invoiceOf(`in_${current.history.id}_${start}`, { invoice })
    this.#made.push(eventOf('invoice.payment_failed', { ...failed, status: 'open' }, { created: at }))
  }

  #end(current: Current, at: number, what: string): void {
    current.history.endedAt = at
    current.status = 'canceled'
    this.#count(what)
    this.#tell('deleted', at)
    this.#current = null
  }

  #begin({ history, tier }: Current, start: number, length: number): Period {
    const period: Period = { start, end: start + length, plans: [{ from: start, tier }], paidAt: null, charge: null }
    history.periods.push(period)
    return period
  }

  #charge({ history }: Current, period: Period, reason: string, at: number): void {
    const { start, end } = period
    const by = { invoice: { subscription: history.id, did: this.#did, start, end }, reason, amount: AMOUNT }
    const { id } = this.#stripe.ledger.pay(by)
    period.charge = id
    this.charges.set(id, 'stands')
    this.#made.push(eventOf('invoice.paid', invoiceOf(`in_of_${id}`, by), { created: at }))
  }

  /** The subscription as it is now, which is what Stripe answers and what the event carries. */
  #tell(type: 'created' | 'updated' | 'deleted', at: number): void {
    const current = this.#current
    const period = current?.history.periods.at(-1)
    if (!current || !period) return
    const { history, tier, status, cancels } = current
    const { start, end } = period
    const ended = history.endedAt === null ? {} : { endedAt: history.endedAt }
    const sku = `${tier}-month`
    const object = subscriptionOf(this.#did, { id: history.id, sku, status, start, end, cancels, ...ended })
    this.#stripe.subscriptions.set(history.id, object)
    this.#made.push(eventOf(`customer.subscription.${type}`, object, { created: at }))
  }

  #event(type: string, object: object, at: number, what: string): void {
    this.#count(what)
    this.#made.push(eventOf(type, object, { created: at }))
  }

  #after(days: number, now: number, act: (now: number) => void): void {
    this.#later.push({ at: now + days * DAY, act })
  }

  #count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1)
  }
}
