import { describe, expect, it } from 'vitest'
import { REALM } from '../../test/realm.ts'
import { Client } from '../client.ts'
import { Identity } from '../identity/identity.ts'
import type { Call } from './call.ts'
import type { Fetch, FetchInit } from './fetch.ts'
import { originOf } from './origin.ts'
import { isRepeatable } from './repeatable.ts'
import { Transport } from './transport.ts'

const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) })
const CORE = 'https://core.test'
const call: Call = { method: 'POST', url: `${CORE}/api/chain/append`, audience: 'chain', body: {} }
const ok = () => Response.json({ success: true, data: null })
const never: Fetch = () => new Promise(() => {})

describe('a custom fetch', () => {
  it('keeps every header when it is a wrapper that adds one', async () => {
    const sent: [string, RequestInit | undefined][] = []
    const network = async (url: string | URL | Request, init?: RequestInit) => {
      sent.push([url as string, init])
      return ok()
    }
    const wrapper = (url: string | URL | Request, init?: RequestInit) =>
      network(url, { ...init, headers: { ...(init?.headers as Record<string, string>), 'x-trace': '7' } })
    await new Transport({ realm: REALM, fetch: wrapper, headers: { 'X-Mine': '1' } }, alice).send(call)
    const [url, init] = sent[0] ?? []
    expect(url).toBe(call.url)
    expect(init?.method).toBe('POST')
    expect(new Headers(init?.headers).get('authorization')).toMatch(/^ServiceAssertion /)
    expect(init?.headers).toMatchObject({ 'content-type': 'application/json', 'x-mine': '1', 'x-trace': '7' })
  })
})

describe('waiting', () => {
  it('ends when nothing arrives, and says that it may have been carried out', async () => {
    const transport = new Transport({ realm: REALM, fetch: never, timeoutMs: 1, retries: false }, alice)
    await expect(transport.send(call)).rejects.toMatchObject({
      name: 'ConnectionError',
      isTimeout: true,
      address: call.url,
      message: `No answer from ${call.url}: nothing was received for 1 ms`,
    })
  })

  it('ends when an answer stops in the middle', async () => {
    const stuck = async () => new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(1)) }))
    const transport = new Transport({ realm: REALM, fetch: stuck, timeoutMs: 1, retries: false }, alice)
    await expect(transport.send(call)).rejects.toMatchObject({ isTimeout: true })
  })

  it('starts again with every try', async () => {
    let sent = 0
    const fetch: Fetch = (url, init) => {
      sent += 1
      return sent === 1 ? never(url, init) : Promise.resolve(ok())
    }
    const sleep = async () => {}
    expect((await new Transport({ realm: REALM, fetch, timeoutMs: 5, sleep }, alice).send(call)).ok).toBe(true)
  })

  it.each([0, -1, Number.NaN])('for %d ms is refused', (timeoutMs) => {
    expect(() => new Transport({ realm: REALM, timeoutMs })).toThrow(expect.objectContaining({ option: 'timeoutMs' }))
  })
})

describe('a signal', () => {
  const reason = new Error('the page was left')

  it('ends a call that waits, with its own reason, even if the wrapper drops it', async () => {
    const controller = new AbortController()
    const fetch: Fetch = (url, init) => {
      queueMicrotask(() => controller.abort(reason))
      return never(url, init)
    }
    const transport = new Transport({ realm: REALM, fetch }, alice)
    await expect(transport.send({ ...call, signal: controller.signal })).rejects.toBe(reason)
  })

  it('that is aborted sends nothing', async () => {
    const sent: FetchInit[] = []
    const fetch: Fetch = async (_, init) => {
      sent.push(init)
      return ok()
    }
    const transport = new Transport({ realm: REALM, fetch, signal: AbortSignal.abort(reason) }, alice)
    await expect(transport.send(call)).rejects.toBe(reason)
    expect(sent).toEqual([])
  })

  it('of some calls of a client ends those only, and leaves its memory shared', async () => {
    const fetch: Fetch = async () => Response.json({ success: true, data: { status: 'ok' } })
    const client = new Client({ core: CORE, did: 'https://did.test', fetch, identity: alice })
    const ended = client.with({ signal: AbortSignal.abort(reason) })
    await expect(ended.health()).rejects.toBe(reason)
    await expect(ended.chain.head()).rejects.toBe(reason)
    await expect(client.health()).rejects.not.toBe(reason)
    expect(ended.memory).toBe(client.memory)
    await expect(ended.with({ timeoutMs: 5 }).health()).rejects.toBe(reason)
  })
})

describe('an address', () => {
  it.each(['https://core.test', 'https://core.test/', 'https://core.test//', 'HTTPS://Core.Test:443/'])(
    'can be written as %s',
    async (core) => {
      const urls: string[] = []
      const fetch: Fetch = async (url) => {
        urls.push(url)
        return ok()
      }
      const client = new Client({ core, did: 'https://did.test/', fetch, identity: alice, consent: 'https://c.test/' })
      await client.health().catch(() => {})
      await client.consent.read('x').catch(() => {})
      expect(urls).toEqual(['https://core.test/health', 'https://c.test/api/v1/consent/x'])
      expect(client.realm).toBe('https://core.test')
    },
  )

  it.each([
    'core.test',
    '',
    'https://core.test/api',
    'https://core.test/?a=1',
    'https://core.test/#a',
    'ftp://core.test',
    'https://me@core.test',
    undefined,
    null,
    5,
  ])('cannot be %j', (value) => {
    expect(() => originOf('core', value)).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', option: 'core' }),
    )
    const options = { core: value as string, did: 'https://did.test' }
    expect(() => new Client(options)).toThrow(expect.objectContaining({ option: 'core' }))
  })

  it('is needed for a service that is used', () => {
    const client = new Client({ core: CORE, did: 'https://did.test', identity: alice })
    for (const [option, use] of [
      ['consent', () => client.consent],
      ['pay', () => client.pay],
      ['keys', () => client.keyDirectory],
      ['provenance', () => client.provenance],
    ] as const)
      expect(use).toThrow(expect.objectContaining({ name: 'ConfigurationError', option }))
  })
})

describe('what can be sent again', () => {
  const at = (line: string): Call => {
    const [method = '', path = ''] = line.split(' ')
    return { method: method as Call['method'], url: `${CORE}${path}` }
  }

  it.each([
    'GET /api/pair/seal/7Q3K',
    'POST /api/genesis/init',
    'POST /api/chain/append',
    'POST /1.0/register',
    'POST /api/chain/deactivate',
    'POST /api/rotation/request',
    'POST /api/chain/rotation/v2/activate',
    'POST /api/inception/device-batch',
    'POST /api/pair/offer/7Q3K-9ZXN-0V4T/join',
    'POST /api/authorize/grant',
    'POST /api/notes/did:svc:x',
    'PUT /api/notes/did:svc:x/n/attachments/a?cipherHash=b',
    'DELETE /api/v1/consent/sha3-384:00',
  ])('is %s', (line) => {
    expect(isRepeatable(at(line))).toBe(true)
  })

  it.each([
    'POST /api/pair/offer',
    'DELETE /api/pair/offer/7Q3K-9ZXN-0V4T',
    'POST /api/notes/did:svc:x/cas/gc',
    'POST /api/inbox/contact-request',
    'POST /api/inbox/resend-otp',
    'POST /api/governance/policy',
    'POST /api/guardian/attest',
    'POST /pay/intent',
    'POST /api/auth/opaque/login/start',
    'POST /x/api/chain/append',
    'POST /api/chain/append/x',
  ])('is not %s', (line) => {
    expect(isRepeatable(at(line))).toBe(false)
  })
})
