import { mlDsa65 } from '@svc/pqc'
import { bytesOf } from '@svc/protocol/base/base64url'
import { jcsBytes } from '@svc/protocol/base/jcs'
import { STATEMENT_TYPES } from '@svc/protocol/base/statement'
import { OWNED_STATEMENTS } from '@svc/protocol/statements/owned'
import { STATEMENT_RULES } from '@svc/protocol/statements/rules'
import { expect, it } from 'vitest'
import { keptToPurpose } from '../signers/kept-to-purpose.ts'
import { Identity } from './identity.ts'
import { signerOf } from './signing-key.ts'

const identity = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) })
const end = jcsBytes({
  type: 'svc/did-deactivate/v1',
  realm: 'https://core.example',
  did: identity.did,
  scope: identity.scope,
  epoch: 0,
  inception: null,
  issuedAt: 1_790_000_000_000,
})
const { statement } = await identity.signMessage({ realm: 'https://core.example', audience: 'a', content: 'b' })
const message = jcsBytes({ ...statement })

it('identities and devices sign the statements whose signer is one, and no others', () => {
  const others = /deployment|receipt key|key of the log|list keys|witness|resolver|directory|snapshot key/
  const owners = STATEMENT_TYPES.filter((type) => !others.test(STATEMENT_RULES[type].signer))
  expect(Object.keys(OWNED_STATEMENTS).toSorted()).toEqual(owners.toSorted())
})

it('signs the bytes that were read, whatever becomes of the caller’s', async () => {
  const given = end.slice()
  const signing = signerOf(identity)(given)
  given.fill(0x20)
  expect(await mlDsa65.verify(bytesOf(identity.publicKeyB64u), end, await signing)).toBe(true)
})

it('a signer kept to a purpose gets the bytes that were read', async () => {
  const seen: Uint8Array[] = []
  const signer = keptToPurpose({
    publicKey: new Uint8Array(1952),
    sign(bytes) {
      seen.push(bytes.slice())
      return new Uint8Array(3309)
    },
  })
  const given = message.slice()
  const signing = signer.sign(given, 'svc/message/v1')
  given.fill(0x20)
  await signing
  expect(seen).toEqual([message])
})

it('names what is wrong with a statement of this package, and signs nothing', async () => {
  const wrong = jcsBytes({
    type: 'svc/rotation-freeze/v1',
    realm: 'https://core.example',
    did: identity.did,
    scope: identity.scope,
    rotationId: 'x',
    signedBy: 'root',
    inception: null,
    issuedAt: 1_790_000_000_000,
  })
  await expect(signerOf(identity)(wrong)).rejects.toMatchObject({ name: 'ArgumentError', argument: 'rotationId' })
  await expect(signerOf(identity, 'consent')(wrong)).rejects.toThrow('not of kind consent')
})
