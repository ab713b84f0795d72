import { ServiceError } from '@svc/client/sign-in'
import { describe, expect, it } from 'vitest'
import { isRefused, SaidError, sentenceOf } from './sentences.ts'

const refusal = (status: number, error: 'rate_limited' | 'sign_in_rejected' | 'unknown', retryAfterSeconds?: number) =>
  new ServiceError({ status, error, message: 'for engineers', retryAfterSeconds })

describe('what a person reads', () => {
  it.each([
    [1, '1 second'],
    [42, '42 seconds'],
    [91, '2 minutes'],
    [5_401, '2 hours'],
    [undefined, '60 seconds'],
  ])('after too many attempts says how long to wait: %s', (seconds, duration) => {
    expect(sentenceOf(refusal(429, 'rate_limited', seconds))).toBe(`Too many attempts. Try again in ${duration}.`)
  })

  it('is a sentence for a refusal that it knows, and what the service says for another', () => {
    expect(sentenceOf(refusal(401, 'sign_in_rejected'))).toContain('The sign-in was not accepted.')
    expect(sentenceOf(refusal(418, 'unknown'))).toBe('for engineers')
  })

  it('depends on the name of a refusal, by a service alone', () => {
    expect(isRefused(refusal(401, 'sign_in_rejected'), 'sign_in_rejected')).toBe(true)
    expect(isRefused(refusal(401, 'sign_in_rejected'), 'rate_limited')).toBe(false)
    expect(isRefused(Object.assign(new Error('other'), { error: 'rate_limited' }), 'rate_limited')).toBe(false)
  })

  it('says that a key did not open, and not why something else about it is wrong', () => {
    const failure = (reason: string) => Object.assign(new Error('for engineers'), { name: 'KeyExportError', reason })
    expect(sentenceOf(failure('not_opened'))).toBe('The key did not open. Check the passphrase or the passkey.')
    expect(sentenceOf(failure('mismatch'))).toBe('Something went wrong. Try again.')
  })

  it('never has the text of an error that nobody wrote for people', () => {
    for (const error of [new Error('secret'), new TypeError('secret'), 'secret', null]) {
      expect(sentenceOf(error)).toBe('Something went wrong. Try again.')
    }
    expect(sentenceOf(new SaidError('Enter a code.'))).toBe('Enter a code.')
  })
})
