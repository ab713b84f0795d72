import { Prober } from '@svc/service/testing'
import { expect } from 'vitest'
import { service } from '../../src/app.ts'
import { PAGES } from '../../src/pages/pages.gen.ts'
import { pathOf } from '../../src/pages/pages.ts'
import { BASE, send } from '../harness.ts'

export const prober = new Prober({ service, send, base: BASE })
export const pages = PAGES.map(pathOf)
/** The others are parts of the reference of core, which lists them. */
export const listedPages = PAGES.filter(({ slug }) => !/^api-(?:core|keys|provenance)-/.test(slug))
export const indexes = ['/', '/developer', '/academic']
export const texts = ['/llms.txt', '/llms-full.txt', '/llms/guides.txt', '/llms/api-pay.txt']
export const sdk = ['/sdk', '/sdk/classes/_svc_client.Client.html']

export function expectHeaders(headers: Headers): void {
  expect(headers.get('strict-transport-security')).toBe('max-age=63072000; includeSubDomains; preload')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('x-frame-options')).toBe('DENY')
  expect(headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin')
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'self';/)
  expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
}
