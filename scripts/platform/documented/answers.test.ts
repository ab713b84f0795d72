import { expect, it } from 'vitest'
import { type Answer, DocumentedAnswers } from './answers.ts'
import { operationAt, readApi } from './api.ts'

const api = readApi(['consent', 'did', 'provenance'])
const documented = new DocumentedAnswers(api)

const RECORD = '/api/v1/consent/test%3A1'
const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'x-request-id': 'r', 'content-type': 'application/json', ...headers },
  body: new TextEncoder().encode(JSON.stringify(body)),
})
const limited = { success: false, error: 'Rate limit exceeded', retryAfter: 1, tier: 'read' }
const named = { 'x-error-name': 'rate_limited' }

it('accepts an answer with its headers', () => {
  const refused = answer(429, limited, { ...named, 'retry-after': '1' })
  expect(documented.faultOf('consent', 'GET', RECORD, refused)).toBeNull()
})

it.each<[string, string, Answer, string]>([
  ['a required header that is missing', RECORD, answer(429, limited, named), '429 has no retry-after'],
  ['an error without its name', RECORD, answer(429, limited, { 'retry-after': '1' }), '429 has no x-error-name'],
  [
    'a header of another form',
    RECORD,
    answer(429, limited, { ...named, 'retry-after': 'soon' }),
    '429 retry-after: data must be integer',
  ],
  [
    'a header that is not documented',
    RECORD,
    answer(429, limited, { ...named, 'retry-after': '1', 'x-svc-secret': '1' }),
    '429 does not document x-svc-secret',
  ],
])('finds %s', (_, path, given, fault) => {
  expect(documented.faultOf('consent', 'GET', path, given)).toBe(fault)
})

it('takes null where it is documented, of a literal too', () => {
  const projections = api.schemasOf('consent')['ConsentProjections'] as { properties: Record<string, object> }
  expect(projections.properties['x_robots_tag']).toMatchObject({ enum: ['noai', null] })
})

it('finds the most literal template, and at the resolver whatever is below it', () => {
  const at = (path: string) => operationAt(api.operations, 'did', 'GET', path)?.documented.operationId
  expect(at('/1.0/identifiers/did:svc:x/bindings')).toBe('listOwnBindings')
  expect([at('/1.0/identifiers/'), at('/1.0/identifiers/did:svc:x/path')]).toEqual(['resolveDid', 'resolveDid'])
})
