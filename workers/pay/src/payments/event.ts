/**
 * Provider events in the terms of this service. Stripe's events are parsed here, and the embedded provider writes the
 * same ones. Only the members in use are read, and all of them are validated.
 *
 * @module
 */
import { intentIdSchema } from '@svc/protocol/pay/intents'
import * as z from 'zod'
import { type CheckoutNews, type News, type PaymentEvent, type UnreadNews, unread } from './news.ts'
import { invoiceNews } from './stripe-invoice.ts'
import { faultsOf, isOurs, nameSchema, refSchema, secondsSchema } from './stripe-shapes.ts'
import { subscriptionNews } from './stripe-subscription.ts'

const eventSchema = z.object({
  id: nameSchema,
  type: nameSchema,
  created: secondsSchema,
  livemode: z.boolean(),
  /** Events of connected accounts: their owners control the content. */
  account: z.string().nullish(),
  data: z.object({ object: z.unknown() }),
})

const sessionSchema = z.object({
  id: nameSchema,
  client_reference_id: intentIdSchema,
  metadata: z.object({ intent: intentIdSchema }),
  payment_status: z.enum(['paid', 'unpaid', 'no_payment_required']),
  subscription: refSchema.nullish(),
})

/** Null if it does not have the form of an event. An event of the other mode, or of another account, is ignored. */
export function paymentEventOf(event: unknown, expectedLive: boolean): PaymentEvent | null {
  const parsed = eventSchema.safeParse(event)
  if (!parsed.success) return null
  const { id, type, created, data, livemode, account } = parsed.data
  const isMeant = livemode === expectedLive && account == null
  return { id, type, occurredAt: created * 1000, news: isMeant ? newsOf(type, data.object) : null, payload: event }
}

const FAMILIES: readonly { readonly prefix: string; readonly read: (type: string, object: unknown) => News | null }[] =
  [
    { prefix: 'checkout.session.', read: checkoutNews },
    { prefix: 'customer.subscription.', read: (_, object) => subscriptionNews(object) },
    { prefix: 'invoice.', read: (_, object) => invoiceNews(object) },
    { prefix: 'charge.dispute.', read: (_, object) => refundNews(object) },
    { prefix: 'charge.refund.', read: (_, object) => refundNews(object) },
    { prefix: 'refund.', read: (_, object) => refundNews(object) },
  ]

/** `invoice.created` and the like change no subscription. */
const INVOICE_EVENTS: ReadonlySet<string> = new Set(
  'paid payment_succeeded payment_failed payment_action_required voided marked_uncollectible'
    .split(' ')
    .map((name) => `invoice.${name}`),
)

function newsOf(type: string, object: unknown): News | null {
  if (type === 'charge.refunded') return chargeNews(object)
  const family = FAMILIES.find(({ prefix }) => type.startsWith(prefix))
  if (!family || (family.prefix === 'invoice.' && !INVOICE_EVENTS.has(type))) return null
  return family.read(type, object)
}

/**
 * Completed does not mean paid: a bank debit is `unpaid` then, and another event follows within days. A payer who uses a
 * payment link of the same account controls `client_reference_id`; only the creator of the page controls its metadata.
 */
function checkoutNews(type: string, object: unknown): CheckoutNews | UnreadNews | null {
  const parsed = sessionSchema.safeParse(object)
  if (!parsed.success) return isOurs(object) ? unread(`checkout session: ${faultsOf(parsed.error)}`) : null
  const session = parsed.data
  if (session.metadata.intent !== session.client_reference_id) {
    return isOurs(object) ? unread('checkout session: another intent in the metadata') : null
  }
  const { id: sessionId, client_reference_id: intentId } = session
  const about = {
    about: 'checkout',
    intentId,
    sessionId,
    subscriptionId: session.subscription ?? null,
    isOurs: isOurs(object),
  } as const
  switch (type) {
    case 'checkout.session.expired':
      return { ...about, state: 'expired' }
    case 'checkout.session.async_payment_failed':
      return { ...about, state: 'failed' }
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return session.payment_status === 'unpaid' ? null : { ...about, state: 'paid' }
    default:
      return isOurs(object) ? unread('checkout session: unknown type of event') : null
  }
}

/** Refunds and disputes name the charge, and carry no metadata of ours: whose it is, the provider is asked. */
function refundNews(object: unknown): News | null {
  const { charge } = z.looseObject({ charge: refSchema.nullish() }).safeParse(object).data ?? {}
  return charge == null ? null : { about: 'refund', chargeId: charge, seen: object }
}

function chargeNews(object: unknown): News | null {
  const { id } = z.looseObject({ id: nameSchema }).safeParse(object).data ?? {}
  return id === undefined ? null : { about: 'refund', chargeId: id, seen: object }
}
