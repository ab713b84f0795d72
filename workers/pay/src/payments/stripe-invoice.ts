/**
 * Stripe's invoices: which subscription they are of, and which period they charge. Before API version 2025-03-31 the
 * subscription stood on the invoice itself, since then under `parent`; both are read.
 *
 * @module
 */
import { didSchema } from '@svc/protocol/base/identity'
import * as z from 'zod'
import { type InvoiceNews, type UnreadNews, unread } from './news.ts'
import { faultsOf, isOurs, refSchema, secondsSchema } from './stripe-shapes.ts'

const detailsSchema = z.looseObject({ metadata: z.record(z.string(), z.unknown()).nullish() })
const newParentSchema = z.looseObject({
  subscription_details: detailsSchema.extend({ subscription: refSchema.nullish() }).nullish(),
})

const invoiceSchema = z.object({
  subscription: refSchema.nullish(),
  subscription_details: detailsSchema.nullish(),
  parent: newParentSchema.nullish(),
  billing_reason: z.string().nullish(),
  lines: z
    .object({
      data: z.array(
        z.object({
          proration: z.boolean().nullish(),
          period: z.object({ start: secondsSchema, end: secondsSchema }),
        }),
      ),
    })
    .nullish(),
})
type Invoice = z.infer<typeof invoiceSchema>

/** What an invoice of ours charges for. */
export interface SubscriptionInvoice {
  readonly subscriptionId: string
  /** Null for an invoice without a line for a period. */
  readonly period: { readonly from: number; readonly until: number } | null
  /** It charges a change within a period, not the period. */
  readonly isProration: boolean
}

const ownerOf = ({ parent, subscription_details }: Invoice) =>
  (parent?.subscription_details ?? subscription_details)?.metadata
const subscriptionOf = ({ parent, subscription }: Invoice) => parent?.subscription_details?.subscription ?? subscription

/** Null for an invoice of someone else, or of no subscription. */
export function subscriptionInvoiceOf(object: unknown): SubscriptionInvoice | UnreadNews | null {
  const parsed = invoiceSchema.safeParse(object)
  if (!parsed.success) return isOurs(object) ? unread(`invoice: ${faultsOf(parsed.error)}`) : null
  const invoice = parsed.data
  if (!didSchema.safeParse(ownerOf(invoice)?.['did']).success) return null
  const subscriptionId = subscriptionOf(invoice)
  if (subscriptionId == null) return unread('invoice: no subscription')
  return { subscriptionId, period: periodOf(invoice), isProration: invoice.billing_reason === 'subscription_update' }
}

/** The period of the latest line: an invoice may also charge the rest of an earlier one. */
function periodOf({ lines }: Invoice): SubscriptionInvoice['period'] {
  const [latest] = (lines?.data ?? []).toSorted(
    (a, b) => b.period.end - a.period.end || b.period.start - a.period.start,
  )
  return latest ? { from: latest.period.start * 1000, until: latest.period.end * 1000 } : null
}

export function invoiceNews(object: unknown): InvoiceNews | UnreadNews | null {
  const invoice = subscriptionInvoiceOf(object)
  if (!invoice || 'about' in invoice) return invoice
  return { about: 'invoice', subscriptionId: invoice.subscriptionId }
}
