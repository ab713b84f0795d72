import { readApi } from '@svc/platform/documented-api'
import { expect, it } from 'vitest'
import { type Answer, Judge } from './judge.ts'

const api = readApi()
const local = new Judge(api)
const alias = new Judge(api, { redirects: true })

const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: {
    'x-request-id': 'r',
    ...(status >= 400 ? { 'x-error-name': 'x' } : {}),
    'content-type': 'application/json',
    ...headers,
  },
  body: Buffer.from(body === null ? '' : JSON.stringify(body)),
})
const moved = answer(301, null, { location: 'https://ai-consent.example/health' })
const failure = (error: string) => ({ success: false, error, timestamp: 1 })

it('accepts documented responses', () => {
  expect(local.faultOf('pay', 'GET', '/entitlement', answer(401, failure('unauthorized')))).toBeNull()
  expect(local.faultOf('pay', 'GET', '/nothing', answer(404, failure('not_found')))).toBeNull()
})

it.each<[string, string, string, Answer, string]>([
  ['an undocumented status', 'GET', '/entitlement', answer(418, failure('x')), '418 x is not documented'],
  [
    'a body that does not match its schema',
    'GET',
    '/entitlement',
    answer(401, { error: 1 }),
    '401 does not match its schema',
  ],
  ['a server error', 'GET', '/entitlement', answer(503, failure('x')), '503 x'],
  ['success on an undocumented path', 'GET', '/nothing', answer(200, {}), '200 on an undocumented path'],
  ['an error without a name', 'GET', '/nothing', answer(404, {}), 'an error without a name'],
  [
    'a leaked implementation detail',
    'GET',
    '/nothing',
    answer(404, failure('D1_ERROR')),
    'the body leaks an implementation detail',
  ],
])('finds %s', (_, method, path, given, fault) => {
  expect(local.faultOf('pay', method, path, given)).toContain(fault)
})

it('lets a page of the documentation name what an answer must not leak, and nothing else of that host', () => {
  const page = answer(200, null, { 'content-type': 'text/html; charset=utf-8' })
  const naming = { ...page, body: new TextEncoder().encode('Run <code>node_modules/.bin/node</code>') }
  const leak = 'the body leaks an implementation detail'
  expect(local.faultOf('docs', 'GET', '/', naming)).not.toBe(leak)
  expect(local.faultOf('docs', 'GET', '/', { ...naming, status: 404 })).toBe(leak)
  expect(local.faultOf('pay', 'GET', '/', naming)).toBe(leak)
})

it('accepts a redirect only for a read at a redirecting alias', () => {
  for (const path of ['/health', '/nothing']) {
    expect(local.faultOf('consent', 'GET', path, moved)).toBe('redirected, although no alias redirects')
    expect(alias.faultOf('consent', 'GET', path, moved)).toBeNull()
    expect(alias.faultOf('consent', 'HEAD', path, moved)).toBeNull()
  }
  expect(alias.faultOf('consent', 'POST', '/api/v1/consent', moved)).toBe('POST is redirected')
  expect(alias.faultOf('consent', 'GET', '/health', answer(301, null))).toBe('a redirect without a location')
  expect(alias.faultOf('consent', 'GET', '/health', answer(301, {}, { location: 'x' }))).toBe('a redirect has a body')
})

it('every service documents the redirect for every read and for no write', () => {
  for (const { service, method, template, documented } of api.operations) {
    const isRead = method === 'GET' || method === 'HEAD'
    expect('301' in documented.responses, `${service} ${method} ${template}`).toBe(isRead)
  }
})
