import { describe, expect, it } from 'vitest'
import type { Operation } from '../app/operation.ts'
import type { OriginRule } from '../request/origins.ts'
import { ALLOWED_ORIGIN, type Exchange, FOREIGN_ORIGIN, type Prober } from './prober.ts'

/** Origins that are on no list, however close they come to one that is. */
const STRANGERS = [
  FOREIGN_ORIGIN,
  'null',
  `${ALLOWED_ORIGIN}/`,
  'http://localhost:3000.evil.example',
  'http://localhost',
]

/** Each route lets an Origin in, and lets its script read the answer, as the rule of the service says. */
export function originBattery(prober: Prober): void {
  const { description, routes } = prober.service
  describe.each(
    routes.map(({ operation }) => ({ operation, name: `${operation.method.toUpperCase()} ${operation.path}` })),
  )('$name', ({ operation }) => {
    const method = operation.method.toUpperCase()
    const path = prober.pathOf(operation)
    const rule = description.origins(method, path)
    const refuses = rule === 'checked' || rule === 'required'

    it(`treats strange Origins as ${rule}`, async () => {
      for (const origin of STRANGERS) {
        const exchange = await prober.send({ method, path, headers: { origin }, body: bodyOf(operation) })
        expectStranger(exchange, rule, origin)
      }
    })

    it(`treats an allowlisted Origin as ${rule}`, async () => {
      const exchange = await prober.send({
        method,
        path,
        headers: { origin: ALLOWED_ORIGIN },
        body: bodyOf(operation),
      })
      expect(exchange.error).not.toBe('cors_denied')
      expectReadable(exchange.headers, rule)
    })

    it(`treats a request without Origin as ${rule}`, async () => {
      const { error, status } = await prober.send({ method, path, body: bodyOf(operation) })
      if (rule === 'required') expect({ status, error }).toEqual({ status: 403, error: 'cors_denied' })
      else expect(error).not.toBe('cors_denied')
    })

    it('answers a preflight', async () => {
      const allowed = await prober.send({
        method: 'OPTIONS',
        path,
        headers: { origin: ALLOWED_ORIGIN, 'access-control-request-method': method },
      })
      expect(allowed.status).toBe(204)
      expectReadable(allowed.headers, rule)
      if (rule !== 'none') expectProceed(allowed.headers, method)

      for (const origin of [FOREIGN_ORIGIN, 'null']) {
        const headers = { origin, 'access-control-request-method': method }
        const foreign = await prober.send({ method: 'OPTIONS', path, headers })
        expect(foreign.status, origin).toBe(refuses ? 403 : 204)
        expect(foreign.headers.get('access-control-allow-origin')).toBe(rule === 'open' ? '*' : null)
      }
    })
  })
}

function bodyOf({ body }: Operation): string | undefined {
  return body ? '{}' : undefined
}

function expectStranger({ status, error, headers }: Exchange, rule: OriginRule, origin: string): void {
  const isRefused = rule === 'checked' || rule === 'required'
  if (isRefused) expect({ status, error }, origin).toEqual({ status: 403, error: 'cors_denied' })
  else expect(error, origin).not.toBe('cors_denied')
  expect(headers.get('access-control-allow-origin'), origin).toBe(rule === 'open' ? '*' : null)
  if (isRefused || rule === 'unrefused') expect(headers.get('vary'), origin).toContain('Origin')
}

function expectReadable(headers: Headers, rule: OriginRule): void {
  const expected = rule === 'none' ? null : rule === 'open' ? '*' : ALLOWED_ORIGIN
  expect(headers.get('access-control-allow-origin')).toBe(expected)
  expect(headers.get('access-control-allow-credentials')).toBeNull()
  if (expected === ALLOWED_ORIGIN) expect(headers.get('vary')).toContain('Origin')
  if (expected !== null) expect(headers.get('access-control-expose-headers')).toContain('X-Request-ID')
}

function expectProceed(headers: Headers, method: string): void {
  expect(headers.get('access-control-allow-methods')?.split(', ')).toContain(method)
  const allowed = headers.get('access-control-allow-headers')
  for (const name of ['Authorization', 'Content-Type', 'X-Svc-Signature', 'Idempotency-Key']) {
    expect(allowed).toContain(name)
  }
}
