/** The signed bytes of a lease against canonical JSON written by hand, and its signature against OpenSSL. */
import * as openssl from 'node:crypto'
import { mlDsa65 } from '@svc/pqc'
import { expect, it } from 'vitest'
import { signStatement, statementHash } from '../src/base/statement.ts'
import { quotaLeaseStatementSchema } from '../src/pay/leases.ts'
import { REALM } from './realm.fixture.ts'

const SPKI = Buffer.from('308207b2300b0609608648016503040312038207a100', 'hex')
const DID = `did:svc:${'A'.repeat(32)}`
const CANONICAL =
  `{"amount":10,"did":"${DID}","expiresAt":1790003600000,"holder":"provenance","issuedAt":1790000000000,` +
  `"key":"lease-1","kind":"capsule","leaseId":"${'L'.repeat(22)}","period":"2026-09","realm":"${REALM}",` +
  `"tier":"provenance","type":"svc/quota-lease/v1"}`

it('is signed over its canonical JSON', async () => {
  const statement = quotaLeaseStatementSchema.parse(JSON.parse(CANONICAL))
  expect(statementHash(statement)).toBe(openssl.createHash('sha3-384').update(CANONICAL).digest('hex'))
  const seed = new Uint8Array(32).fill(11)
  const { signatureB64u } = await signStatement(statement, (message) => mlDsa65.sign(seed, message))
  const key = Buffer.concat([SPKI, await mlDsa65.publicKeyOf(seed)])
  const publicKey = openssl.createPublicKey({ key, format: 'der', type: 'spki' })
  const verify = (text: string) =>
    openssl.verify(null, Buffer.from(text), publicKey, Buffer.from(signatureB64u, 'base64url'))
  expect(verify(CANONICAL)).toBe(true)
  expect(verify(CANONICAL.replace('"amount":10', '"amount":11'))).toBe(false)
})
