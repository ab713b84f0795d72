import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { rootKeyMultibase } from '@svc/protocol/did/did'
import { descriptionBattery, objectCommitsBattery, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import examples from '../examples.json'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const prober = new Prober({ service, send, base: BASE })
const get = (path: string) => prober.send({ method: 'GET', path })

descriptionBattery({ service, send, base: BASE, examples })

objectCommitsBattery({ service, send, base: BASE, bindings: ['ORGANIZATIONS', 'MEMBERSHIPS'] })

describe('discovery of did', () => {
  it('is alive', async () => {
    const { body, headers } = await get('/health')
    expect(body).toEqual({
      status: 'ok',
      service: 'did',
      version: '0.1.0',
      commit: 'unknown',
      cryptography: 'native',
      method: 'did:svc',
      timestamp: expect.any(Number),
    })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('describes the resolver', async () => {
    const { body } = await get('/.well-known/did.json')
    expect(body).toEqual({
      '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
      id: 'did:web:did.test',
      verificationMethod: [
        {
          id: 'did:web:did.test#resolver-key',
          type: 'Multikey',
          controller: 'did:web:did.test',
          publicKeyMultibase: rootKeyMultibase(encodeBase64url(await mlDsa65.publicKeyOf(new Uint8Array(32).fill(14)))),
        },
      ],
      assertionMethod: ['did:web:did.test#resolver-key'],
      service: [
        { id: 'did:web:did.test#resolver', type: 'DIDResolver', serviceEndpoint: 'https://did.test/1.0/identifiers/' },
      ],
    })
  })
})
