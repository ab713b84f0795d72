import { verifyAssertion } from '@svc/assertion'
import { decodeBase64url } from '@svc/protocol/base/base64url'
import { hashHex } from '@svc/protocol/base/hash'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { fetchOf } from '../../test/fetch.ts'
import { REALM } from '../../test/realm.ts'
import { Identity } from '../identity/identity.ts'
import type { Call } from './call.ts'
import { ConfigurationError } from './configuration-error.ts'
import { ServiceError } from './service-error.ts'
import { Transport } from './transport.ts'

const NOW = 1_790_000_000_000
const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) })
const call: Call = { method: 'POST', url: 'https://core.test/x?y=1', audience: 'chain', body: { a: 'é' } }

interface Payload {
  readonly issuedAt: number
  readonly nonce: string
  readonly htu: string
}

/** A service whose clock says NOW: it takes each good assertion once and answers a wrong clock with its own time. */
function service() {
  const nonces = new Set<string>()
  const requests: Request[] = []
  const fetch = async (request: Request): Promise<Response> => {
    requests.push(request.clone())
    const url = new URL(request.url)
    const body = new Uint8Array(await request.arrayBuffer())
    const verified = await verifyAssertion(
      {
        authorization: request.headers.get('authorization') ?? undefined,
        method: request.method,
        target: url.pathname + url.search,
        origin: request.headers.get('origin') ?? undefined,
        bodyHash: () => Promise.resolve(hashHex(body)),
      },
      {
        expectedAudiences: ['chain'],
        skewMs: 0,
        noncePattern: /^[A-Za-z0-9._~-]{16,64}$/,
        expectedOrigins: ['https://core.test'],
        acceptsDevices: false,
        requiredCapability: 'root',
      },
      NOW,
    )
    if (!verified.ok) {
      const clock = ['expired', 'not_yet_valid'].includes(verified.error.reason)
      const error = clock ? `assertion_${verified.error.reason}` : 'unauthorized'
      return Response.json({ success: false, error, ...(clock ? { serverTime: NOW } : {}) }, { status: 401 })
    }
    if (nonces.has(verified.value.nonce)) {
      return Response.json({ success: false, error: 'assertion_replay' }, { status: 401 })
    }
    nonces.add(verified.value.nonce)
    return Response.json({ success: true, data: { took: body.length }, timestamp: NOW })
  }
  return { fetch, requests }
}

function payloadOf(request: Request | undefined): Payload {
  const [, text = ''] = /^ServiceAssertion ([^.]+)\./.exec(request?.headers.get('authorization') ?? '') ?? []
  return JSON.parse(new TextDecoder().decode(decodeBase64url(text) ?? undefined)) as Payload
}

const answering = (response: () => Response) =>
  new Transport({ realm: REALM, fetch: () => Promise.resolve(response()) }, alice)
const thrownBy = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  )

describe('a call', () => {
  it('carries an assertion that is bound to it, and a fresh one each time', async () => {
    const { fetch, requests } = service()
    const transport = new Transport({ realm: REALM, fetch: fetchOf(fetch), now: () => NOW }, alice)
    for (let i = 0; i < 3; i++) expect(await transport.data(call, z.unknown())).toEqual({ took: 10 })
    expect(new Set(requests.map((request) => payloadOf(request).nonce)).size).toBe(3)
    expect(requests[0]?.headers.get('content-type')).toBe('application/json')
  })

  it('is bound to the URL as it goes over the wire', async () => {
    for (const url of [
      'https://CORE.test/x',
      'https://core.test:443/x',
      'https://core.test/a/../x',
      'https://core.test/é?q=ü b',
    ]) {
      const { fetch, requests } = service()
      const transport = new Transport({ realm: REALM, fetch: fetchOf(fetch), now: () => NOW }, alice)
      expect((await transport.send({ ...call, url })).status).toBe(200)
      expect(payloadOf(requests[0]).htu).toBe(requests[0]?.url)
    }
  })

  it('without audience carries no assertion and needs no identity', async () => {
    const requests: Request[] = []
    const fetch = (request: Request) => {
      requests.push(request)
      return Promise.resolve(Response.json({ ok: true }))
    }
    const transport = new Transport({ realm: REALM, fetch: fetchOf(fetch) })
    await transport.json({ method: 'GET', url: 'https://core.test/health' }, z.strictObject({ ok: z.literal(true) }))
    expect([...(requests[0]?.headers.keys() ?? [])]).toEqual([])
    await expect(transport.send(call)).rejects.toThrow(
      new ConfigurationError('identity', 'This call needs an identity: pass `identity` or `device` to the client'),
    )
    expect(requests).toHaveLength(1)
  })

  it('carries the headers, the Origin and the Accept that it is told to', async () => {
    const { fetch, requests } = service()
    const options = {
      realm: REALM,
      fetch: fetchOf(fetch),
      now: () => NOW,
      origin: 'https://app.test',
      headers: { 'cf-connecting-ip': '192.0.2.1' },
    }
    await new Transport(options, alice).send({ ...call, accept: 'application/did' })
    expect(Object.fromEntries(requests[0]?.headers ?? [])).toMatchObject({
      origin: 'https://app.test',
      accept: 'application/did',
      'cf-connecting-ip': '192.0.2.1',
    })
  })
})

