import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defineOperation, route } from '../app/operation.ts'
import { TOY_BASE, toy } from '../app/service.fixture.ts'
import { conforms } from './conforms.ts'

const read = defineOperation({
  id: 'read',
  method: 'get',
  path: '/things/{id}',
  summary: 'Read',
  auth: 'none',
  answer: { status: 200, description: 'A thing', schema: z.strictObject({ a: z.number() }) },
})
const { service, send } = toy([route<unknown>()(read, () => ({ a: 1 }))])
const at = { method: 'GET', path: '/things/x' }

/** The good answer, changed. */
async function changed(body: unknown, init: ResponseInit = {}, without: string[] = []): Promise<Response> {
  const good = await send(new Request(`${TOY_BASE}/things/x`))
  const headers = new Headers(good.headers)
  for (const name of without) headers.delete(name)
  for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
  return new Response(JSON.stringify(body), { ...init, headers })
}
const good = { success: true, data: { a: 1 }, timestamp: 1 }
const failure = (error: string) => ({ success: false, error, timestamp: 1 })

describe('conforms', () => {
  it('returns the body of a declared answer', async () => {
    expect(await conforms(service, await changed(good), at)).toEqual(good)
    const refused = await changed(failure('internal_error'), { status: 500 })
    expect(await conforms(service, refused, at)).toMatchObject({ error: 'internal_error' })
  })

  it.each([
    ['a status that is not declared', good, { status: 201 }, []],
    ['an error that is not declared', failure('stale_head'), { status: 409 }, []],
    ['an error under a status of another', failure('not_found'), { status: 500 }, []],
    ['a body of another schema', { ...good, data: { a: 'x' } }, {}, []],
    ['a member too many', { ...good, extra: 1 }, {}, []],
    ['another content type', good, { headers: { 'content-type': 'text/html' } }, []],
    ['no cache control', good, {}, ['cache-control']],
    ['no request id', good, {}, ['x-request-id']],
    ['a request id that is not a UUID', good, { headers: { 'x-request-id': '1' } }, []],
    ['no security headers', good, {}, ['x-content-type-options']],
  ])('refuses %s', async (_, body, init, without) => {
    await expect(conforms(service, await changed(body, init, without), at)).rejects.toThrow()
  })

  it('takes a redirect to the canonical host alone, and only from an alias that redirects', async () => {
    const aliases = { PUBLIC_ORIGINS: [TOY_BASE, 'https://old.test'], REDIRECT_ORIGINS: ['https://old.test'] }
    const moved = async (location: string) => {
      const { headers } = await changed(good, { headers: { location } }, ['content-type'])
      return new Response(null, { status: 301, headers })
    }
    const right = `${TOY_BASE}/things/x`
    const hosting = { origin: 'https://old.test', aliases }
    expect(await conforms(service, await moved(right), at, hosting)).toBeUndefined()
    await expect(conforms(service, await moved(right), at)).rejects.toThrow('no alias redirects')
    await expect(conforms(service, await moved(right), at, { ...hosting, origin: TOY_BASE })).rejects.toThrow()
    const none = { ...hosting, aliases: { ...aliases, REDIRECT_ORIGINS: [] } }
    await expect(conforms(service, await moved(right), at, none)).rejects.toThrow('no alias redirects')
    await expect(conforms(service, await moved(`${TOY_BASE}/things/y`), at, hosting)).rejects.toThrow()
    await expect(conforms(service, await moved(right), { ...at, method: 'PUT' }, hosting)).rejects.toThrow()
  })

  it('holds an unknown path to the refusals of the service', async () => {
    const missing = { method: 'GET', path: '/nothing' }
    await conforms(service, await changed(failure('not_found'), { status: 404 }), missing)
    await expect(conforms(service, await changed(good), missing)).rejects.toThrow()
    await expect(conforms(service, await changed(failure('x'), { status: 410 }), missing)).rejects.toThrow()
  })
})
