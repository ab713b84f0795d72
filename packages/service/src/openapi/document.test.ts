import { expect, it } from 'vitest'
import { toy, toyRoute } from '../app/service.fixture.ts'
import { documentOf } from './document.ts'

const routes = [toyRoute('/x', () => new Response('here'))]
const retired = [
  { path: '/old/', error: 'endpoint_retired' as const },
  { path: '/claim', error: 'entitlement_claim_retired' as const },
]
const described = (description: Parameters<typeof toy>[1] = {}) =>
  documentOf(toy(routes, description).service) as unknown as {
    readonly paths: Record<string, { readonly get: { readonly responses: Record<string, object> } }>
    readonly components?: { readonly responses?: Record<string, object> }
    readonly 'x-retired'?: object
  }

it('declares the redirect of aliases once, and every read refers to it', () => {
  const { paths, components } = described()
  expect(Object.keys(components?.responses ?? {})).toEqual(['CanonicalHost'])
  expect(components?.responses?.['CanonicalHost']).toMatchObject({ headers: { Location: {} } })
  for (const { get } of Object.values(paths))
    expect(get.responses['301']).toEqual({ $ref: '#/components/responses/CanonicalHost' })
})

it('declares no redirect where no public host is', () => {
  const { paths, components } = described({ isInternal: true })
  expect(components?.responses ?? {}).toEqual({})
  expect(paths['/x']?.get.responses).not.toHaveProperty('301')
})

it('lists what is retired with the status and name of its answer, and nothing where nothing is', () => {
  expect(described({ retired })['x-retired']).toEqual([
    { path: '/old/', status: 410, error: 'endpoint_retired' },
    { path: '/claim', status: 410, error: 'entitlement_claim_retired' },
  ])
  expect(described()).not.toHaveProperty('x-retired')
})
