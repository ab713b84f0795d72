import { expect, it } from 'vitest'
import { tagDescription, tagOf } from './tags.ts'

it.each([
  ['/api/chain/head', 'chain'],
  ['/api/v1/consent/{hash}', 'consent'],
  ['/1.0/org/{orgDid}/bind', 'org'],
  ['/quota', 'quota'],
  ['/', 'service'],
  ['/health', 'service'],
  ['/api/capabilities', 'service'],
  ['/.well-known/svc', 'service'],
  ['/llms-full.txt', 'service'],
])('%s is of %s', (path, tag) => {
  expect(tagOf(path)).toBe(tag)
})

it('a group may mean something else on a service', () => {
  expect(tagDescription('did', 'register')).toBe('Register the key agreement and the services of a DID')
  expect(tagDescription('provenance', 'register')).toBe('Register an image, a video or a text')
  expect(tagDescription('core', 'operator')).toBe(tagDescription('pay', 'operator'))
  expect(tagDescription('core', 'unknown')).toBe('')
})