describe('a wrong clock', () => {
  it.each([-3_600_000, -90_000, 90_000, 86_400_000])('off by %i ms is corrected once and for all', async (off) => {
    const { fetch, requests } = service()
    const transport = new Transport({ realm: REALM, fetch: fetchOf(fetch), now: () => NOW + off }, alice)
    expect(await transport.data(call, z.unknown())).toEqual({ took: 10 })
    expect(requests).toHaveLength(2)
    expect(payloadOf(requests[1]).issuedAt).toBe(NOW)
    await transport.data(call, z.unknown())
    expect(requests).toHaveLength(3)
  })

  it('is corrected by both of two calls at once without going too far', async () => {
    const { fetch, requests } = service()
    const transport = new Transport({ realm: REALM, fetch: fetchOf(fetch), now: () => NOW + 90_000 }, alice)
    await Promise.all([transport.send(call), transport.send(call)])
    await transport.send(call)
    expect(payloadOf(requests.at(-1)).issuedAt).toBe(NOW)
  })

  it('that stays wrong is refused the second time', async () => {
    let asked = 0
    const transport = answering(() => {
      asked += 1
      return Response.json({ success: false, error: 'assertion_expired', serverTime: NOW }, { status: 401 })
    })
    expect(await thrownBy(transport.send(call))).toMatchObject({ error: 'assertion_expired', serverTime: NOW })
    expect(asked).toBe(2)
  })

  it('of one origin does not affect another, and never dates a statement', async () => {
    const { fetch, requests } = service()
    const transport = new Transport({ realm: REALM, fetch: fetchOf(fetch), now: () => NOW + 90_000 }, alice)
    await transport.send(call)
    expect(transport.now()).toBe(NOW + 90_000)
    await transport.send({ ...call, url: call.url.replace('core.test', 'other.test') }).catch(() => {})
    expect(payloadOf(requests[2]).issuedAt).toBe(NOW + 90_000)
  })

  it('is not moved by a refusal that is about something else', async () => {
    let asked = 0
    const transport = answering(() => {
      asked += 1
      return Response.json({ success: false, error: 'statement_expired', serverTime: NOW + 1e10 }, { status: 401 })
    })
    expect(await thrownBy(transport.send(call))).toMatchObject({ error: 'statement_expired' })
    expect(asked).toBe(1)
  })

  it('is not applied to a call without an assertion', async () => {
    let asked = 0
    const transport = answering(() => {
      asked += 1
      return Response.json({ success: false, error: 'statement_expired', serverTime: NOW }, { status: 401 })
    })
    const { audience: _, ...open } = call
    expect(await thrownBy(transport.send(open))).toMatchObject({ error: 'statement_expired' })
    expect(asked).toBe(1)
  })
})

describe('an answer', () => {
  it('that refuses is thrown as ServiceError, whatever its body', async () => {
    for (const body of ['{"success":false,"error":"forbidden"}', '<html>', '']) {
      const error = await thrownBy(answering(() => new Response(body, { status: 403 })).send(call))
      expect(error).toBeInstanceOf(ServiceError)
      expect(error).toMatchObject({ status: 403, error: body.includes('forbidden') ? 'forbidden' : 'unknown' })
    }
  })

  it('without a success envelope throws, and so does one with unexpected data', async () => {
    const schema = z.strictObject({ took: z.int() })
    for (const body of [{ took: 1 }, { success: false, data: { took: 1 } }, { success: true, data: { took: '1' } }]) {
      expect(await thrownBy(answering(() => Response.json(body)).data(call, schema))).toMatchObject({
        subject: 'answer',
        reason: 'malformed',
      })
    }
    expect(await answering(() => Response.json({ success: true, data: { took: 1 } })).data(call, schema)).toEqual({
      took: 1,
    })
  })

  it('keeps members that this SDK does not know, at every depth', async () => {
    const schema = z.strictObject({ list: z.array(z.strictObject({ a: z.int() })) })
    const later = { list: [{ a: 1, later: { b: 2 } }], later: [3] }
    expect(await answering(() => Response.json(later)).json(call, schema)).toEqual(later)
    const envelope = { success: true, data: later, later: 4 }
    expect(await answering(() => Response.json(envelope)).data(call, schema)).toEqual(later)
  })

  it('is what exchange gives, whatever its status', async () => {
    expect((await answering(() => new Response(null, { status: 503 })).exchange(call)).status).toBe(503)
  })
})
