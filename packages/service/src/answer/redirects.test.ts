import { describe, expect, it } from 'vitest'
import { TOY_BASE, toy, toyRoute, toyRuntime } from '../app/service.fixture.ts'
import { conforms } from '../testing/conforms.ts'
import { ALLOWED_ORIGIN, FOREIGN_ORIGIN } from '../testing/prober.ts'

const OLD = 'https://old.test'
const ALIAS = 'https://alias.test'
const retired = [{ path: '/gone', error: 'endpoint_retired' as const }]

function service() {
  const runtime = toyRuntime()
  const config = { ...runtime.config, PUBLIC_ORIGINS: [TOY_BASE, ALIAS, OLD], REDIRECT_ORIGINS: [OLD] }
  const here = () => new Response('here', { headers: { 'content-type': 'text/plain' } })
  const { send, service: described } = toy([toyRoute('/x', here)], { retired }, () => ({ ...runtime, config }))
  return async (url: string, init: RequestInit = {}) => {
    const response = await send(new Request(url, { redirect: 'manual', ...init }))
    const { origin, pathname, search } = new URL(url)
    const asked = { method: init.method ?? 'GET', path: pathname + search }
    const hosting = { origin, aliases: config }
    if (search === '' || response.status === 301) await conforms(described, response.clone(), asked, hosting)
    return response
  }
}

describe('a redirecting alias', () => {
  it('answers a read with its address on the canonical host, under the headers of every answer', async () => {
    for (const method of ['GET', 'HEAD']) {
      const response = await service()(`${OLD}/x?a=1`, { method })
      expect([response.status, response.headers.get('location')]).toEqual([301, `${TOY_BASE}/x?a=1`])
      expect(response.headers.get('cache-control')).toBe('public, max-age=3600')
      expect(response.headers.get('strict-transport-security')).not.toBeNull()
      expect(response.headers.get('x-request-id')).not.toBeNull()
      expect(await response.text()).toBe('')
    }
  })

  it('redirects unknown paths as well, but not retired ones', async () => {
    expect((await service()(`${OLD}/nothing`)).status).toBe(301)
    expect((await service()(`${OLD}/gone`)).status).toBe(410)
  })

  it('answers anything but a read itself', async () => {
    expect((await service()(`${OLD}/x`, { method: 'POST' })).status).toBe(405)
    expect((await service()(`${OLD}/x`, { method: 'OPTIONS' })).status).toBe(200)
  })

  it('says no more to a foreign origin than the canonical host does', async () => {
    const asking = (origin: string) => service()(`${OLD}/x`, { headers: { origin } })
    expect((await asking(FOREIGN_ORIGIN)).status).toBe(403)
    const allowed = await asking(ALLOWED_ORIGIN)
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([301, ALLOWED_ORIGIN])
  })
})

it('another alias and the canonical host answer', async () => {
  for (const origin of [TOY_BASE, ALIAS]) expect(await (await service()(`${origin}/x`)).text()).toBe('here')
})
