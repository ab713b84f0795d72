import { ArgumentError, ConfigurationError, ConnectionError, ServiceError, SignerError } from '@svc/client'
import { VerificationError } from '@svc/client/verify'
import { expect, it } from 'vitest'
import { failureOf } from './failures.ts'

const DOCS = 'https://docs.example'

it.each([
  [
    new ServiceError({ status: 409, error: 'stale_head', message: 'Somebody was first' }),
    5,
    'stale_head',
    '/developer/errors#stale_head',
  ],
  [
    new ServiceError({ status: 429, error: 'rate_limited', message: 'Slow down' }),
    5,
    'rate_limited',
    '/developer/errors#rate_limited',
  ],
  [new ServiceError({ status: 503, error: 'unknown', message: 'Down' }), 6, 'unknown', '/developer/errors'],
  [
    new ConnectionError('https://core.example', new Error('x'), { retryable: true, attempts: 3 }),
    6,
    'unreachable',
    '/developer/status',
  ],
  [
    new VerificationError('Bad', { subject: 'chain', reason: 'invalid_signature' }),
    3,
    'invalid_signature',
    '/developer/verification',
  ],
  [new SignerError('refused', null, 'No'), 5, 'signer_refused', '/developer/signers'],
  [new SignerError('unavailable', null, 'Gone'), 7, 'signer_unavailable', '/developer/signers'],
  [new ArgumentError('assets.mint', 'core.medai', 'assets.mint does not know it'), 2, 'usage', '/developer/cli'],
  [new ConfigurationError('identity', 'No identity'), 7, 'key_missing', '/developer/cli'],
  [new ConfigurationError('dispute', 'A rotation is pending'), 5, 'rotation_pending', '/developer/rotation#recover'],
  [new Error('boom'), 1, 'internal', '/developer/cli#exit-codes'],
  ['boom', 1, 'internal', '/developer/cli#exit-codes'],
] as const)('%s', async (error, exitCode, code, path) => {
  const failure = await failureOf(error, DOCS)
  expect(failure).toMatchObject({ exitCode, code, page: DOCS + path })
  expect(failure.next).not.toBe('')
})

it('names how long to wait, and the request in the logs', async () => {
  const { next, message } = await failureOf(
    new ServiceError({
      status: 429,
      error: 'rate_limited',
      message: 'Slow down',
      retryAfterSeconds: 12,
      requestId: 'r1',
    }),
    DOCS,
  )
  expect(next).toBe('wait 12 seconds, then run it again')
  expect(message).toBe('Slow down (rate_limited, 429, request r1)')
})

it.each([
  ['inbox', 'modified', 'svc id export'],
  ['note', 'wrong_key', 'svc note share --all'],
  ['note', 'unordered', '--accept-ended'],
  ['chain', 'wrong_key', 'ask for another copy'],
] as const)('says what to do about %s %s', async (subject, reason, next) => {
  const failure = await failureOf(new VerificationError('Not for this key', { subject, reason }), DOCS)
  expect(failure.next).toContain(next)
})
