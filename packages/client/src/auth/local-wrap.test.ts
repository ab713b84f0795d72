import { describe, expect, it } from 'vitest'
import { Identity } from '../identity/identity.ts'
import { unwrapLocal, wrapLocal } from './local-wrap.ts'
import type { LoggedIn, SignedIn } from './sign-in.ts'

const KEY = new Uint8Array(64).fill(1)
const SECRET = new Uint8Array([1, 2, 3, 250])
const APP = 'https://app.example'

describe('a locally wrapped secret', () => {
  it('opens again with its key and application, after JSON too', () => {
    const wrapped = wrapLocal(KEY, APP, SECRET)
    expect(unwrapLocal(KEY, APP, JSON.parse(JSON.stringify(wrapped)))).toEqual(SECRET)
    expect(unwrapLocal(KEY, APP, wrapLocal(KEY, APP, new Uint8Array()))).toEqual(new Uint8Array())
  })

  it('takes the export key of every password sign-in, but not of every passkey', () => {
    const wrapped = ({ exportKey }: Pick<LoggedIn, 'exportKey'>) => wrapLocal(exportKey, APP, SECRET)
    expect(unwrapLocal(KEY, APP, wrapped({ exportKey: KEY }))).toEqual(SECRET)
    const byPasskey: Pick<SignedIn, 'exportKey'> = { exportKey: null }
    // @ts-expect-error: a passkey without PRF has none
    expect(() => wrapped(byPasskey)).toThrow()
  })

  it('is another each time', () => {
    const [one, other] = [wrapLocal(KEY, APP, SECRET), wrapLocal(KEY, APP, SECRET)]
    expect(one.ciphertextB64u).not.toBe(other.ciphertextB64u)
    expect(one.saltB64u).not.toBe(other.saltB64u)
  })

  it('opens with no other key and for no other application', () => {
    const wrapped = wrapLocal(KEY, APP, SECRET)
    expect(() => unwrapLocal(new Uint8Array(64).fill(2), APP, wrapped)).toThrow()
    expect(() => unwrapLocal(KEY, 'https://other.example', wrapped)).toThrow('another application')
    expect(() => unwrapLocal(KEY, 'x', { ...wrapped, application: 'x' })).toThrow()
  })

  it.each(['saltB64u', 'nonceB64u', 'ciphertextB64u'] as const)('notices a change of %s', (member) => {
    const wrapped = wrapLocal(KEY, APP, SECRET)
    const flipped = wrapped[member].startsWith('A') ? 'B' : 'A'
    expect(() => unwrapLocal(KEY, APP, { ...wrapped, [member]: flipped + wrapped[member].slice(1) })).toThrow()
  })

  it('takes no short key, no empty application and no more than it says', () => {
    expect(() => wrapLocal(new Uint8Array(31), APP, SECRET)).toThrow(RangeError)
    expect(() => wrapLocal(KEY, '', SECRET)).toThrow()
    expect(() => wrapLocal(KEY, APP, new Uint8Array(4097))).toThrow(RangeError)
    expect(() => unwrapLocal(KEY, APP, { ...wrapLocal(KEY, APP, SECRET), extra: 1 })).toThrow()
  })
})

describe('the key that signing in gives', () => {
  it('leaves an identity as it was that was wrapped under an old key and then under a new one', async () => {
    const identity = await Identity.create()
    const seeds = identity.revealSeeds()
    const first = wrapLocal(KEY, APP, seeds.signing)
    const newKey = new Uint8Array(64).fill(9)
    const second = wrapLocal(newKey, APP, unwrapLocal(KEY, APP, first))
    const signing = unwrapLocal(newKey, APP, second)
    const again = await Identity.fromSeeds({ ...seeds, signing })
    expect(again.did).toBe(identity.did)
  })
})
