import { describe, expect, it } from 'vitest'
import { audiencesOf } from './audience.ts'

describe('audiencesOf', () => {
  it.each<[string, string, string, string[]]>([
    ['core', 'GET', '/api/notes/did:svc:x/n1', ['notes']],
    ['core', 'DELETE', '/api/notes/did:svc:x/n1', ['notes']],
    ['core', 'POST', '/api/genesis/init', ['genesis']],
    ['core', 'POST', '/api/inception/append', ['genesis']],
    ['core', 'POST', '/api/pair/offer', ['core']],
    ['core', 'DELETE', '/api/pair/offer/123', ['core']],
    ['core', 'POST', '/api/chain/append', ['chain']],
    ['core', 'GET', '/api/sync/status', ['chain']],
    ['core', 'POST', '/api/inbox/send', ['chain']],
    ['core', 'POST', '/api/authorize/offer', ['chain']],
    ['core', 'POST', '/api/assets/transfer', ['chain']],
    ['core', 'POST', '/api/anchors', ['chain']],
    ['core', 'POST', '/api/governance/policy', ['chain']],
    ['core', 'POST', '/api/headers/prepare', ['chain']],
    ['core', 'POST', '/api/ipfs/pin', ['chain']],
    ['core', 'POST', '/api/security/hold', ['chain']],
    ['core', 'POST', '/api/user/verify', ['chain']],
    ['did', 'POST', '/1.0/register', ['identity']],
    ['did', 'GET', '/1.0/register', ['identity', 'console']],
    ['did', 'POST', '/1.0/orgs', ['identity', 'console']],
    ['keys', 'POST', '/api/key/packages', ['keys']],
    ['provenance', 'POST', '/api/capsules', ['provenance']],
    ['pay', 'GET', '/quota', ['provenance']],
    ['consent', 'PUT', '/api/consent', []],
    ['auth', 'POST', '/api/login', []],
    ['docs', 'GET', '/', []],
    ['nowhere', 'GET', '/', []],
  ])('%s %s %s takes %j', (service, method, path, audiences) => {
    expect(audiencesOf(service, method, path)).toEqual(audiences)
  })

  it('needs the whole prefix: a path that only begins alike is a chain route', () => {
    for (const path of ['/api/notesx/1', '/api/notes', '/api/pairing/x', '/api/Notes/x', '/x/api/notes/']) {
      expect(audiencesOf('core', 'GET', path)).toEqual(['chain'])
    }
  })

  it('has no wildcard', () => {
    for (const service of ['core', 'did', 'keys', 'provenance', 'pay']) {
      expect(audiencesOf(service, 'GET', '/x')).not.toContain('*')
    }
  })
})
