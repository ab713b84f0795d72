import { expect, it } from 'vitest'
import { didOf } from '../functions.ts'
import { Identity } from './identity.ts'

const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(1) })

it('is the DID of the identity that begins with the key, as bytes or base64url', () => {
  expect(didOf(alice.publicKeyB64u)).toBe(alice.did)
  expect(didOf(Uint8Array.from(Buffer.from(alice.publicKeyB64u, 'base64url')))).toBe(alice.did)
})

it.each([
  ['too few bytes', new Uint8Array(1951)],
  ['a key-agreement key', alice.kemPublicKeyB64u],
  ['another encoding', `${alice.publicKeyB64u.slice(0, -1)}=`],
  ['a userId', alice.userId],
])('throws a TypeError for %s', (_, key) => expect(() => didOf(key)).toThrow(TypeError))
