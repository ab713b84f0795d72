import { expect, it } from 'vitest'
import { tagOf } from './tags.ts'

it.each([
  ['/api/chain/head', 'chain'],
  ['/api/v1/consent/{hash}', 'consent'],
  ['/1.0/org/{orgDid}/bind', 'org'],
  ['/quota', 'quota'],
  ['/sign-in.css', 'sign-in'],
  ['/', 'service'],
  ['/health', 'service'],
  ['/api/capabilities', 'service'],
  ['/.well-known/svc', 'service'],
  ['/llms-full.txt', 'service'],
])('%s is of %s', (path, tag) => {
  expect(tagOf(path)).toBe(tag)
})
