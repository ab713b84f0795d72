import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { bytesOf } from '@svc/protocol/base/base64url'
import { verifyStatement } from '@svc/protocol/base/statement'
import { type SignedEventPage, signedEventPageSchema } from '@svc/protocol/events/events'
import { type EventHook, signedEventChallengeSchema } from '@svc/protocol/events/hooks'
import type { TestCaller } from '@svc/testing'
import { expect, vi } from 'vitest'
import { EventStore } from '../../src/events/store.ts'
import { CORE, call, send } from '../harness.ts'

export const URL_OF_HOOK = 'https://hooks.example.org/svc'
const REALMS = ['https://core.test'] as const

export interface Received {
  readonly url: string
  readonly id: string
  readonly redirect: RequestInit['redirect']
  readonly page: SignedEventPage
}

/** An address of the owner, in place of the network. It answers challenges, and keeps the pages that it gets. */
export class Receiver {
  readonly received: Received[] = []
  readonly challenged: string[] = []
  /** Of the newest request. */
  signal: AbortSignal | null | undefined
  #did: string
  /** What it answers to a page, and to a challenge. */
  answer: (attempt: number) => Response | Promise<Response> = () => new Response(null, { status: 204 })
  proof: (challenge: string, did: string) => Response | Promise<Response> = (challenge, did) =>
    Response.json({ did, challenge })

  constructor(did: string) {
    this.#did = did
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => this.#take(url, init))
  }

  async #take(url: string, init: RequestInit): Promise<Response> {
    this.signal = init.signal
    const headers = new Headers(init.headers)
    const body = JSON.parse(init.body as string) as { statement: { type: string } }
    expect(init).toMatchObject({ method: 'POST', redirect: 'manual' })
    const signed = body.statement.type === 'svc/event-challenge/v1' ? signedEventChallengeSchema.parse(body) : null
    if (signed) {
      expect(await verifyStatement(signed, bytesOf(signed.publicKeyB64u), [...REALMS])).toBe(true)
      expect(JSON.stringify(signed.statement)).not.toContain(this.#did)
      expect(signed.statement.url).toBe(url)
      this.challenged.push(signed.statement.challenge)
      return this.proof(signed.statement.challenge, this.#did)
    }
    const page = signedEventPageSchema.parse(body)
    expect(await verifyStatement(page, bytesOf(page.publicKeyB64u), [...REALMS])).toBe(true)
    this.received.push({ url, id: headers.get('webhook-id') ?? '', redirect: init.redirect, page })
    return this.answer(this.received.length)
  }

  get events(): string[] {
    return this.received.flatMap(({ page }) => page.statement.events.map(({ kind }) => kind))
  }
}

export const objectOf = ({ identity }: TestCaller) => env.IDENTITIES.getByName(identity.did)

/** Delivers what is due by now. */
export const ring = (caller: TestCaller) => runDurableObjectAlarm(objectOf(caller))

/** Something happens to the identity. */
export function happen(caller: TestCaller, times = 1): Promise<void> {
  return runInDurableObject(objectOf(caller), (object) => {
    object.reportEvents(
      Array.from({ length: times }, () => ({ kind: 'inbox.message', ref: 'm', id: crypto.randomUUID() }) as const),
    )
  })
}

export const rowsOf = (caller: TestCaller): Promise<EventHook[]> =>
  runInDurableObject(objectOf(caller), ({ stored }) => new EventStore(stored).hooks.list())

export async function created(caller: TestCaller, url = URL_OF_HOOK): Promise<EventHook> {
  const { status, body } = await call(caller, 'POST', '/api/events/hooks', { url })
  expect({ status, body }).toMatchObject({ status: 201 })
  return body['data'] as EventHook
}

export const verification = (caller: TestCaller, hookId: string) =>
  call(caller, 'POST', `/api/events/hooks/${hookId}/verification`)

export async function proved(caller: TestCaller, url = URL_OF_HOOK): Promise<EventHook> {
  const { hookId } = await created(caller, url)
  const { status, body } = await verification(caller, hookId)
  expect({ status, body }).toMatchObject({ status: 200, body: { data: { status: 'active' } } })
  return body['data'] as EventHook
}

export async function remove(caller: TestCaller, hookId: string): Promise<{ status: number }> {
  const url = `${CORE}/api/events/hooks/${hookId}`
  const authorization = await caller.identity.assertion({ audience: 'chain', method: 'DELETE', url, now: Date.now() })
  const headers = { authorization, 'cf-connecting-ip': caller.address }
  const { status } = await send(new Request(url, { method: 'DELETE', headers }))
  return { status }
}
