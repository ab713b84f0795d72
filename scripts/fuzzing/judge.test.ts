import { expect, it } from 'vitest'
import { type Answer, Judge } from './judge.ts'
import { readApi } from './operations.ts'

const api = readApi()
const local = new Judge(api)
const alias = new Judge(api, { redirects: true })

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'x-request-id': 'r', 'content-type': 'application/json', ...headers },
  body: Buffer.from(body === null ? '' : JSON.stringify(body)),
})
const moved = answer(301, null, { location: 'https://ai-consent.example/health' })
const failure = (error: string) => ({ success: false, error, timestamp: 1 })

it('takes what the document names', () => {
  expect(local.faultOf('pay', 'GET', '/entitlement', answer(401, failure('unauthorized')))).toBeNull()
  expect(local.faultOf('pay', 'GET', '/nothing', answer(404, failure('not_found')))).toBeNull()
})

it.each<[string, string, string, Answer, string]>([
  ['a status that is not documented', 'GET', '/entitlement', answer(418, failure('x')), '418 x is not documented'],
  ['a body of another shape', 'GET', '/entitlement', answer(401, { error: 1 }), '401 is not of its schema'],
  ['a failure of the service', 'GET', '/entitlement', answer(503, failure('x')), '503 x'],
  ['success where there is no operation', 'GET', '/nothing', answer(200, {}), '200 where there is no operation'],
  ['a refusal without a name', 'GET', '/nothing', answer(404, {}), 'a refusal without a name'],
  [
    'a trace of the implementation',
    'GET',
    '/nothing',
    answer(404, failure('D1_ERROR')),
    'the body tells of the implementation',
  ],
])('finds %s', (_, method, path, given, fault) => {
  expect(local.faultOf('pay', method, path, given)).toContain(fault)
})

it('takes a redirect of a read where the host is an alias that redirects, and nowhere else', () => {
  for (const path of ['/health', '/nothing']) {
    expect(local.faultOf('consent', 'GET', path, moved)).toBe('redirected, though no alias redirects')
    expect(alias.faultOf('consent', 'GET', path, moved)).toBeNull()
    expect(alias.faultOf('consent', 'HEAD', path, moved)).toBeNull()
  }
  expect(alias.faultOf('consent', 'POST', '/api/v1/consent', moved)).toBe('POST is redirected')
  expect(alias.faultOf('consent', 'GET', '/health', answer(301, null))).toBe('a redirect to nowhere')
  expect(alias.faultOf('consent', 'GET', '/health', answer(301, {}, { location: 'x' }))).toBe('a redirect has a body')
})

it('has every read of every service documented with the redirect, and no write', () => {
  for (const { service, method, template, documented } of api.operations) {
    const isRead = method === 'GET' || method === 'HEAD'
    expect('301' in documented.responses, `${service} ${method} ${template}`).toBe(isRead)
  }
})
