import { expect, it } from 'vitest'
import { privacyFaultsOf } from './log-privacy.ts'

const LINE = {
  service: 'core',
  requestId: '7c2d3f0e-8f5b-4f0c-9a61-2f4f6f0b8a11',
  operation: 'readAnchor',
  route: '/api/anchors/{id}',
  method: 'GET',
  status: 503,
  milliseconds: 3,
  reason: 'database: TypeError | at AnchorIndex.find (index.js:12345:67) | at async index.js:1:2',
}
const withReason = (reason: string) => privacyFaultsOf([JSON.stringify({ ...LINE, reason })])

it('passes lines of requests, delays and alarms', () => {
  const lines = [
    LINE,
    { service: 'core', delayed: 'anchor acknowledgements', waiting: 3, requestId: LINE.requestId, reason: 'timeout' },
    { service: 'pay', alarm: 'payment_event_not_understood', subject: 'evt_1', reason: 'unknown SKU' },
    { service: 'keys', alarm: 'map_not_published', count: 2, reason: 'transparency log' },
  ]
  expect(privacyFaultsOf(lines.map((line) => JSON.stringify(line)))).toEqual([])
})

it.each([
  ['a DID', 'did:svc:u2dFwRsZYJKeRstCWE8IZOByxZqC-5xh'],
  ['a mail address', 'ada@example.org'],
  ['an IPv4 address', '192.0.2.7'],
  ['an IPv6 address', '2001:db8:1:2:3:4:5:6'],
  ['an IPv6 address', '2001:db8::1'],
  ['a URL', 'https://core.example/api/anchors/1'],
  ['hexadecimal digits of a key, hash or id', '0d464d6b2de99deb3fb4edfd986ccbdc2c88d0ac94718de9'],
  ['base64 of a key, token or body', 'u2dFwRsZYJKeRstCWE8IZOByxZqC-5xh'],
  ['a credential', 'Bearer x'],
])('finds %s', (what, text) => {
  expect(withReason(`refused ${text}`)).toContain(`line 1: ${what}`)
  expect(privacyFaultsOf([JSON.stringify({ ...LINE, subject: text })])).toContain(`line 1: ${what}`)
  expect(privacyFaultsOf(['started', `a line that is not JSON: ${text}`])).toContain(`line 2: ${what}`)
})

it('finds a member that no line has, and repeats nothing of the line', () => {
  const faults = privacyFaultsOf([JSON.stringify({ ...LINE, email: 'ada@example.org' })])
  expect(faults).toEqual(['line 1: a mail address', 'line 1: the member email'])
})
