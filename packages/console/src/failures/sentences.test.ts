import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '@svc/client/sign-in'
import { describe, expect, it } from 'vitest'
import { isRefused, isUnforeseen, SaidError, saidAs, sentenceOf } from './sentences.ts'

const SDK = join(import.meta.dirname, '../../../client/src')
const OTHER = 'Something went wrong. Try again.'
const named = (name: string, members: object = {}) => Object.assign(new Error('for engineers'), { name, ...members })

/** The names of the errors that the SDK throws, from its source. */
function errorsOfSdk(): string[] {
  const sources = globSync('**/*.ts', { cwd: SDK }).filter((file) => !file.endsWith('.test.ts'))
  const text = sources.map((file) => readFileSync(join(SDK, file), 'utf8')).join('\n')
  return [...text.matchAll(/override readonly name(?:: string)? = '(\w+)'/g)].map(([, name = '']) => name)
}

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
    const failure = (reason: string) => named('KeyExportError', { reason })
    expect(sentenceOf(failure('not_opened'))).toBe('The key did not open. Check the passphrase or the passkey.')
    expect(sentenceOf(failure('mismatch'))).not.toContain('passphrase')
    expect(sentenceOf(failure('unsupported'))).toBe('This passkey or browser cannot encrypt keys. Use a passphrase.')
  })

  it.each([
    ['VerificationError', 'does not verify'],
    ['ForkError', 'another history'],
    ['RollbackError', 'an older state'],
    ['UnprovedError', 'nobody entitled has signed'],
    ['DiscoveryError', 'had not announced'],
  ])('says what was caught in a %s, and what to do', (name, caught) => {
    const sentence = sentenceOf(named(name))
    expect(sentence).toContain(caught)
    expect(sentence).toMatch(/(tell|ask) the operator/)
    expect(sentence).not.toContain('for engineers')
  })

  it('is there for every error of the SDK', () => {
    const names = errorsOfSdk().filter(
      (name) => !['ServiceError', 'ConfigurationError', 'ArgumentError'].includes(name),
    )
    expect(names).toContain('UnprovedError')
    const sentences = names.map((name) => [name, sentenceOf(named(name, { reason: 'refused', position: null }))])
    expect(sentences.filter(([, sentence]) => sentence === OTHER)).toEqual([])
  })

  it('names a failure of the browser where it is caught, and nowhere else', async () => {
    expect(sentenceOf(named('InvalidStateError'))).toBe(OTHER)
    const meaning = saidAs('InvalidStateError', 'This device has a passkey already.')
    await expect(Promise.reject(named('InvalidStateError')).catch(meaning)).rejects.toThrow(/has a passkey already/)
    await expect(Promise.reject(named('AbortError')).catch(meaning)).rejects.toThrow('for engineers')
  })

  it('never has the text of an error that nobody wrote for people', () => {
    for (const error of [new Error('secret'), new TypeError('secret'), 'secret', null]) {
      expect(sentenceOf(error)).toBe(OTHER)
      expect(isUnforeseen(error)).toBe(true)
    }
    expect(sentenceOf(new SaidError('Enter a code.'))).toBe('Enter a code.')
    expect(isUnforeseen(new SaidError('Enter a code.'))).toBe(false)
  })
})
