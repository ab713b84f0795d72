import { CAPABILITIES } from '@svc/protocol/base/device'
import { classify } from '@svc/rate-limit'
import { describe, expect, it } from 'vitest'
import { mayTakeAssertion } from '../app/operation.ts'
import { SERVICE_AUDIENCES } from '../auth/audiences.ts'
import { documentOf } from '../openapi/document.ts'
import { markdownOf } from '../openapi/markdown.ts'
import type { RecordedExamples } from '../openapi/recorded.ts'
import { FOREIGN_ORIGIN, freshAddress, type Prober, type ProbeTarget } from './prober.ts'
import { operationsOf, surface } from './surface.ts'

/** The description of the service agrees with the live routes. */
export function documentBattery(prober: Prober): void {
  const { service } = prober
  const { description, routes } = service
  const operations = routes.map(({ operation }) => ({
    operation,
    route: `${operation.method.toUpperCase()} ${operation.path}`,
  }))

  it('is documented, and nothing else is', () => {
    const { live, documented } = surface(service.app, prober.document)
    expect(documented).toEqual(live)
    expect(live).toEqual(operations.map(({ route }) => route).toSorted())
  })

  it('has an operationId of its own', () => {
    const ids = operations.map(({ operation }) => operation.id)
    expect(ids).toEqual([...new Set(ids)])
    const documented = new Map(operationsOf(prober.document).map(({ route, operation }) => [route, operation]))
    for (const { route, operation } of operations) expect(documented.get(route)?.['operationId']).toBe(operation.id)
    const all = operationsOf(prober.document).map(({ operation }) => operation['operationId'])
    expect(all).toEqual([...new Set(all)])
  })

  it('takes assertions for the audiences that discovery publishes, and for no other', () => {
    const audiences = operations.flatMap(({ operation }) => (mayTakeAssertion(operation) ? operation.audiences : []))
    expect([...new Set<string>(audiences)].toSorted()).toEqual(SERVICE_AUDIENCES[description.service])
  })

  it.skipIf(description.service === 'core')('tells any page where the discovery document is', async () => {
    const { status, body, headers } = await prober.send({
      method: 'GET',
      path: '/.well-known/svc',
      headers: { origin: FOREIGN_ORIGIN },
    })
    expect({ status, body }).toEqual({
      status: 200,
      body: { discovery: 'https://core.test/.well-known/svc', realm: 'https://core.test' },
    })
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  it('documents 500, and 429 where it is metered', () => {
    for (const { route, operation } of operationsOf(prober.document)) {
      const [method = '', path = ''] = route.split(' ')
      const statuses = Object.keys(operation['responses'] as object)
      expect(statuses, route).toContain('500')
      if (classify(description.service, method, path)) expect(statuses, route).toContain('429')
    }
  })

  it('says whom an assertion must be for and what a device must be allowed, where it takes one and nowhere else', () => {
    for (const { route, operation } of operationsOf(prober.document)) {
      const { security, 'x-audience': audiences, 'x-device-capability': capability } = operation
      const mayBeAsserted = JSON.stringify(security).includes('"ServiceAssertion"')
      expect(audiences, route).toEqual(mayBeAsserted ? expect.arrayContaining([expect.any(String)]) : undefined)
      if (mayBeAsserted) expect(['any', 'root', ...CAPABILITIES], route).toContain(capability)
      else expect(capability, route).toBeUndefined()
    }
  })
}

/**
 * A service describes itself by a file, which was made before it was deployed: the file must say what the routes of the
 * running service say. `examples` are those of its `examples.json`.
 */
export function descriptionBattery(target: ProbeTarget & { readonly examples: RecordedExamples }): void {
  const { service, base, send, examples } = target
  const { service: name, markdownPaths = [] } = service.description
  const ask = (method: string, path: string) =>
    send(new Request(base + path, { method, headers: { 'cf-connecting-ip': freshAddress() } }))

  describe(`the description of ${name}`, () => {
    it('is generated from the live routes, to the byte', async () => {
      const response = await ask('GET', '/openapi.json')
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(response.headers.get('cache-control')).toBe('public, max-age=300')
      const served = await response.text()
      const live = documentOf(service, examples)
      // First as values, because a difference of two texts of this length tells nothing.
      expect(JSON.parse(served)).toEqual(JSON.parse(JSON.stringify(live)))
      expect(served === JSON.stringify(live)).toBe(true)
    })

    it('has the same headers for HEAD, and no body', async () => {
      const [read, head] = [await ask('GET', '/openapi.json'), await ask('HEAD', '/openapi.json')]
      await read.body?.cancel()
      expect([head.status, await head.text()]).toEqual([200, ''])
      const headersOf = ({ headers }: Response) => [...headers].filter(([header]) => header !== 'x-request-id')
      expect(headersOf(head)).toEqual(headersOf(read))
    })

    it.each(markdownPaths)('is the same as Markdown at %s', async (path) => {
      const response = await ask('GET', path)
      expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
      expect(response.headers.get('cache-control')).toBe('public, max-age=300')
      expect((await response.text()) === markdownOf(documentOf(service, examples))).toBe(true)
    })
  })
}
