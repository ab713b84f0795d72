import { describe, expect, it } from 'vitest'
import type { Operation } from '../app/operation.ts'
import { methodsOf } from '../app/service.ts'
import { retiredMatcher, templatePattern } from '../request/retired.ts'
import { expectRefusal } from './credential-battery.ts'
import { ALLOWED_ORIGIN, exhaust, FOREIGN_ORIGIN, type Prober } from './prober.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Unknown paths are refused in the service's own shape, and retired ones say so. */
export function routingBattery(prober: Prober): void {
  const { description, routes } = prober.service
  const origin = { origin: ALLOWED_ORIGIN }
  const unknown = description.hidesMethods ? 'Not found' : 'not_found'
  const isGone = retiredMatcher(description.retired ?? [])
  const servedAt = (path: string) =>
    routes.flatMap(({ operation }) => (templatePattern(operation.path).test(path) ? methodsOf(operation) : []))
  const consumesAt = (path: string) =>
    routes.some(({ operation }) => operation.consumes && templatePattern(operation.path).test(path))
  const allowedAt = (path: string) => [...new Set([...servedAt(path), 'OPTIONS'])].toSorted()

  it.each(METHODS)('refuses %s on an unknown path', async (method) => {
    for (const path of ['/no/such/route', '//', '/health/', '/HEALTH', '/api/internal/health']) {
      if (isGone(path) || servedAt(path).length > 0) continue
      const { status, error } = await prober.send({ method, path, headers: origin })
      const isReadOnly = description.isReadOnly === true && method !== 'GET' && method !== 'HEAD'
      expect(status, path).toBe(isReadOnly ? 405 : 404)
      if (method !== 'HEAD') expect(error, path).toBe(isReadOnly ? 'method_not_allowed' : unknown)
    }
  })

  it('says of each GET that uses something up that it does', () => {
    const consuming = routes.flatMap(({ operation }) => (operation.consumes ? [operation.id] : []))
    expect(consuming.toSorted()).toEqual(prober.consumables.toSorted())
  })

  for (const { operation } of routes) {
    const path = prober.pathOf(operation)
    const own = operation.method.toUpperCase()
    describe(`${own} ${operation.path}`, () => {
      it('refuses the methods that its path does not take', async () => {
        const allow = allowedAt(path)
        const isKnown = (method: string) => allow.includes(method) || (method === 'HEAD' && consumesAt(path))
        for (const method of METHODS.filter((candidate) => !isKnown(candidate))) {
          const { status, headers } = await prober.send({ method, path, headers: origin })
          expect(status, method).toBe(description.hidesMethods ? 404 : 405)
          expect(headers.get('allow'), method).toBe(description.hidesMethods ? null : allow.join(', '))
        }
      })

      it('says to a plain OPTIONS which methods its path takes', async () => {
        const allow = allowedAt(path)
        for (const headers of [{}, origin]) {
          const told = await prober.send({ method: 'OPTIONS', path, headers })
          expect(told.status).toBe(description.hidesMethods ? 404 : 200)
          expect(told.headers.get('allow')).toBe(description.hidesMethods ? null : allow.join(', '))
        }
        const preflight = { ...origin, 'access-control-request-method': own }
        const { status, headers } = await prober.send({ method: 'OPTIONS', path, headers: preflight })
        expect({ status, allow: headers.get('allow') }).toEqual({ status: 204, allow: null })
      })

      it('is not reached by another spelling of its path', async () => {
        const spelling = path.replace(/[a-z]/i, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
        if (spelling === path) return
        const { status } = await prober.send({ method: own, path: spelling, headers: origin })
        expect(status).toBe(description.isReadOnly === true && own !== 'GET' ? 405 : 404)
      })

      if (own === 'GET') headTests(prober, operation)
    })
  }

  for (const { path: template, error } of description.retired ?? []) {
    const bare = template.replace(/\/$/, '').replaceAll(/\{\w+\}/g, 'x')
    describe(`retired ${template}`, () => {
      it.each(template.endsWith('/') ? [bare, `${bare}/`, `${bare}/x`, `${bare}/x/y`] : [bare])(
        'is gone at %s for every method and every caller',
        async (path) => {
          for (const method of METHODS.filter((candidate) => candidate !== 'HEAD')) {
            expectRefusal(await prober.send({ method, path }), error)
            expectRefusal(await prober.send({ method, path, headers: { authorization: 'Bearer x' } }), error)
            for (const asking of [FOREIGN_ORIGIN, 'null', ALLOWED_ORIGIN]) {
              const { headers } = await prober.send({ method, path, headers: { origin: asking } })
              const readable = asking === ALLOWED_ORIGIN && description.origins(method, path) !== 'none'
              expect(headers.get('access-control-allow-origin')).toBe(readable ? asking : null)
            }
          }
          expect((await prober.send({ method: 'HEAD', path })).status).toBe(410)
          const preflight = { ...origin, 'access-control-request-method': 'POST' }
          expect((await prober.send({ method: 'OPTIONS', path, headers: preflight })).status).toBe(204)
        },
      )
    })
  }

  const [gone] = description.retired ?? []
  if (gone) {
    it('meters what is retired before saying so', async () => {
      const path = gone.path.replace(/\/$/, '').replaceAll(/\{\w+\}/g, 'x')
      const { within, beyond } = await exhaust(prober, { method: 'POST', path }, 200)
      expect(within.at(-1)?.status).toBe(410)
      expect(beyond).toMatchObject({ status: 429, body: { tier: 'default' } })
    })
  }
}

/** GETs whose answers cannot tell whether they used something up: they must say so. */
const MAY_CONSUME: readonly number[] = [101, 302]
/** Of one answer, not of what is answered. */
const OWN_HEADERS = /^(?:date|content-length|retry-after|set-cookie|location|x-request-id|x-ratelimit-.*)$/

/** HEAD is GET without a body, but where a GET uses something up: then it is refused and uses up nothing. */
function headTests(prober: Prober, operation: Operation): void {
  it('says whether it uses something up', () => {
    if (MAY_CONSUME.includes(operation.answer.status)) expect(operation.consumes).not.toBeUndefined()
  })

  if (operation.consumes) {
    it(`refuses HEAD, which leaves ${operation.consumes} for one GET`, async () => {
      const ask = await prober.consumable(operation)
      const head = await ask('HEAD')
      expect([head.status, head.headers.get('allow'), await head.text()]).toEqual([405, 'GET, OPTIONS', ''])
      expect((await ask('GET')).status).toBe(operation.answer.status)
      expect((await ask('GET')).status).toBeGreaterThanOrEqual(400)
    })
    return
  }

  it('answers HEAD as GET without a body, also when it is asked again', async () => {
    const answers = []
    for (const method of ['GET', 'HEAD', 'GET']) {
      answers.push(await prober.send({ method, ...(await prober.callFor(operation)) }))
    }
    const [got, head, again] = answers.map(({ status, headers }) => ({
      status,
      headers: Object.fromEntries([...headers].map(([name, value]) => [name, OWN_HEADERS.test(name) ? '' : value])),
    }))
    expect(head).toEqual(got)
    expect(again).toEqual(got)
  })
}
