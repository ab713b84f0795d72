import { describe, expect, it } from 'vitest'
import { defineOperation, route } from '../app/operation.ts'
import { TOY_BASE, toy, toyRoute, toyRuntime } from '../app/service.fixture.ts'
import { prefersHtml } from '../request/accept.ts'
import { conforms } from '../testing/conforms.ts'
import { ApiError } from './api-error.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const PAGE = '<!doctype html><title>Nothing here</title>'
const readMissing = defineOperation({
  id: 'readMissing',
  method: 'get',
  path: '/missing',
  summary: 'Nothing',
  auth: 'none',
  answer: { status: 200, description: 'Text', contentType: 'text/plain' },
  errors: ['not_found'],
})
const missing = route<unknown>()(readMissing, () => {
  throw new ApiError('not_found')
})
const failing = toyRoute('/failing', () => {
  throw new Error('canary')
})

function service(refusalPage?: (status: number) => Promise<string | null>) {
  const made = toy([missing, failing], { refusalPages: [404, 405] }, () => ({
    ...toyRuntime(),
    ...(refusalPage ? { refusalPage } : {}),
  }))
  return async (path: string, accept: string, method = 'GET') => {
    const response = await made.send(new Request(TOY_BASE + path, { method, headers: { accept } }))
    await conforms(made.service, response.clone(), { method, path })
    return response
  }
}
const withPages = service(async (status) => PAGE + status)

describe('a refusal that has a page', () => {
  it('is that page to a browser, with the status and headers of the refusal', async () => {
    for (const [method, path, status] of [
      ['GET', '/missing', 404],
      ['GET', '/nothing', 404],
      ['POST', '/missing', 405],
    ] as const) {
      const response = await withPages(path, BROWSER, method)
      expect([response.status, await response.text()]).toEqual([status, PAGE + status])
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('vary')).toContain('Accept')
      expect(response.headers.get('allow')).toBe(status === 405 ? 'GET, HEAD, OPTIONS' : null)
    }
  })

  it('is JSON to everybody else, and says that it depends on Accept', async () => {
    for (const accept of ['', '*/*', 'application/json', 'text/markdown', 'application/json, text/html']) {
      const response = await withPages('/nothing', accept)
      expect([response.status, await response.json()]).toMatchObject([404, { error: 'not_found' }])
      expect(response.headers.get('vary')).toContain('Accept')
    }
  })

  it('has no body for HEAD', async () => {
    const response = await withPages('/nothing', BROWSER, 'HEAD')
    expect([response.status, await response.text()]).toEqual([404, ''])
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  it('is JSON while the page cannot be had, and where there is none', async () => {
    for (const page of [() => Promise.reject(new Error('gone')), async () => null, undefined]) {
      const response = await service(page)('/nothing', BROWSER)
      expect([response.status, await response.json()]).toMatchObject([404, { error: 'not_found' }])
    }
  })
})

it('a refusal of another status is JSON to a browser too', async () => {
  const response = await withPages('/failing', BROWSER)
  expect([response.status, await response.json()]).toMatchObject([500, { error: 'internal_error' }])
  expect(response.headers.get('vary') ?? '').not.toContain('Accept')
})

it.each([
  [BROWSER, true],
  ['text/html', true],
  ['TEXT/HTML; charset=utf-8', true],
  ['application/json;q=0.9, text/html', true],
  ['text/html, application/json', false],
  ['text/html;q=0', false],
  ['text/html;q=x', false],
  ['text/html;q=7', false],
  ['text/*', false],
  ['*/*', false],
  ['', false],
  [null, false],
])('takes %s for HTML: %s', (accept, expected) => {
  expect(prefersHtml(accept)).toBe(expected)
})
