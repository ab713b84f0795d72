import { defineFaults } from '../fault.ts'

/** The pay Worker: quota meters, webhooks, payment events, entitlements and intents. */
export const PAY_FAULTS = defineFaults([
  {
    id: 'quota-idempotency',
    about: 'One key is accepted for two different uses',
    edits: [
      { find: "if (!isSameUse(before, kind, amount)) return err({ reason: 'idempotency_conflict' })", replace: '' },
    ],
    projects: ['pay'],
    tests: ['quota'],
  },
  {
    id: 'quota-exceeded',
    about: 'Reserved units do not count against the limit',
    edits: [{ find: 'return used + reserved + amount <= limit', replace: 'return used + amount <= limit' }],
    projects: ['pay'],
    tests: ['quota'],
  },
  {
    id: 'quota-refund-month',
    about: 'A refund is credited to the current month',
    edits: [
      {
        find: 'const used = this.#store.move(kind, period, -amount)',
        replace: 'const used = this.#store.move(kind, periodOf(now), -amount)',
      },
    ],
    projects: ['pay'],
    tests: ['quota'],
  },
  {
    id: 'quota-refund-twice',
    about: 'One use can be refunded repeatedly',
    edits: [{ find: 'if (use.reversal !== null) {', replace: "if (use.reversal === '') {" }],
    projects: ['pay'],
    tests: ['quota'],
  },
  {
    id: 'webhook-time',
    about: 'A captured webhook can be replayed for a day',
    edits: [{ find: 'const TOLERANCE_SECONDS = 300', replace: 'const TOLERANCE_SECONDS = 86_400' }],
    projects: ['pay'],
    tests: ['webhooks'],
  },
  {
    id: 'webhook-unsigned',
    about: 'Webhooks are accepted without a valid signature',
    edits: [
      {
        find: "return err({ reason: isUnsigned ? 'invalid_signature' : 'malformed' })",
        replace:
          "if (!isUnsigned) return err({ reason: 'malformed' })\n      event = JSON.parse(new TextDecoder().decode(body))",
      },
    ],
    projects: ['pay'],
    tests: ['webhooks'],
  },
  {
    id: 'webhook-other-mode',
    about: 'Test-mode events grant real entitlements',
    edits: [
      {
        find: 'const isMeant = livemode === expectedLive && account == null',
        replace: 'const isMeant = (livemode || !expectedLive || !livemode) && account == null',
      },
    ],
    projects: ['pay'],
    tests: ['events-of-others', 'webhooks'],
  },
  {
    id: 'payment-event-twice',
    about: 'Repeated events are processed instead of reported as duplicates',
    edits: [{ find: "if (await events.has(event.id)) return 'duplicate'", replace: '' }],
    projects: ['pay'],
    tests: ['webhooks', 'entitlement'],
  },
  {
    id: 'partial-refund-ends',
    about: 'A partial refund takes the tier',
    edits: [
      { find: 'charge.refunded && !paid.isProration', replace: 'charge.amount_refunded > 0 && !paid.isProration' },
    ],
    projects: ['pay'],
    tests: ['refunds'],
  },
  {
    id: 'refund-race',
    about: 'Of two answers about a payment, the older overwrites the newer',
    edits: [
      {
        find: 'AND (?9 IS NULL OR coalesce((SELECT version FROM reversals WHERE payment_id = ?9), 0) = ?10)',
        replace: 'AND (?9 IS NULL OR ?10 >= 0)',
      },
    ],
    projects: ['pay'],
    tests: ['refunds'],
  },
  {
    id: 'event-not-understood-confirmed',
    about: 'An event of ours that is not understood is confirmed, and lost',
    edits: [
      { find: "if (read.about === 'unread') {", replace: "if (read.about === 'unread') {\n        return 'ignored'" },
    ],
    projects: ['pay'],
    tests: ['dead-letters'],
  },
  {
    id: 'reconciled-unread',
    about: 'A day counts as compared although its events could not be applied',
    edits: [
      {
        find: 'missed += await this.#compare(span, now)\n        await this.#deps.store.advance(span.until)',
        replace: 'await this.#deps.store.advance(span.until)\n        missed += await this.#compare(span, now)',
      },
    ],
    projects: ['pay'],
    tests: ['reconciliation'],
  },
  {
    id: 'second-subscription',
    about: 'A second subscription can be bought',
    edits: [
      {
        find: "if (subscription && kind === 'subscription') {",
        replace: "if (higher && kind === 'subscription' && subscription) {",
      },
    ],
    projects: ['pay'],
    tests: ['purchases'],
  },
  {
    id: 'price-of-the-body',
    about: 'The caller chooses the country whose price is charged',
    edits: [{ find: 'request.seenCountry ?? country', replace: 'country ?? request.seenCountry' }],
    projects: ['pay'],
    tests: ['purchases'],
  },
  {
    id: 'payment-race',
    about: 'Of two concurrent events of a subscription, the slower overwrites the faster',
    edits: [
      {
        find: 'AND (?7 IS NULL OR coalesce((SELECT version FROM grants WHERE id = ?7), 0) = ?8)',
        replace: 'AND (?7 IS NULL OR ?8 >= 0)',
      },
    ],
    projects: ['pay'],
    tests: ['test/payments/overtaken-events.test'],
  },
  {
    id: 'payment-page-race',
    about: 'Of two concurrent events of a payment page, the slower overwrites the faster',
    edits: [
      {
        find: 'WHERE (?5 IS NULL OR EXISTS (SELECT 1 FROM intents WHERE id = ?5 AND state = ?6))',
        replace: "WHERE (?5 IS NULL OR ?6 <> '')",
      },
    ],
    projects: ['pay'],
    tests: ['test/payments/overtaken-events.test'],
  },
  {
    id: 'licence-order',
    about: 'An older licence act undoes a newer one',
    edits: [{ find: 'WHERE as_of < ?7`', replace: '`' }],
    projects: ['pay'],
    tests: ['test/entitlements/licences.test'],
  },
  {
    id: 'entitlement-first',
    about: 'Of two tiers in force, the one that comes first applies',
    edits: [{ find: 'rankOf(tier) > rankOf(best) ? tier : best', replace: "best === 'notes' ? tier : best" }],
    projects: ['pay'],
    tests: ['src/entitlements/standing.test'],
  },
  {
    id: 'entitlement-outage',
    about: 'An identity counts as unlicensed while pay is down',
    edits: [
      {
        find: 'return licenceOf(await this.#pay.standing(did))',
        replace: `return licenceOf(
      await this.#pay
        .standing(did)
        .catch(() => ({ tier: 'notes' as const, source: 'signup' as const, from: null, until: null, planUntil: null })),
    )`,
      },
    ],
    projects: ['core*'],
    tests: ['test/licences/licences.test'],
  },
  {
    id: 'entitlement-order',
    about: 'Older news of a subscription overwrites newer news',
    edits: [
      {
        find: 'if (news.asOf !== grant.asOf) return news.asOf < grant.asOf',
        replace: 'if (news.asOf !== grant.asOf) return news.asOf > grant.asOf',
      },
    ],
    projects: ['pay'],
    tests: ['entitlements'],
  },
  {
    id: 'code-redeemed-twice',
    about: 'A redeemed code can be taken over by another identity',
    edits: [
      {
        find: 'WHERE code_hash = ?1 AND redeemed_by IS NULL AND redeemable_until > ?3',
        replace: 'WHERE code_hash = ?1 AND redeemable_until > ?3',
        in: /^workers\/pay\//,
      },
    ],
    projects: ['pay'],
    tests: ['entitlement'],
  },
  {
    id: 'intent-of-another',
    about: 'A payment intent is shown to other identities',
    edits: [
      {
        find: 'return intent?.did === did ? shown(intent, now) : null',
        replace: 'return intent && did ? shown(intent, now) : null',
      },
    ],
    projects: ['pay'],
    tests: ['intents'],
  },
  {
    id: 'payment-untold',
    about: 'What core could not take of a payment is never told to the owner',
    edits: [
      { find: 'else await this.#store.failed(events, now)', replace: 'else await this.#store.delivered(events)' },
    ],
    projects: ['pay'],
    tests: ['test/owner-events/'],
  },
  {
    id: 'payment-told-by-another',
    about: 'A sibling can report what did not happen at it',
    edits: [{ find: 'if (foreign) throw', replace: 'if (!foreign && body.events.length === 0) throw' }],
    projects: ['core*'],
    tests: ['test/events/siblings'],
  },
])
