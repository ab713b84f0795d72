import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { InternalClient, internalGate } from './internal.ts'

const SECRET = 'a-secret-of-the-tests'
const CALLERS = ['did', 'keys'] as const
const presenting = (secret: string) => new Headers({ 'x-svc-internal': secret })
const from = (caller: unknown) => ({ props: { caller } })

describe('internalGate', () => {
  const gate = internalGate({ current: SECRET })

  it('names the sibling that knows the secret and is among the callers', () => {
    expect(gate.authenticate(presenting(SECRET), from('did'), CALLERS)).toBe('did')
    expect(gate.authenticate(presenting(SECRET), from('keys'), CALLERS)).toBe('keys')
  })

  it('refuses a sibling the routes of another', () => {
    expect(gate.authenticate(presenting(SECRET), from('keys'), ['did'])).toBeNull()
    expect(gate.authenticate(presenting(SECRET), from('did'), [])).toBeNull()
  })

  it.each(['', 'x', SECRET.slice(0, -1), `${SECRET}x`, SECRET.toUpperCase(), `${SECRET.slice(0, -1)}X`])(
    'refuses the secret %j',
    (wrong) => {
      expect(gate.authenticate(presenting(wrong), from('did'), CALLERS)).toBeNull()
    },
  )

  it('refuses a request without the header', () => {
    expect(gate.authenticate(new Headers(), from('did'), CALLERS)).toBeNull()
  })

  it.each([undefined, null, '', 'docs', 'core', '__proto__', 'constructor', ['did'], 0])(
    'refuses the caller %j',
    (caller) => {
      expect(gate.authenticate(presenting(SECRET), from(caller), CALLERS)).toBeNull()
    },
  )

  it('refuses a binding without props', () => {
    expect(gate.authenticate(presenting(SECRET), {}, CALLERS)).toBeNull()
  })

  it.each([undefined, ''])('lets nobody in when the secret is %j', (unset) => {
    const closed = internalGate({ current: unset, previous: SECRET })
    for (const presented of ['', 'undefined', SECRET]) {
      expect(closed.authenticate(presenting(presented), from('did'), CALLERS)).toBeNull()
    }
  })
})

describe('InternalClient', () => {
  const answer = z.strictObject({ a: z.number() })
  const get = { method: 'GET', path: '/api/internal/x' } as const
  const clientOf = (respond: (request: Request) => Promise<Response>, secret: string | undefined = SECRET) =>
    new InternalClient(
      { fetch: (url: string, init: RequestInit) => respond(new Request(url, init)) } as unknown as Fetcher,
      { current: secret, previous: 'what a caller never sends' },
    )

  it('sends the secret and the body, and returns a good answer', async () => {
    const seen = vi.fn(async (request: Request) => {
      expect(request.headers.get('x-svc-internal')).toBe(SECRET)
      expect([request.method, request.url]).toEqual(['PUT', 'https://internal/api/internal/x'])
      expect(await request.json()).toEqual({ b: 2 })
      return Response.json({ a: 1 })
    })
    const result = await clientOf(seen).call({ method: 'PUT', path: '/api/internal/x', body: { b: 2 } }, answer)
    expect(result).toEqual({ ok: true, value: { a: 1 } })
    expect(seen).toHaveBeenCalledOnce()
  })

  it('passes a named refusal on', async () => {
    const refusal = async () => Response.json({ success: false, error: 'key_superseded' }, { status: 409 })
    const error = { reason: 'refused', status: 409, error: 'key_superseded' }
    expect(await clientOf(refusal).call(get, answer)).toEqual({ ok: false, error })
  })

  it.each([
    ['throws', () => Promise.reject(new Error('secret words'))],
    ['answers another shape', async () => Response.json({ a: 'x' })],
    ['answers a member too many', async () => Response.json({ a: 1, b: 2 })],
    ['answers what is not JSON', async () => new Response('<html>')],
    ['answers nothing', async () => new Response(null, { status: 204 })],
    ['refuses without a name', async () => Response.json({}, { status: 404 })],
    ['refuses with a name that is not a string', async () => Response.json({ error: { a: 1 } }, { status: 404 })],
    ['refuses with null', async () => Response.json(null, { status: 404 })],
    ['fails with a name', async () => Response.json({ error: 'not_found' }, { status: 500 })],
  ])('is unavailable when the sibling %s', async (_, respond) => {
    const result = await clientOf(respond).call(get, answer)
    expect(result).toMatchObject({ ok: false, error: { reason: 'unavailable' } })
    expect(JSON.stringify(result)).not.toContain('secret words')
  })

  it('is unavailable without a secret, and asks nobody', async () => {
    const never = vi.fn(async () => Response.json({ a: 1 }))
    for (const secret of ['', undefined]) {
      const client = new InternalClient({ fetch: never } as unknown as Fetcher, { current: secret })
      expect(await client.call(get, answer)).toMatchObject({ ok: false, error: { reason: 'unavailable' } })
    }
    expect(never).not.toHaveBeenCalled()
  })

  it('gives up on a sibling after five seconds', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort(new Error('late')))
    const silent = ({ signal }: Request) => new Promise<Response>((_, reject) => reject(signal.reason as Error))
    expect(await clientOf(silent).call(get, answer)).toMatchObject({ ok: false, error: { reason: 'unavailable' } })
    expect(timeout).toHaveBeenCalledWith(5000)
  })
})
