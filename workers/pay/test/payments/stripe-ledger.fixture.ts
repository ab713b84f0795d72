/** The money of one account of Stripe: charges, invoices, refunds and disputes, with Stripe's own names and shapes. */

export interface PaidBy {
  /** Of a single payment: what our page wrote. */
  readonly metadata?: Record<string, string>
  /** Of an invoice. */
  readonly invoice?: {
    readonly subscription: string
    readonly did: string
    readonly start: number
    readonly end: number
  }
  readonly reason?: string
  readonly amount?: number
}

interface Dispute {
  id: string
  charge: string
  status: string
}

const seconds = (time: number) => Math.floor(time / 1000)
const list = (data: readonly object[], url: string) => ({ object: 'list', data, has_more: false, url })
let made = 0

export class StripeLedger {
  readonly charges = new Map<string, ReturnType<typeof chargeOf>>()
  readonly invoices = new Map<string, object>()
  readonly disputes: Dispute[] = []
  /** What happened, newest last. */
  readonly events: { id: string; created: number }[] = []
  /** The most that one page of the list of events has. */
  pageSize = 100
  readonly #invoiceOf = new Map<string, string>()

  /** A payment that succeeded; its charge. */
  pay(by: PaidBy) {
    made += 1
    const n = `${made}_${crypto.randomUUID().slice(0, 8)}`
    const charge = chargeOf(n, by)
    this.charges.set(charge.id, charge)
    if (by.invoice) {
      this.invoices.set(`in_${n}`, invoiceOf(`in_${n}`, by))
      this.#invoiceOf.set(charge.payment_intent, `in_${n}`)
    }
    return charge
  }

  /** Gives money back; the refund. */
  refund(chargeId: string, amount?: number) {
    const charge = this.#charge(chargeId)
    const given = amount ?? charge.amount - charge.amount_refunded
    this.#setRefunded(chargeId, charge.amount_refunded + given)
    return this.refundOf(chargeId, given, 'succeeded')
  }

  /** A refund that its bank sent back. */
  failRefund(chargeId: string, amount: number) {
    this.#setRefunded(chargeId, this.#charge(chargeId).amount_refunded - amount)
    return this.refundOf(chargeId, amount, 'failed')
  }

  refundOf(charge: string, amount: number, status: string) {
    const { payment_intent } = this.#charge(charge)
    return { id: `re_${charge}`, object: 'refund', amount, charge, payment_intent, metadata: {}, status }
  }

  dispute(charge: string, status = 'needs_response') {
    const known = this.disputes.find((dispute) => dispute.charge === charge)
    if (known) known.status = status
    else this.disputes.push({ id: `dp_${charge}`, charge, status })
    const { payment_intent, amount } = this.#charge(charge)
    this.charges.set(charge, { ...this.#charge(charge), disputed: true })
    return {
      id: `dp_${charge}`,
      object: 'dispute',
      amount,
      charge,
      payment_intent,
      metadata: {},
      reason: 'fraudulent',
      status,
    }
  }

  /** Answers a GET; null for what is kept elsewhere. */
  read({ pathname, searchParams }: URL): object | null {
    const [, , kind = '', id = ''] = pathname.split('/')
    if (kind === 'events') return this.#listEvents(searchParams)
    if (kind === 'charges') return this.charges.get(id) ?? null
    if (kind === 'invoices') return this.invoices.get(id) ?? null
    if (kind === 'disputes') {
      return list(
        this.disputes.filter(({ charge }) => charge === searchParams.get('charge')),
        pathname,
      )
    }
    if (kind !== 'invoice_payments') return null
    const payment_intent = searchParams.get('payment[payment_intent]') ?? ''
    const invoice = this.#invoiceOf.get(payment_intent)
    const payment = { type: 'payment_intent', payment_intent }
    const found = { id: `inpay_${payment_intent}`, object: 'invoice_payment', invoice, payment, status: 'paid' }
    return list(invoice === undefined ? [] : [found], pathname)
  }

  /** Newest first, as Stripe lists them. */
  #listEvents(asked: URLSearchParams): object {
    const [from, until] = [Number(asked.get('created[gte]')), Number(asked.get('created[lt]'))]
    const found = this.events
      .filter(({ created }) => created >= from && created < until)
      .toSorted((a, b) => b.created - a.created)
    const begins = found.findIndex(({ id }) => id === asked.get('starting_after')) + 1
    const data = found.slice(begins, begins + this.pageSize)
    return { ...list(data, '/v1/events'), has_more: begins + data.length < found.length }
  }

  #charge(id: string) {
    const charge = this.charges.get(id)
    if (!charge) throw new Error(`no charge ${id}`)
    return charge
  }

  #setRefunded(id: string, amount_refunded: number): void {
    const charge = this.#charge(id)
    this.charges.set(id, { ...charge, amount_refunded, refunded: amount_refunded === charge.amount })
  }
}

function chargeOf(n: string, { metadata = {}, amount = 900 }: PaidBy) {
  return {
    id: `ch_${n}`,
    object: 'charge',
    amount,
    amount_captured: amount,
    amount_refunded: 0,
    refunded: false,
    disputed: false,
    payment_intent: `pi_${n}`,
    metadata,
    status: 'succeeded',
  }
}

/** As answered since API version 2025-03-31. */
export function invoiceOf(id: string, { invoice, reason = 'subscription_cycle', amount = 900 }: PaidBy) {
  const { subscription = '', did = '', start = 0, end = 0 } = invoice ?? {}
  const metadata = { did, sku: 'provenance-month' }
  const period = { start: seconds(start), end: seconds(end) }
  return {
    id,
    object: 'invoice',
    billing_reason: reason,
    status: 'paid',
    amount_paid: amount,
    metadata: {},
    parent: { type: 'subscription_details', quote_details: null, subscription_details: { metadata, subscription } },
    lines: list([{ id: `il_${id}`, object: 'line_item', amount, metadata, period }], `/v1/invoices/${id}/lines`),
  }
}
