/**
 * The examples of the pages on events and web hooks, word for word.
 *
 * @module
 */
import { Client, type Fetch, Identity, VerificationError } from '@svc/client'
import { type ExpectedDelivery, safeVerifyDelivery } from '@svc/client/verify'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { signStatement } from '@svc/protocol/base/statement'
import type { EventPage } from '@svc/protocol/events/events'
import { BEGINNING, type EventPlace, following } from '@svc/protocol/events/page-fault'
import { expect } from 'vitest'
import { members } from './lies.ts'
import { example, type SdkExample } from './sdk-example.ts'

const T = 1_790_000_000_000
const RECEIPT_SEED = new Uint8Array(32).fill(3)

/** Core with two events of the identity that asks. */
function smallFeed(did: string): Fetch {
  const first = following(BEGINNING, { kind: 'device.attested', ref: 'd1', at: T })
  const second = following(first.head, { kind: 'rotation.pending', ref: 'r1', at: T })
  const events = [first.event, second.event]
  return async (url) => {
    const after = Number(new URL(url).searchParams.get('cursor'))
    const page: EventPage = {
      type: 'svc/event-page/v1',
      realm: 'https://core.example',
      did,
      after,
      events: events.slice(after),
      missed: 0,
      head: second.head,
      issuedAt: Date.now(),
    }
    const signed = await signStatement(page, (bytes) => mlDsa65.sign(RECEIPT_SEED, bytes))
    const publicKeyB64u = encodeBase64url(await mlDsa65.publicKeyOf(RECEIPT_SEED))
    return Response.json({ success: true, data: { ...signed, publicKeyB64u }, timestamp: T })
  }
}

export const EVENT_EXAMPLES: Readonly<Record<string, SdkExample>> = {
  'sdk-events': example({
    lie: ({ data }) => {
      ;(members(members(data)['statement'])['events'] as unknown[]).pop()
    },
    run: async (tell) => {
      const receiptKeyB64u = encodeBase64url(await mlDsa65.publicKeyOf(RECEIPT_SEED))
      const { did: owner } = await Identity.fromSeeds({
        signing: new Uint8Array(32).fill(1),
        kem: new Uint8Array(32).fill(2),
      })
      const fetch = tell(smallFeed(owner))
      // example: sdk-events
      const identity = await Identity.fromSeeds({
        signing: new Uint8Array(32).fill(1),
        kem: new Uint8Array(32).fill(2),
      })
      const core = 'https://core.example'
      const client = new Client({ core, did: 'https://did.example', identity, receiptKeyB64u, fetch })
      const warnings: string[] = []
      try {
        for await (const { events, missed } of client.events.iterate()) {
          if (missed > 0) warnings.push(`${missed} events were deleted or merged`)
          for (const { kind, ref } of events) if (kind.endsWith('.pending')) warnings.push(`${kind}: ${ref}`)
        }
      } catch (error) {
        if (!(error instanceof VerificationError)) throw error
        warnings.push(`the feed does not verify: ${error.reason}`)
      }
      // end
      return warnings
    },
    honest: (warnings) => expect(warnings).toEqual(['rotation.pending: r1']),
    lied: (warnings) => expect(warnings).toEqual(['the feed does not verify: invalid_signature']),
  }),
  'sdk-watch': example({
    lie: ({ data }) => {
      ;(members(members(data)['statement'])['events'] as unknown[]).pop()
    },
    run: async (tell) => {
      const receiptKeyB64u = encodeBase64url(await mlDsa65.publicKeyOf(RECEIPT_SEED))
      const { did: owner } = await Identity.fromSeeds({
        signing: new Uint8Array(32).fill(1),
        kem: new Uint8Array(32).fill(2),
      })
      const fetch = tell(smallFeed(owner))
      // example: sdk-watch
      const identity = await Identity.fromSeeds({
        signing: new Uint8Array(32).fill(1),
        kem: new Uint8Array(32).fill(2),
      })
      const core = 'https://core.example'
      const client = new Client({ core, did: 'https://did.example', identity, receiptKeyB64u, fetch })
      const told: string[] = []
      try {
        for await (const { events, place } of client.events.watch()) {
          for (const { kind } of events) told.push(kind)
          if (place.sequence >= 2) break
        }
      } catch (error) {
        if (!(error instanceof VerificationError)) throw error
        told.push(`the feed does not verify: ${error.reason}`)
      }
      // end
      return told
    },
    honest: (told) => expect(told).toEqual(['device.attested', 'rotation.pending']),
    lied: (told) => expect(told).toEqual(['the feed does not verify: invalid_signature']),
  }),
  'event-receiver': example({
    lie: ({ data }) => {
      ;(members(members(data)['statement'])['events'] as unknown[]).pop()
    },
    run: async (tell) => {
      const receiptKeyB64u = encodeBase64url(await mlDsa65.publicKeyOf(RECEIPT_SEED))
      const owner = 'did:svc:PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8'
      const stored = null as EventPlace | null
      // example: event-receiver
      const did = 'did:svc:PDw8PDw8PDw8PDw8PDw8PDw8PDw8PDw8'
      const url = 'https://hooks.example.org/svc'
      const expected: ExpectedDelivery = { did, url, realms: ['https://core.example'], receiptKeyB64u }
      const handled: string[] = []
      let after = stored
      async function receive(request: Request): Promise<Response> {
        const body: unknown = await request.json()
        const checked = await safeVerifyDelivery(body, { ...expected, ...(after ? { after } : {}) })
        if (!checked.ok) return new Response(checked.error.reason, { status: 400 })
        const delivery = checked.value
        if (delivery.kind === 'challenge') return Response.json(delivery.answer)
        for (const { kind, ref } of delivery.events) handled.push(`${kind}: ${ref}`)
        after = delivery.place
        return new Response(null, { status: 204 })
      }
      // end
      const feed = tell(smallFeed(owner))
      const page = await (await feed('https://core.example/api/events?cursor=0', {} as Parameters<Fetch>[1])).json()
      const send = async (body: unknown) => {
        const answer = await receive(new Request(url, { method: 'POST', body: JSON.stringify(body) }))
        return `${answer.status} ${await answer.text()}`.trim()
      }
      const { data } = page as { data: unknown }
      return [await send(data), await send(data), ...handled]
    },
    honest: (told) => expect(told).toEqual(['204', '204', 'device.attested: d1', 'rotation.pending: r1']),
    lied: (told) => expect(told).toEqual(['400 invalid_signature', '400 invalid_signature']),
  }),
}
