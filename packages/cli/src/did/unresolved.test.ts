import { expect, it } from 'vitest'
import { unresolved } from './unresolved.ts'

it.each([
  ['https://www.w3.org/ns/did#NOT_FOUND', 'did:svc:a is not registered', 'svc did register'],
  ['', 'did:svc:a is not registered', 'svc did register'],
  [
    'https://www.w3.org/ns/did#METHOD_NOT_SUPPORTED',
    'did:svc:a does not resolve: method not supported',
    'check the DID',
  ],
])('%s', (error, message, next) => {
  const { failure } = unresolved('did:svc:a', error)
  expect(failure).toMatchObject({ exitCode: 5, code: 'not_resolved', message })
  expect(failure.next).toContain(next)
})
