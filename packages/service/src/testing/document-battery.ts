import { audiencesOf, listedRoutes } from '@svc/assertion'
import { classify } from '@svc/rate-limit'
import { expect, it } from 'vitest'
import { takesAssertion } from '../answers.ts'
import type { Prober } from './prober.ts'
import { operationsOf, surface } from './surface.ts'

/** The description of the service and the tables beside it agree with the live routes. */
export function documentBattery({ service }: Prober): void {
  const { description, routes } = service
  const operations = routes.map(({ operation }) => ({
    operation,
    route: `${operation.method.toUpperCase()} ${operation.path}`,
  }))
  const asserted = operations.filter(({ operation }) => takesAssertion(operation))

  it('is documented, and nothing else is', () => {
    const { live, documented } = surface(service.app, service.document())
    expect(documented).toEqual(live)
    expect(live).toEqual(operations.map(({ route }) => route).toSorted())
  })

  it('has an operationId of its own', () => {
    const ids = operations.map(({ operation }) => operation.id)
    expect(ids).toEqual([...new Set(ids)])
    const documented = new Map(operationsOf(service.document()).map(({ route, operation }) => [route, operation]))
    for (const { route, operation } of operations) expect(documented.get(route)?.['operationId']).toBe(operation.id)
    const all = operationsOf(service.document()).map(({ operation }) => operation['operationId'])
    expect(all).toEqual([...new Set(all)])
  })

  it('documents 500, and 429 where it is metered', () => {
    for (const { route, operation } of operationsOf(service.document())) {
      const [method = '', path = ''] = route.split(' ')
      const statuses = Object.keys(operation['responses'] as object)
      expect(statuses, route).toContain('500')
      if (classify(description.service, method, path)) expect(statuses, route).toContain('429')
    }
  })

  it('has an audience where it takes assertions', () => {
    for (const { route, operation } of asserted) {
      const audiences = audiencesOf(description.service, operation.method.toUpperCase(), operation.path)
      expect(audiences.length, route).toBeGreaterThan(0)
    }
  })

  it('has a row in the capability table where it takes assertions, and no row is stale', () => {
    const optional = operations.filter(({ operation }) => operation.auth === 'optional-assertion')
    const listed = listedRoutes(description.service)
    expect(listed).toEqual(expect.arrayContaining(asserted.map(({ route }) => route)))
    expect([...asserted, ...optional].map(({ route }) => route)).toEqual(expect.arrayContaining(listed))
  })
}
